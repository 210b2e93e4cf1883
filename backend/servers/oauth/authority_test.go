package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// authority is both an authorization server and an MCP server. A test can change its answers.
type authority struct {
	*httptest.Server
	mu        sync.Mutex
	resource  map[string]map[string]any // metadata of the resource, by path
	meta      map[string]map[string]any // metadata of the authorization server, by path
	redirect  url.Values                // added to the address to which browsers are sent
	token     map[string]any            // the answer of the token endpoint instead of a token
	forms     []url.Values              // forms that the token endpoint has received
	clients   []map[string]any          // registered clients
	pages     []url.Values              // queries of the page to sign in
	challenge string
	status    int
	refuses   string // the error with which clients are not registered
}

func newAuthority(t *testing.T) *authority {
	a := &authority{redirect: url.Values{}, status: http.StatusUnauthorized}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(a.Server.Close)
	a.resource = map[string]map[string]any{
		"/.well-known/oauth-protected-resource/mcp": {"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}},
	}
	a.meta = map[string]map[string]any{"/.well-known/oauth-authorization-server": {
		"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize?tenant=1",
		"token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
		"code_challenge_methods_supported": []string{"S256"},
	}}
	return a
}

// asm returns the metadata of the authorization server.
func (a *authority) asm() map[string]any {
	return a.meta["/.well-known/oauth-authorization-server"]
}

func (a *authority) of(name string) oauth.Server {
	return oauth.Server{Name: name, URL: a.URL + "/mcp"}
}

func (a *authority) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, documents := range []map[string]map[string]any{a.resource, a.meta} {
		if document, ok := documents[r.URL.Path]; ok {
			answerJSON(w, document)
			return
		}
	}
	switch r.URL.Path {
	case "/register":
		var registered map[string]any
		_ = json.NewDecoder(r.Body).Decode(&registered)
		w.Header().Set("Content-Type", "application/json")
		if a.refuses != "" {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": a.refuses})
			return
		}
		a.clients = append(a.clients, registered)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"client_id": fmt.Sprintf("client-%d", len(a.clients)), "token_endpoint_auth_method": "none",
		})
	case "/authorize":
		query := r.URL.Query()
		a.pages = append(a.pages, query)
		answer := url.Values{"state": query["state"], "code": {"code-" + fmt.Sprint(len(a.pages))}}
		for name, values := range a.redirect {
			answer[name] = values
		}
		http.Redirect(w, r, query.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
	case "/token":
		_ = r.ParseForm()
		if id, secret, ok := r.BasicAuth(); ok {
			r.PostForm.Set("basic", id+":"+secret)
		}
		a.forms = append(a.forms, r.PostForm)
		answer := a.token
		if answer == nil {
			answer = map[string]any{
				"access_token": fmt.Sprintf("access-token-%d", len(a.forms)), "token_type": "bearer",
				"refresh_token": fmt.Sprintf("refresh-token-%d", len(a.forms)), "expires_in": "60",
			}
		}
		answerJSON(w, answer)
	case "/mcp", "/mcp/write":
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer access-token-") && a.challenge == "" {
			_, _ = io.WriteString(w, r.Header.Get("Authorization"))
			return
		}
		if a.challenge != "" {
			w.Header().Set("WWW-Authenticate", a.challenge)
		}
		w.WriteHeader(a.status)
	default:
		http.NotFound(w, r)
	}
}

