package dashboard_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// pageClient is a dashboard page in a browser: its keys, and the session that it keeps in memory.
type pageClient struct {
	t            *testing.T
	page, reload *ecdsa.PrivateKey

	Token, Session string
	ProofKey       string `json:"proof_key"`
}

// openPage starts a page session: it exchanges a ticket for a token.
func openPage(t *testing.T, h *hub.Hub) *pageClient {
	t.Helper()
	var issued struct{ Ticket string }
	hubtest.Do(t, h, "POST", "/api/tickets", map[string]string{"purpose": "page"}, &issued)
	p := &pageClient{t: t, page: newKey(t), reload: newKey(t)}
	body := p.body(map[string]string{"ticket": issued.Ticket, "page_key": point(t, p.page), "reload_key": point(t, p.reload)})
	if status := p.fetch(h, "POST", "/api/session", body, p); status != 200 || len(p.Token) != 64 || p.Session == "" ||
		strings.Contains(p.Token, p.Session) {
		t.Fatalf("the exchange of the ticket returned %d, session %q", status, p.Session)
	}
	return p
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// point returns a public key as WebCrypto exports it, in hexadecimal.
func point(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	raw, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(raw)
}

func (p *pageClient) body(fields map[string]string) string {
	p.t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// resume signs a challenge with a key and exchanges it for a new token. It returns the
// status of the answer.
func (p *pageClient) resume(h *hub.Hub, key *ecdsa.PrivateKey) (status int) {
	p.t.Helper()
	p.Token = ""
	var given struct{ Challenge, Instance string }
	if status := p.fetch(h, "POST", "/api/session/challenge", p.body(map[string]string{"session": p.Session}), &given); status != 200 {
		return status
	}
	_, port, _ := strings.Cut(h.Info().Address(), ":")
	signed := sha256.Sum256([]byte(strings.Join([]string{
		"agent-discover", "resume", given.Instance, "127.0.0.1:" + port, p.Session, given.Challenge,
	}, "\n")))
	r, s, err := ecdsa.Sign(rand.Reader, key, signed[:])
	if err != nil {
		p.t.Fatal(err)
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return p.fetch(h, "POST", "/api/session/resume", p.body(map[string]string{
		"session": p.Session, "challenge": given.Challenge, "signature": hex.EncodeToString(signature),
		"page_key": point(p.t, p.page),
	}), p)
}

// fetch sends a request as the page does, decodes the answer into out unless that is
// nil, and returns the status.
func (p *pageClient) fetch(h *hub.Hub, method, path, body string, out any) (status int) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, "http://"+h.Info().Address()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Origin", "http://"+h.Info().Address())
	if p.Token != "" && !strings.HasPrefix(path, "/hello") {
		req.Header.Set("Authorization", "Bearer "+p.Token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if out != nil {
		if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
			p.t.Fatal(err)
		}
	}
	return resp.StatusCode
}

// verify requests a proof that the hub knows the page's session, as the comment of
// instance.Hello describes. It returns the answer and whether the proof is valid.
func (p *pageClient) verify(h *hub.Hub, nonce string) (instance.Hello, bool) {
	p.t.Helper()
	_, port, _ := strings.Cut(h.Info().Address(), ":")
	var hello instance.Hello
	if status := p.fetch(h, "GET", "/hello?nonce="+nonce+"&session="+url.QueryEscape(p.Session), "", &hello); status != 200 {
		p.t.Fatalf("/hello returned %d", status)
	}
	signed := strings.Join([]string{"agent-discover", "session", "127.0.0.1:" + port, nonce, hello.Nonce}, "\n")
	mac := hmac.New(sha256.New, []byte(p.ProofKey))
	mac.Write([]byte(signed))
	proof, err := hex.DecodeString(hello.SessionProof)
	return hello, err == nil && hmac.Equal(proof, mac.Sum(nil))
}

func TestPageSessionSurvivesARestartOfTheHub(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	before, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	page, other := openPage(t, before), openPage(t, before)
	before.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	file := folder.Run("sessions.json")
	kept, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(kept), page.Token) || strings.Contains(string(kept), point(t, page.reload)) ||
		!strings.Contains(string(kept), page.Session) {
		t.Errorf("error %v; sessions.json must contain the session, and neither the token nor the key in the browser's storage: %s",
			err, kept)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("error %v; the mode of sessions.json is %v", err, info.Mode())
	}

	_, port, _ := strings.Cut(before.Info().Address(), ":")
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder}, "AGENT_DISCOVER_PORT="+port)
	hello, known := page.verify(h, instance.NewSecret())
	if !known || hello.SessionProof == hello.Proof {
		t.Errorf("the hub does not prove that it knows the session: %+v", hello)
	}
	if status := page.fetch(h, "GET", "/api/servers", "", nil); status != 401 {
		t.Errorf("a request with the token of the ended hub returned %d, want 401", status)
	}
	stored := *other
	if status := stored.resume(h, stored.reload); status != 401 {
		t.Errorf("resuming with the key in the browser's storage returned %d, want 401", status)
	}
	if status := page.resume(h, page.page); status != 200 {
		t.Errorf("resuming returned %d", status)
	}
	if status := page.fetch(h, "GET", "/api/servers", "", nil); status != 200 {
		t.Errorf("a request with the page's token returned %d", status)
	}
	var ticket struct{ Ticket string }
	page.fetch(h, "POST", "/api/tickets", `{"purpose":"socket"}`, &ticket)
	if conn, _, err := hubtest.Dial(t, h, "/ws?ticket="+ticket.Ticket, nil); err != nil {
		t.Errorf("the page could not open a socket: %v", err)
	} else {
		_ = conn.CloseNow()
	}
	hello, known = page.verify(h, instance.NewSecret())
	if !known {
		t.Error("the hub does not prove that it knows the new session")
	}

	// A proof is valid only for the nonce and the session for which the hub made it.
	if again, _ := page.verify(h, "again"); again.SessionProof == hello.SessionProof {
		t.Error("two nonces have the same proof")
	}
	impostor := &pageClient{t: t, ProofKey: other.ProofKey, Session: page.Session}
	if _, known := impostor.verify(h, "nonce"); known {
		t.Error("the proof for one page is valid for the token of another")
	}
	for _, id := range []string{"", "x", page.Token, strings.Repeat("x", 64)} {
		impostor.Session = id
		if hello, known := impostor.verify(h, "nonce"); known || hello.SessionProof != "" {
			t.Errorf("the hub returned a proof for the session %q", id)
		}
	}

	if status := page.fetch(h, "POST", "/api/session/end", "", nil); status != 200 {
		t.Errorf("ending the session returned %d", status)
	}
	if hello, known := page.verify(h, "nonce"); known || hello.SessionProof != "" {
		t.Error("the hub returned a proof for an ended session")
	}
	if kept, err := os.ReadFile(file); err != nil || strings.Contains(string(kept), page.Session) ||
		!strings.Contains(string(kept), other.Session) {
		t.Errorf("error %v; sessions.json must contain only the other session: %s", err, kept)
	}
	if status := page.fetch(h, "GET", "/api/servers", "", nil); status != 401 {
		t.Errorf("a request after the end of the session returned %d, want 401", status)
	}
}

