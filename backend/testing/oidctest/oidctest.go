// Package oidctest runs oidc-provider, a real authorization server, and MCP servers that accept its tokens. It also
// acts as the browsers of people who sign in there.
package oidctest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

//go:embed provider.mjs
var script []byte

// Provider is oidc-provider in a process of its own. Its tokens are valid for a minute.
type Provider struct {
	Issuer string
	t      testing.TB
	folder string // folder of its program and its data
	stop   func()
}

// Start starts a provider. If it is not installed, the test is skipped.
func Start(t testing.TB) *Provider {
	t.Helper()
	mcptest.Package(t, "oidc-provider")
	p := &Provider{t: t, folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.folder, "provider.mjs"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	p.start("0")
	t.Cleanup(p.Stop)
	return p
}

func (p *Provider) data() string { return filepath.Join(p.folder, "data.json") }

func (p *Provider) start(port string) {
	p.t.Helper()
	packages := filepath.Dir(filepath.Dir(mcptest.Package(p.t, "oidc-provider")))
	cmd := exec.Command(mcptest.Node(p.t), filepath.Join(p.folder, "provider.mjs"), packages, port, p.data())
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.stop = func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http://") {
			p.Issuer = lines.Text()
			return
		}
	}
	p.t.Fatal("the provider did not start")
}

// Stop stops the provider.
func (p *Provider) Stop() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

// Restart starts a stopped provider at the same address, with the same data.
func (p *Provider) Restart() {
	p.t.Helper()
	u, err := url.Parse(p.Issuer)
	if err != nil {
		p.t.Fatal(err)
	}
	p.start(u.Port())
}

// Lose removes the data of a stopped provider.
func (p *Provider) Lose() {
	p.t.Helper()
	if err := os.Remove(p.data()); err != nil {
		p.t.Fatal(err)
	}
}

// Token is the provider's record of a token.
type Token struct {
	Active              bool
	Account, Aud, Scope string
}

// Token returns the provider's record of a token.
func (p *Provider) Token(value string) (t Token) {
	p.ask("/test/token", url.Values{"value": {value}}, &t)
	return t
}

// Issued returns how often the provider has issued tokens of a grant type since it was
// started.
func (p *Provider) Issued(grant string) int {
	var issued map[string]int
	p.ask("/test/issued", nil, &issued)
	return issued[grant]
}

// Revoke revokes the token in an Authorization header. If all is set, it also revokes the sign-in and the refresh
// token that belong to the token.
func (p *Provider) Revoke(header string, all bool) {
	query := url.Values{"value": {strings.TrimPrefix(header, "Bearer ")}}
	if all {
		query.Set("all", "1")
	}
	p.ask("/test/revoke", query, nil)
}

// ask sends a request to the test operations of the provider.
func (p *Provider) ask(path string, query url.Values, answer any) {
	response, err := http.Get(p.Issuer + path + "?" + query.Encode())
	if err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	if answer != nil {
		_ = json.NewDecoder(response.Body).Decode(answer)
	}
}

// Browse opens an address as the browser of a person who signs in as account. It returns the status and the body of
// the last page, and the address of the last redirect. If stop is not empty, Browse does not open an address that begins with it.
func Browse(t testing.TB, address, account, stop string) (status int, body, last string) {
	t.Helper()
	jar, _ := cookiejar.New(nil) // fails only with options
	client := &http.Client{Jar: jar, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		last = next.URL.String()
		if stop != "" && strings.HasPrefix(last, stop) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Account", account)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), last
}
