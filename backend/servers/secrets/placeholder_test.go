package secrets_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

func TestReferencesInAURLAreShown(t *testing.T) {
	for _, address := range []string{
		"https://${secret:API_TOKEN}@h/mcp", "https://${secret:USER_TOKEN}:${secret:URL_PASSWORD}@h/mcp", "https://me:${secret:URL_PASSWORD}@h/mcp",
		"https://h/mcp?token=${secret:AUTHORIZATION}", "https://h/${secret:url:segment}/mcp?key=${secret:other/API_KEY}",
	} {
		l := secrets.Launch{Transport: "sse", URL: address, Headers: pairs{"Authorization": "Bearer ${secret:AUTHORIZATION}"}}
		if got := secrets.ForLaunch(l).Text(address); got != address {
			t.Errorf("%s is shown as %s", address, got)
		}
		if got := secrets.Literals(l); len(got) > 0 {
			t.Errorf("%s has the credential %v", address, got)
		}
	}
	l := secrets.Launch{Transport: "sse", URL: "https://${secret:USER}:hunter22hunter22@h/mcp"}
	if got := secrets.ForLaunch(l).Text(l.URL); got != "https://${secret:USER}:[redacted]@h/mcp" {
		t.Errorf("%s is shown as %s", l.URL, got)
	}
}