func TestSignInFollowsTheSpecification(t *testing.T) {
	a := newAuthority(t)
	a.challenge = `Bearer scope="files:read", resource_metadata="` + a.URL + `/elsewhere"`
	a.resource = map[string]map[string]any{
		"/elsewhere": {"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}, "scopes_supported": []string{"everything"}},
	}
	a.asm()["scopes_supported"] = []string{"offline_access"}
	a.redirect.Set("iss", a.URL) // not announced in the metadata, but correct
	w := newWorld(t, a.of("notes"))
	w.signIn("notes", "")
	a.challenge = ""
	w.pass(lifetime)
	if got := w.header("notes"); got != "Bearer access-token-2" {
		t.Fatalf("the token was not renewed: %q", got)
	}
	page, code, refresh, client := a.pages[0], a.forms[0], a.forms[1], a.clients[0]
	for name, want := range map[string]string{
		"tenant": "1", "response_type": "code", "client_id": "client-1", "resource": a.URL + "/mcp", "code_challenge_method": "S256",
		"scope": "files:read offline_access", "prompt": "consent",
	} {
		if page.Get(name) != want {
			t.Errorf("the page gets %s %q, want %q", name, page.Get(name), want)
		}
	}
	sum := sha256.Sum256([]byte(code.Get("code_verifier")))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != page.Get("code_challenge") || len(page.Get("state")) < 22 {
		t.Errorf("PKCE or state is wrong: %v", page)
	}
	for name, want := range map[string]string{
		"grant_type": "authorization_code", "code": "code-1", "resource": a.URL + "/mcp", "redirect_uri": page.Get("redirect_uri"),
		"client_id": "client-1",
	} {
		if code.Get(name) != want {
			t.Errorf("the code is redeemed with %s %q, want %q", name, code.Get(name), want)
		}
	}
	for name, want := range map[string]string{
		"grant_type": "refresh_token", "refresh_token": "refresh-token-1", "resource": a.URL + "/mcp", "client_id": "client-1",
	} {
		if refresh.Get(name) != want {
			t.Errorf("the token is renewed with %s %q, want %q", name, refresh.Get(name), want)
		}
	}
	if fmt.Sprint(client["redirect_uris"]) != "["+page.Get("redirect_uri")+"]" || client["application_type"] != "native" ||
		fmt.Sprint(client["grant_types"]) != "[authorization_code refresh_token]" || client["token_endpoint_auth_method"] != "none" {
		t.Errorf("registered as %v", client)
	}
}

func TestRegisteredClientIsReusedForTheSameIssuer(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	w := newWorld(t, a.of("one"), a.of("two"), other.of("three"))
	w.signIn("one", "")
	w.restart()
	w.signIn("two", "")
	w.signIn("one", "")
	w.signIn("three", "")
	if len(a.clients) != 1 || len(other.clients) != 1 {
		t.Errorf("registered %d and %d times, want once each", len(a.clients), len(other.clients))
	}
	a.token = map[string]any{"error": "invalid_client"} // the authorization server has deleted the client
	w.pass(lifetime)
	if w.header("one") != "" {
		t.Error("a token of a deleted client is used")
	}
	a.token = nil
	w.signIn("one", "")
	if len(a.clients) != 2 {
		t.Errorf("a deleted client is used again")
	}
}

func TestClientOfAPersonComesBeforeOthers(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	a.asm()["client_id_metadata_document_supported"] = true
	w := newWorld(t, a.of("document"), a.of("person"), other.of("registered"))
	w.options.Document = "https://agent-discover.example/client.json"
	w.restart()
	for name, value := range map[string]string{"oauth:client_id": "own:id", "oauth:client_secret": "own secret", "oauth:scope": "extra"} {
		if err := w.vault.Set(t.Context(), "person", name, value); err != nil {
			t.Fatal(err)
		}
	}
	w.signIn("document", "")
	w.signIn("person", "")
	w.signIn("registered", "")
	if got := other.pages[0].Get("client_id"); got != "client-1" {
		t.Errorf("an authorization server that reads no documents is shown %q", got)
	}
	if got := a.pages[0].Get("redirect_uri"); got != fmt.Sprintf("http://127.0.0.1:%d/callback", w.options.Ports[0]) {
		t.Errorf("the browser returns to %s, which the document does not list", got)
	}
	if got := a.pages[0].Get("client_id"); got != w.options.Document || a.forms[0].Get("client_id") != got {
		t.Errorf("the client ID document is not used: %q", got)
	}
	if got := a.pages[1]; got.Get("client_id") != "own:id" || got.Get("scope") != "extra" {
		t.Errorf("the client of the person is not used: %v", got)
	}
	if got := a.forms[1].Get("basic"); got != "own%3Aid:own+secret" {
		t.Errorf("the client proves itself with %q", got)
	}
	if len(a.clients) != 0 {
		t.Error("a client was registered")
	}
	if err := w.vault.Set(t.Context(), "person", "oauth:issuer", "https://elsewhere.example"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Login(t.Context(), "person"); err == nil || !strings.Contains(err.Error(), "oauth:issuer") {
		t.Errorf("the secret of another issuer would be sent: %v", err)
	}
}

func TestMetadataAreFoundAndChecked(t *testing.T) {
	for name, row := range map[string]struct {
		bend func(a *authority)
		want string // part of the error of Login; empty if it succeeds
	}{
		"resource at the root": {func(a *authority) {
			a.resource = map[string]map[string]any{
				"/.well-known/oauth-protected-resource": {"resource": a.URL, "authorization_servers": []string{a.URL}},
			}
		}, ""},
		"server without metadata of its own": {func(a *authority) { a.resource = nil }, ""},
		"OpenID only": {func(a *authority) {
			a.meta = map[string]map[string]any{"/.well-known/openid-configuration": a.asm()}
		}, ""},
		"issuer with a path": {func(a *authority) {
			a.resource["/.well-known/oauth-protected-resource/mcp"]["authorization_servers"] = []string{a.URL + "/tenant"}
			a.asm()["issuer"] = a.URL + "/tenant/"
			a.meta = map[string]map[string]any{"/tenant/.well-known/openid-configuration": a.asm()}
		}, ""},
		"second authorization server": {func(a *authority) {
			a.resource["/.well-known/oauth-protected-resource/mcp"]["authorization_servers"] = []string{a.URL + "/gone", a.URL}
		}, ""},
		"another resource": {func(a *authority) {
			a.resource["/.well-known/oauth-protected-resource/mcp"]["resource"] = "https://bank.example/mcp"
		}, "which is not the server"},
		"resource with another path": {func(a *authority) {
			a.resource["/.well-known/oauth-protected-resource/mcp"]["resource"] = a.URL + "/mcp2"
		}, "which is not the server"},
		"another issuer": {func(a *authority) { a.asm()["issuer"] = "https://bank.example" }, "are those of https://bank.example"},
		"no PKCE":        {func(a *authority) { delete(a.asm(), "code_challenge_methods_supported") }, "PKCE"},
		"plain PKCE only": {func(a *authority) {
			a.asm()["code_challenge_methods_supported"] = []string{"plain"}
		}, "PKCE"},
		"page that is no page": {func(a *authority) { a.asm()["authorization_endpoint"] = "javascript:alert(1)" }, "not a valid address"},
		"token endpoint without encryption": {func(a *authority) {
			a.asm()["token_endpoint"] = "http://bank.example/token"
		}, "does not begin with https://"},
		"no registration": {
			func(a *authority) {
				delete(a.asm(), "registration_endpoint")
			}, "register one there with the redirect address http://127.0.0.1:",
		},
		"nothing": {func(a *authority) { a.resource, a.meta = nil, nil }, "describes no way to sign in"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			row.bend(a)
			w := newWorld(t, a.of("notes"))
			login, err := w.Login(t.Context(), "notes")
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if status, body, _ := oidctest.Browse(t, login.Address, "", ""); status != http.StatusOK {
					t.Errorf("%d %s", status, body)
				}
			} else if err == nil || !strings.Contains(fault.MessageOf(err), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestServerWithoutSignInExplainsItself(t *testing.T) {
	a := newAuthority(t)
	a.resource, a.meta = nil, nil
	w := newWorld(t, a.of("notes"))
	for _, c := range []mcphttp.Challenge{{Status: http.StatusUnauthorized}, {Status: http.StatusForbidden}} {
		if retry, err := w.Access(w.servers["notes"]).Challenged(t.Context(), c); retry || err != nil {
			t.Errorf("after %d: %v, %v", c.Status, retry, err)
		}
	}
	if st, _ := w.Status(1); st.State != oauth.SignedOut {
		t.Errorf("status is %+v", st)
	}
}

func TestAnswerOfAnotherIssuerIsNotBelieved(t *testing.T) {
	for name, row := range map[string]struct {
		promised bool
		redirect url.Values
		want     string
	}{
		"right":                     {true, url.Values{"iss": {"A"}}, ""},
		"missing although promised": {true, url.Values{}, "does not name its issuer"},
		"wrong":                     {false, url.Values{"iss": {"https://bank.example"}}, "comes from https://bank.example"},
		"error of another issuer": {
			true, url.Values{"iss": {"https://bank.example"}, "error": {"access_denied"}}, "comes from https://bank.example",
		},
		"error without an issuer": {true, url.Values{"error": {"access_denied"}}, "does not name its issuer"},
		"error": {
			false, url.Values{"error": {"access_denied"}, "error_description": {"<script>alert(1)</script>"}}, "answered access_denied",
		},
		"no code": {false, url.Values{"code": {""}}, "no code"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			a.asm()["authorization_response_iss_parameter_supported"] = row.promised
			a.redirect = row.redirect
			if a.redirect.Get("iss") == "A" {
				a.redirect.Set("iss", a.URL)
			}
			w := newWorld(t, a.of("notes"))
			login := w.login("notes")
			_, body, _ := oidctest.Browse(t, login.Address, "", "")
			err := login.Wait(t.Context())
			if row.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(fault.MessageOf(err), row.want) || len(a.forms) != 0 {
				t.Errorf("got %v and %d requests for tokens, want %q", err, len(a.forms), row.want)
			}
			if strings.Contains(body, "<script>") || !strings.Contains(body, "Not signed in") {
				t.Errorf("the page shows %s", body)
			}
			if st, _ := w.Status(1); st.State != oauth.SignedOut {
				t.Errorf("status is %+v", st)
			}
		})
	}
}

func TestServerOnTheInternetCannotReachThisMachine(t *testing.T) {
	a := newAuthority(t)
	asked := 0
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inner.Close()
	byName := strings.Replace(inner.URL, "127.0.0.1", "localhost", 1)
	w := newWorld(t, oauth.Server{Name: "far", URL: "https://203.0.113.5/mcp"}, oauth.Server{Name: "home", URL: "http://192.168.77.9/mcp"},
		a.of("here"),
		oauth.Server{
			Name: "proxied", URL: "https://203.0.113.5/mcp", Proxy: func(*url.URL) (*url.URL, error) { return url.Parse(inner.URL) },
		})
	header := http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://127.0.0.1:9/meta"`}}
	if _, err := w.Access(w.servers["proxied"]).Challenged(t.Context(),
		mcphttp.Challenge{Status: http.StatusUnauthorized, Header: header}); err == nil ||
		!strings.Contains(fault.MessageOf(err), "private network") {
		t.Errorf("through a proxy: %v", err)
	}
	for _, server := range []string{"far", "home"} {
		for _, address := range []string{inner.URL, byName} {
			header := http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + address + `/meta"`}}
			_, err := w.Access(w.servers[server]).Challenged(t.Context(),
				mcphttp.Challenge{Status: http.StatusUnauthorized, Header: header})
			if err == nil || !strings.Contains(fault.MessageOf(err), "private network") {
				t.Errorf("%s at %s: %v", server, address, err)
			}
		}
	}
	if asked != 0 {
		t.Error("a request reached this machine")
	}
	w.signIn("here", "") // a server on this machine may have an authorization server there
}

func TestOperationIsNotSteppedUpForEver(t *testing.T) {
	a := newAuthority(t)
	w := newWorld(t, a.of("notes"))
	w.signIn("notes", "")
	a.challenge, a.status = `Bearer error="insufficient_scope", scope="admin"`, http.StatusForbidden
	for range 3 {
		if _, err := w.call("notes", "/write"); !errors.Is(err, mcphttp.ErrSignIn) {
			t.Fatalf("got %v", err)
		}
		w.signIn("notes", "")
	}
	if _, err := w.call("notes", "/write"); errors.Is(err, mcphttp.ErrSignIn) || fault.KindOf(err) != fault.Denied {
		t.Errorf("after three sign-ins: %v", err)
	}
	if _, err := w.call("notes", ""); !errors.Is(err, mcphttp.ErrSignIn) {
		t.Errorf("another operation: %v", err)
	}
}

func TestErrorsOfTheTokenEndpointRepeatNoSecret(t *testing.T) {
	a := newAuthority(t)
	w := newWorld(t, a.of("notes"))
	w.signIn("notes", "")
	a.token = map[string]any{"error": "temporarily_unavailable", "error_description": "no refresh-token-1 today"}
	w.pass(lifetime)
	if header := w.header("notes"); header != "Bearer access-token-1" {
		t.Errorf("the token is not used to its end: %q", header)
	}
	w.pass(lifetime)
	_, err := w.Access(w.servers["notes"]).Header(t.Context())
	if err == nil || strings.Contains(err.Error(), "refresh-token-1") || !strings.Contains(err.Error(), "temporarily_unavailable") {
		t.Errorf("got %v", err)
	}
}

func TestRedirectAddressAnswersOnlyToItsOwnName(t *testing.T) {
	a := newAuthority(t)
	w := newWorld(t, a.of("notes"))
	login := w.login("notes")
	u, _ := url.Parse(login.Redirect)
	for _, row := range []struct {
		host, path string
		want       int
	}{
		{"evil.example", u.Path, http.StatusForbidden}, {u.Host, "/", http.StatusNotFound}, {
			u.Host, u.Path + "?state=guess&code=x", http.StatusBadRequest,
		},
	} {
		r, _ := http.NewRequest(http.MethodGet, "http://"+u.Host+row.path, nil)
		r.Host = row.host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != row.want {
			t.Errorf("%s%s answered %d, want %d", row.host, row.path, response.StatusCode, row.want)
		}
	}
	if _, _, last := oidctest.Browse(t, login.Address, "", login.Redirect); last == "" {
		t.Error("the sign-in no longer waits")
	}
	for _, pasted := range []string{"", "hello", "https://example.com/?code=x"} {
		if _, err := w.Complete(t.Context(), pasted); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", pasted, err)
		}
	}
	if _, err := w.Logout(t.Context(), 1, "notes"); err != nil {
		t.Fatal(err)
	}
	if err := login.Wait(t.Context()); fault.KindOf(err) != fault.Denied {
		t.Errorf("the sign-in ended with %v", err)
	}
	if _, err := http.Get(login.Redirect); err == nil {
		t.Error("the redirect address still answers")
	}
	after := false
	if login.After(func() { after = true }); !after {
		t.Error("After did not run")
	}
}

func TestRemovedServerLeavesNoSignIn(t *testing.T) {
	a := newAuthority(t)
	w := newWorld(t, a.of("notes"), a.of("other"))
	w.signIn("notes", "")
	w.signIn("other", "")
	if !slices.Contains(w.changed, "notes") {
		t.Error("nobody was told of the sign-in")
	}
	if err := w.Forget(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if w.header("notes") != "" || w.header("other") == "" {
		t.Error("the wrong sign-in was removed")
	}
}
