package redact_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

func TestReferencesInAURLAreShown(t *testing.T) {
	for _, address := range []string{
		"https://${secret:API_TOKEN}@h/mcp", "https://${secret:USER_TOKEN}:${secret:URL_PASSWORD}@h/mcp",
		"https://me:${secret:URL_PASSWORD}@h/mcp", "https://h/mcp?token=${secret:AUTHORIZATION}",
		"https://h/${secret:url:segment}/mcp?key=${secret:other/API_KEY}",
	} {
		l := launch.Launch{Transport: "sse", URL: address, Headers: pairs{"Authorization": "Bearer ${secret:AUTHORIZATION}"}}
		if got := redact.ForLaunch(l).Text(address); got != address {
			t.Errorf("%s is shown as %s", address, got)
		}
		if got := launch.Literals(l); len(got) > 0 {
			t.Errorf("%s has the credential %v", address, got)
		}
	}
	l := launch.Launch{Transport: "sse", URL: "https://${secret:USER}:hunter22hunter22@h/mcp"}
	if got := redact.ForLaunch(l).Text(l.URL); got != "https://${secret:USER}:[redacted]@h/mcp" {
		t.Errorf("%s is shown as %s", l.URL, got)
	}
}

func TestCredentialsOfHeadersAndURLsAreRedacted(t *testing.T) {
	r := redact.ForLaunch(launch.Launch{
		Headers: pairs{"X-Api-Key": "plain-looking", "Accept": "text/plain"}, URL: "https://host/mcp?token=abc%2Fdefgh",
	})
	for text, want := range map[string]string{
		"<plain-looking>": "<[redacted]>", "<abc%2Fdefgh>": "<[redacted]>", "<abc/defgh>": "<[redacted]>", "<text/plain>": "<text/plain>",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}
