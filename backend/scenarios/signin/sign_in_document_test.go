package signin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestClientIDDocumentOfTheSettingsIsUsedWhereServersReadIt(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	const document = "https://example.com/agent-discover.json"
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "oauth:\n  client_id_document: "+document+"\n")},
		"AGENT_DISCOVER_PASSPHRASE=a passphrase")
	for i, row := range []struct {
		name  string
		reads bool
		want  string
	}{{"reads", true, document}, {"registers", false, "registered"}} {
		var address string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answers := map[string]map[string]any{
				"/.well-known/oauth-authorization-server": {
					"issuer": address, "authorization_endpoint": address + "/authorize", "token_endpoint": address + "/token",
					"registration_endpoint": address + "/register", "code_challenge_methods_supported": []string{"S256"},
					"client_id_metadata_document_supported": row.reads,
				},
				"/register": {"client_id": "registered"},
			}
			answer, ok := answers[r.URL.Path]
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.URL.Path == "/mcp":
				w.WriteHeader(http.StatusUnauthorized)
			case !ok:
				w.WriteHeader(http.StatusNotFound)
			case r.URL.Path == "/register":
				w.WriteHeader(http.StatusCreated)
			}
			_ = json.NewEncoder(w).Encode(answer)
		}))
		defer server.Close()
		address = server.URL
		hubtest.Do(t, h, "POST", "/api/servers",
			map[string]any{"name": row.name, "transport": "streamable-http", "homepage": address + "/mcp"}, nil)
		var page operations.SignInPage
		hubtest.Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/auth/login", i+1), nil, &page)
		u, err := url.Parse(page.Address)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Query().Get("client_id"); got != row.want {
			t.Errorf("%s: the client is %q, want %q", row.name, got, row.want)
		}
		listed := []string{
			"http://127.0.0.1:13424/callback", "http://127.0.0.1:13425/callback", "http://127.0.0.1:13426/callback",
			"http://127.0.0.1:13427/callback",
		}
		if got := u.Query().Get("redirect_uri"); !slices.Contains(listed, got) {
			t.Errorf("%s: the browser returns to %s, which the guide does not list", row.name, got)
		}
	}
}
