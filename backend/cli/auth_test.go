//go:build linux

package cli_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// signInHome returns a home with the remote server notes, which requires a sign-in.
func signInHome(t *testing.T) (*programtest.Home, *oidctest.Provider, *oidctest.Resource) {
	t.Helper()
	p := oidctest.Start(t)
	r := oidctest.NewAccounts(t, p)
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_KEYCHAIN", "off")
	h.Set("AGENT_DISCOVER_PASSPHRASE", "a passphrase")
	h.Must("servers", "add", "notes", "--url", r.URL+"/mcp", "--no-start")
	return h, p, r
}

// background starts a command, and returns what it writes to standard error and a
// function that waits for its end.
func background(h *programtest.Home, args ...string) (stderr *programtest.Output, end func() (int, string)) {
	h.T.Helper()
	var stdout programtest.Output
	stderr = &programtest.Output{}
	cmd := h.Command(args...)
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	if err := cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	return stderr, func() (int, string) {
		_ = cmd.Wait() // the exit code is read from ProcessState
		return cmd.ProcessState.ExitCode(), stdout.String()
	}
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/auth\?[^\s"]+`)

// printed waits until a command has written the address of the sign-in page, and returns the address.
func printed(h *programtest.Home, out *programtest.Output) (found string) {
	h.T.Helper()
	programtest.Eventually(h.T, "the address is printed", func() bool {
		found = address.FindString(out.String())
		return found != "" && strings.Contains(out.String(), found+"\n")
	})
	return found
}

// elsewhere signs in with a browser on another machine, which cannot open the last page, and returns the address of this page.
func elsewhere(h *programtest.Home, out *programtest.Output) string {
	h.T.Helper()
	page := printed(h, out)
	u, err := url.Parse(page)
	if err != nil {
		h.T.Fatal(err)
	}
	redirect := u.Query().Get("redirect_uri")
	programtest.Eventually(h.T, "the way to finish is printed", func() bool {
		return strings.Contains(out.String(), "which begins with "+redirect+". Then copy its address and run: agent-discover auth complete URL\n")
	})
	_, _, last := oidctest.Browse(h.T, page, "alice", redirect)
	return last
}

func TestPeopleSignInFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h, p, r := signInHome(t)
	if out := h.Run("servers", "refresh", "notes"); out.Code != 4 {
		t.Errorf("without a sign-in: exit %d, want 4", out.Code)
	} else {
		programtest.Contains(t, out.Stderr, "requires a sign-in", "agent-discover auth login notes")
	}
	programtest.Contains(t, h.Must("auth"), "notes", "sign-in required")

	stderr, end := background(h, "auth", "login", "notes", "--no-browser")
	page := printed(h, stderr)
	programtest.Contains(t, h.Must("auth", "status"), "waiting for you")
	if _, body, _ := oidctest.Browse(t, page, "alice", ""); !strings.Contains(body, "Signed in") {
		t.Fatalf("the browser shows %s", body)
	}
	if code, out := end(); code != 0 || out != "Signed in to notes.\n" {
		t.Errorf("auth login: exit %d, %q, %s", code, out, stderr)
	}
	h.Must("servers", "refresh", "notes")
	programtest.Contains(t, h.Must("call", "notes__whoami"), "alice")
	var list []operations.SignIn
	if h.MustJSON(&list, "auth", "status", "--json"); len(list) != 1 || list[0].State != "signed_in" || list[0].Issuer != p.Issuer ||
		list[0].Expires == "" {
		t.Errorf("auth status --json: %+v", list)
	}

	token := r.Tokens()[len(r.Tokens())-1]
	var done map[string]string
	if h.MustJSON(&done, "auth", "logout", "notes", "--json"); done["status"] != "signed_out" || done["server"] != "notes" {
		t.Errorf("auth logout --json: %v", done)
	}
	if p.Token(token).Active {
		t.Error("the token was not revoked")
	}
	if out := h.Run("call", "notes__whoami"); out.Code != 4 || !strings.Contains(out.Stdout+out.Stderr, "agent-discover auth login notes") {
		t.Errorf("after the sign-out: %+v", out)
	}
	programtest.Contains(t, h.Must("auth", "status"), "sign-in required")
}

func TestBrowserGetsTheAddressInAFile(t *testing.T) {
	t.Parallel()
	h, _, _ := signInHome(t)
	script, opened := filepath.Join(h.Dir, "browser"), filepath.Join(h.Dir, "opened")
	text := "#!/bin/sh\nprintf '%s\\n' \"$*\" > " + opened + ".arguments\ncat \"${1#file://}\" > " + opened + ".part && mv " + opened +
		".part " + opened + "\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	h.Set("BROWSER", script)
	stderr, end := background(h, "auth", "login", "notes")
	var page []byte
	programtest.Eventually(t, "the browser is started", func() bool {
		var err error
		page, err = os.ReadFile(opened)
		return err == nil
	})
	if arguments, err := os.ReadFile(opened + ".arguments"); err != nil || strings.Contains(string(arguments), "state") {
		t.Errorf("the browser was started with %s, %v", arguments, err)
	}
	found := regexp.MustCompile(`href="([^"]+)"`).FindSubmatch(page)
	if found == nil {
		t.Fatalf("the file has %s", page)
	}
	if _, body, _ := oidctest.Browse(t, strings.ReplaceAll(string(found[1]), "&amp;", "&"), "alice", ""); !strings.Contains(body,
		"Signed in") {
		t.Fatalf("the browser shows %s", body)
	}
	if code, out := end(); code != 0 || !strings.Contains(out, "Signed in to notes") {
		t.Errorf("auth login: exit %d, %q, %s", code, out, stderr)
	}
	if left, _ := filepath.Glob(h.Folder.Run("agent-discover-open-*")); len(left) != 0 {
		t.Errorf("the file is left: %v", left)
	}
}

func TestSignInIsCompletedWithAPastedAddress(t *testing.T) {
	t.Parallel()
	h, _, _ := signInHome(t)
	for _, argument := range []bool{true, false} {
		stderr, end := background(h, "auth", "login", "notes", "--no-browser")
		last := elsewhere(h, stderr)
		if argument {
			if out := h.Must("auth", "complete", last); out != "Signed in to notes.\n" {
				t.Errorf("auth complete: %q", out)
			}
		} else if out := h.RunWithInput(last+"\n", "auth", "complete", "-"); out.Code != 0 {
			t.Errorf("auth complete -: %+v", out)
		}
		if code, out := end(); code != 0 || out != "Signed in to notes.\n" {
			t.Errorf("auth login: exit %d, %q, %s", code, out, stderr)
		}
		if out := h.Run("auth", "complete", last); out.Code != 2 || strings.Contains(out.Stderr, "code=") {
			t.Errorf("the address works twice: %+v", out)
		}
	}
	if out := h.Run("auth", "complete", "hello"); out.Code != 1 {
		t.Errorf("a wrong address: %+v", out)
	}
}

func TestRefusedSignInIsAnError(t *testing.T) {
	t.Parallel()
	h, _, _ := signInHome(t)
	stderr, end := background(h, "auth", "login", "notes", "--no-browser")
	last := elsewhere(h, stderr)
	before, _, _ := strings.Cut(last, "code=")
	_, state, _ := strings.Cut(last, "&state=")
	if out := h.Run("auth", "complete", before+"error=access_denied&state="+state); out.Code == 0 {
		t.Errorf("auth complete: %+v", out)
	}
	if code, _ := end(); code != 3 || !strings.Contains(stderr.String(), "access_denied") {
		t.Errorf("auth login: exit %d, %s", code, stderr)
	}
	if out := h.Run("auth", "login", "absent"); out.Code != 2 {
		t.Errorf("an unknown server: %+v", out)
	}
	h.Must("servers", "add", "local", "--no-start", "--", "true")
	if out := h.Run("auth", "login", "local"); out.Code != 1 || !strings.Contains(out.Stderr, "is a program on this computer") {
		t.Errorf("a local server: %+v", out)
	}
	if out := h.Must("auth"); strings.Contains(out, "local") {
		t.Errorf("auth lists a local server:\n%s", out)
	}
}
