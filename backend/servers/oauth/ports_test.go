package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
	"github.com/agent-discover/agent-discover/backend/testing/porttest"
)

// takePorts makes other programs take all usual ports, and returns these programs.
func (w *world) takePorts() (others []*porttest.Program) {
	w.t.Helper()
	for _, port := range w.options.Ports {
		others = append(others, porttest.Take(w.t, "127.0.0.1:"+strconv.Itoa(port), ""))
	}
	return others
}

// portOf returns the port of a redirect address.
func portOf(t *testing.T, redirect string) int {
	t.Helper()
	u, err := url.Parse(redirect)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestSignInIsRegisteredForAFreePortWhileOtherProgramsUseAllPorts(t *testing.T) {
	a := newAuthority(t)
	w := newWorld(t, a.of("notes"))
	w.signIn("notes", "") // keeps a client for the first port
	others := w.takePorts()
	login := w.login("notes")
	if port := portOf(t, login.Redirect); slices.Contains(w.options.Ports, port) {
		t.Fatalf("the browser returns to port %d of another program", port)
	}
	if got := fmt.Sprint(a.clients[1]["redirect_uris"]); got != "["+login.Redirect+"]" {
		t.Errorf("the client was registered for %s, and the browser returns to %s", got, login.Redirect)
	}
	status, body, _ := oidctest.Browse(t, login.Address, "", "")
	if status != http.StatusOK || !strings.Contains(body, "Signed in") {
		t.Fatalf("the browser shows %d: %s", status, body)
	}
	w.pass(lifetime)
	if w.header("notes"); a.forms[2].Get("client_id") != "client-2" {
		t.Errorf("the token is renewed for %s", a.forms[2].Get("client_id"))
	}
	if _, err := http.Get(login.Redirect); err == nil {
		t.Error("the free port still answers")
	}
	others[0].End()
	if again := w.login("notes"); portOf(t, again.Redirect) != w.options.Ports[0] || len(a.clients) != 2 {
		t.Errorf("with a port again, the browser returns to %s, and %d clients are registered", again.Redirect, len(a.clients))
	}
}

func TestSignInThatNeedsAPortNamesTheProgramsThatUseThem(t *testing.T) {
	for name, prepare := range map[string]func(*authority, *world){
		"a client of a person": func(_ *authority, w *world) {
			if err := w.vault.Set(t.Context(), "notes", "oauth:client_id", "own-id"); err != nil {
				t.Fatal(err)
			}
		},
		"a document and no registration": func(a *authority, w *world) {
			a.asm()["client_id_metadata_document_supported"] = true
			delete(a.asm(), "registration_endpoint")
			w.options.Document = "https://agent-discover.example/client.json"
			w.restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			w := newWorld(t, a.of("notes"))
			prepare(a, w)
			others := w.takePorts()
			_, err := w.Login(t.Context(), "notes")
			if fault.KindOf(err) != fault.Unavailable {
				t.Fatalf("the sign-in begins: %v", err)
			}
			for _, other := range others {
				if want := fmt.Sprintf("%d (process %d, ", other.Port, other.PID); !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not contain %s: %v", want, err)
				}
			}
			if !strings.Contains(err.Error(), `server "notes"`) || !strings.Contains(err.Error(), "end one of them and begin again") {
				t.Errorf("the error gives no advice: %v", err)
			}
			if len(a.clients) != 0 || len(a.pages) != 0 {
				t.Errorf("%d clients were registered, and %d pages opened", len(a.clients), len(a.pages))
			}
			others[1].End()
			w.signIn("notes", "")
			if got := portOf(t, a.pages[0].Get("redirect_uri")); got != w.options.Ports[1] {
				t.Errorf("the browser returned to port %d, want the one that is free again", got)
			}
		})
	}
}

func TestSignInWithADocumentRegistersWhereItMustUseAnotherPort(t *testing.T) {
	a := newAuthority(t)
	a.asm()["client_id_metadata_document_supported"] = true
	w := newWorld(t, a.of("notes"))
	w.options.Document = "https://agent-discover.example/client.json"
	w.restart()
	others := w.takePorts()
	w.signIn("notes", "")
	if got := a.pages[0]; got.Get("client_id") != "client-1" || slices.Contains(w.options.Ports, portOf(t, got.Get("redirect_uri"))) {
		t.Errorf("the sign-in was made with %v", got)
	}
	others[0].End()
	w.signIn("notes", "")
	if got := a.pages[1]; got.Get("client_id") != w.options.Document || portOf(t, got.Get("redirect_uri")) != w.options.Ports[0] {
		t.Errorf("with a port again, the sign-in was made with %v", got)
	}
}

func TestFreePortOfOneSignInIsNotUsedByAnotherThatNeedsAUsualOne(t *testing.T) {
	a, b := newAuthority(t), newAuthority(t)
	w := newWorld(t, a.of("registers"), b.of("person"))
	if err := w.vault.Set(t.Context(), "person", "oauth:client_id", "own-id"); err != nil {
		t.Fatal(err)
	}
	others := w.takePorts()
	first := w.login("registers")
	if _, err := w.Login(t.Context(), "person"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the other sign-in begins: %v", err)
	}
	others[0].End()
	w.signIn("person", "")
	if status, body, _ := oidctest.Browse(t, first.Address, "", ""); status != http.StatusOK {
		t.Errorf("the first sign-in ended with %d: %s", status, body)
	}
}

func TestRefusedRegistrationForAFreePortNamesTheProgramsThatUseTheUsualOnes(t *testing.T) {
	a := newAuthority(t)
	a.refuses = "invalid_redirect_uri"
	w := newWorld(t, a.of("notes"))
	others := w.takePorts()
	_, err := w.Login(t.Context(), "notes")
	want := fmt.Sprintf("it answered invalid_redirect_uri; a free port was tried, because other programs use the usual ones: %d (process %d, ",
		others[0].Port, others[0].PID)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
