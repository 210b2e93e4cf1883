package links

import "testing"

func TestAnAddressShowsAPageAndNothingElse(t *testing.T) {
	for address, want := range map[string]string{
		"agentdiscover://servers":             "/servers",
		"agentdiscover://Tools/":              "/tools",
		"AGENTDISCOVER://activity":            "/activity",
		"agentdiscover://approvals":           "",
		"agentdiscover://test/memory":         "",
		"agentdiscover://servers/memory":      "",
		"agentdiscover://servers?add=x":       "",
		"agentdiscover://servers#x":           "",
		"agentdiscover://a:b@servers":         "",
		"agentdiscover:servers":               "",
		"agentdiscover://servers/../test":     "",
		"agentdiscover://servers\" --page /x": "",
		"https://servers":                     "",
		"":                                    "",
		"agentdiscover://%73ervers":           "",
		"agentdiscover://servers\x00":         "",
	} {
		if got := Page(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
