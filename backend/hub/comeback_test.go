package hub_test

import (
	"crypto/hmac"
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
)

// tab is a page in a browser: all that it has is in its sessionStorage.
type tab struct {
	t              *testing.T
	Token, Session string
}

// enter exchanges a ticket.
func enter(t *testing.T, h *hub.Hub) *tab {
	t.Helper()
	var issued struct{ Ticket string }
	do(t, h, "POST", "/api/tickets", map[string]string{"purpose": "page"}, &issued)
	p := &tab{t: t}
	if status := p.fetch(h, "POST", "/api/session", `{"ticket":"`+issued.Ticket+`"}`, p); status != 200 || len(p.Token) != 64 || p.Session == "" || strings.Contains(p.Token, p.Session) {
		t.Fatalf("the exchange gives %d, session %q", status, p.Session)
	}
	return p
}

func (p *tab) fetch(h *hub.Hub, method, path, body string, out any) (status int) {
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

// knows does what the comment of instance.Hello tells a page to do, and returns
// what the hub said, too.
func (p *tab) knows(h *hub.Hub, nonce string) (instance.Hello, bool) {
	p.t.Helper()
	_, port, _ := strings.Cut(h.Info().Address(), ":")
	hash := sha256.Sum256([]byte(p.Token))
	var hello instance.Hello
	if status := p.fetch(h, "GET", "/hello?nonce="+nonce+"&session="+url.QueryEscape(p.Session), "", &hello); status != 200 {
		p.t.Fatalf("hello gives %d", status)
	}
	said := strings.Join([]string{"agent-discover", "session", "127.0.0.1:" + port, nonce, hello.Nonce}, "\n")
	mac := hmac.New(sha256.New, hash[:])
	mac.Write([]byte(said))
	proof, err := hex.DecodeString(hello.SessionProof)
	return hello, err == nil && hmac.Equal(proof, mac.Sum(nil))
}

func TestAPageComesBackAfterARestartOfTheHub(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	before, ended := runHub(t, hub.Options{Folder: folder})
	page, other := enter(t, before), enter(t, before)
	before.Stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	file := folder.Run("sessions.json")
	kept, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(kept), page.Token) || !strings.Contains(string(kept), page.Session) {
		t.Errorf("%v; kept is %s", err, kept)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v; its mode is %v", err, info.Mode())
	}

	h, _ := runHub(t, hub.Options{Folder: folder})
	hello, known := page.knows(h, instance.NewSecret())
	if !known || hello.SessionProof == hello.Proof {
		t.Errorf("the hub does not prove that it knows the page: %+v", hello)
	}
	if status := page.fetch(h, "GET", "/api/servers", "", nil); status != 200 {
		t.Errorf("its token gets %d", status)
	}
	var ticket struct{ Ticket string }
	page.fetch(h, "POST", "/api/tickets", `{"purpose":"socket"}`, &ticket)
	if conn, _, err := dial(t, h, "/ws?ticket="+ticket.Ticket, nil); err != nil {
		t.Errorf("its socket: %v", err)
	} else {
		_ = conn.CloseNow()
	}

	// Nothing of that helps anybody else.
	if again, _ := page.knows(h, "again"); again.SessionProof == hello.SessionProof {
		t.Error("the proof can be used again")
	}
	stranger := &tab{t: t, Token: other.Token, Session: page.Session}
	if _, known := stranger.knows(h, "nonce"); known {
		t.Error("one page's proof is good for another's token")
	}
	for _, id := range []string{"", "x", page.Token, strings.Repeat("x", 64)} {
		stranger.Session = id
		if hello, known := stranger.knows(h, "nonce"); known || hello.SessionProof != "" {
			t.Errorf("there is a proof for the session %q", id)
		}
	}

	if status := page.fetch(h, "POST", "/api/session/end", "", nil); status != 200 {
		t.Errorf("its end gets %d", status)
	}
	if hello, known := page.knows(h, "nonce"); known || hello.SessionProof != "" {
		t.Error("the hub knows a session that has ended")
	}
	if kept, err := os.ReadFile(file); err != nil || strings.Contains(string(kept), page.Session) || !strings.Contains(string(kept), other.Session) {
		t.Errorf("%v; kept is %s", err, kept)
	}
	if status := page.fetch(h, "GET", "/api/servers", "", nil); status != 401 {
		t.Errorf("its token gets %d after its end", status)
	}
}