func TestAReloadedPageResumesUntilTheHubEnds(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	before, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	page := openPage(t, before)
	first := page.Token
	for range 2 {
		if status := page.resume(before, page.reload); status != 200 || page.Token == first {
			t.Fatalf("resuming returned %d", status)
		}
		if status := page.fetch(before, "GET", "/api/servers", "", nil); status != 200 {
			t.Errorf("a request with the new token returned %d", status)
		}
	}
	before.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(before.Info().Address(), ":")
	for name, env := range map[string][]string{"the same port": {"AGENT_DISCOVER_PORT=" + port}, "another port": nil} {
		h, ended := hubtest.RunHub(t, hub.Options{Folder: folder}, env...)
		after := *page
		if status := after.resume(h, page.reload); status != 401 {
			t.Errorf("on %s, a reloaded page got %d from the next hub, want 401", name, status)
		}
		if name == "another port" {
			if status := after.resume(h, page.page); status != 401 {
				t.Errorf("on %s, an open page got %d from the next hub, want 401", name, status)
			}
		}
		h.Stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageExchangesATicketForASession(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	post := func(path, token, body string) (int, map[string]any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.Info().Address()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, out
	}
	expect := func(what string, want, got int, out map[string]any) {
		t.Helper()
		if got != want || want >= 400 && out["error"] == nil {
			t.Errorf("%s: %d %v, want %d", what, got, out, want)
		}
	}

	code, out := post("/api/tickets", h.Info().Token, `{"purpose":"page"}`)
	expect("ticket for a page", 201, code, out)
	ticket, _ := out["ticket"].(string)
	code, out = post("/api/session", "", `{"ticket":"`+ticket+`"}`)
	expect("exchange of the ticket", 200, code, out)
	session, _ := out["token"].(string)
	if len(session) != 64 || session == h.Info().Token || out["expires_at"] == nil {
		t.Errorf("the session is %v", out)
	}
	code, out = post("/api/session", "", `{"ticket":"`+ticket+`"}`)
	expect("second exchange of the ticket", 401, code, out)
	code, out = post("/api/session", "", `{}`)
	expect("exchange without a ticket", 401, code, out)
	code, out = post("/api/session", "", `[]`)
	expect("exchange with an invalid body", 422, code, out)
	code, out = post("/api/session", "", `{"page_key":"04"}`)
	expect("exchange with an invalid key", 422, code, out)
	code, out = post("/api/session/challenge", "", `{"session":"unknown"}`)
	expect("challenge for an unknown session", 401, code, out)
	code, out = post("/api/session/resume", "", `{"session":"unknown","challenge":"x","signature":"00"}`)
	expect("resuming an unknown session", 401, code, out)
	code, out = post("/api/session/resume", "", `{"signature":"x"}`)
	expect("resuming with an invalid signature", 422, code, out)
	code, out = post("/api/tickets", h.Info().Token, `{"purpose":"socket","file":true}`)
	expect("ticket for a socket in a file", 422, code, out)
	code, out = post("/api/tickets", h.Info().Token, `{"purpose":"page","file":true,"snap":"../x"}`)
	expect("ticket in a folder that is no snap's", 422, code, out)
	code, out = post("/api/tickets", h.Info().Token, `{"purpose":"all"}`)
	expect("ticket for an unknown purpose", 422, code, out)
	code, out = post("/api/tickets", "", `{"purpose":"page"}`)
	expect("ticket without a token", 401, code, out)
	code, out = post("/api/tickets", session, `{"purpose":"page"}`)
	expect("ticket for a page, requested by a page", 403, code, out)
	code, out = post("/api/servers", session, `{"name":"one"}`)
	if code != 201 {
		t.Errorf("the session may not write: %d %v", code, out)
	}
	code, out = post("/api/tickets", session, `{"purpose":"socket"}`)
	expect("ticket for a socket", 201, code, out)
	conn, _, err := hubtest.Dial(t, h, "/?ticket="+out["ticket"].(string), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &hubtest.Socket{T: t, Conn: conn}
	s.Next()

	code, out = post("/api/session/end", h.Info().Token, ``)
	expect("end of the hub's own token", 422, code, out)
	code, out = post("/api/session/end", session, ``)
	expect("end of the session", 200, code, out)
	if code, reason := s.AwaitClose(); code != 1008 || reason != "the session has ended" {
		t.Errorf("the socket of the session was closed with %d %q", code, reason)
	}
	code, out = post("/api/servers", session, `{"name":"two"}`)
	expect("request after the end", 401, code, out)
}
