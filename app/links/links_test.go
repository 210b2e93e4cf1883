package links

import (
	"strings"
	"testing"
)

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

func TestAnAddressToInstallShowsAPlanAndBringsNoAnswers(t *testing.T) {
	const invalid = "/browse?link=invalid"
	for address, want := range map[string]string{
		"agentdiscover://install?id=npm:@scope/name":                          "/browse/npm:@scope%2Fname?link=1&step=install",
		"agentdiscover://install/?id=pypi%3Amcp-server-time":                  "/browse/pypi:mcp-server-time?link=1&step=install",
		"AgentDiscover://Install?id=official:io.github.a/b&version=1.2.0%2Bx": "/browse/official:io.github.a%2Fb?link=1&step=install&version=1.2.0%2Bx",
		"agentdiscover://install?id=official:a/b&option=streamable-http-2":    "/browse/official:a%2Fb?link=1&option=streamable-http-2&step=install",
		"agentdiscover://install":                                             invalid,
		"agentdiscover://install?id=":                                         invalid,
		"agentdiscover://install?id=weather":                                  invalid,
		"agentdiscover://install?id=npm:a&id=npm:b":                           invalid,
		"agentdiscover://install?id=npm:a&API_KEY=x":                          invalid,
		"agentdiscover://install?id=npm:a&answers=x":                          invalid,
		"agentdiscover://install?id=npm:a&step=done":                          invalid,
		"agentdiscover://install?id=npm:..":                                   invalid,
		"agentdiscover://install?id=npm:a/../b":                               invalid,
		"agentdiscover://install?id=npm:a/b/c":                                invalid,
		"agentdiscover://install?id=npm:a%3Bb":                                invalid,
		"agentdiscover://install?id=npm:a%20b":                                invalid,
		"agentdiscover://install?id=npm:$(x)":                                 invalid,
		"agentdiscover://install?id=npm:n%C3%A4me":                            invalid,
		"agentdiscover://install?id=npm:a%E2%80%8Bb":                          invalid,
		"agentdiscover://install?id=npm:a%0Ab":                                invalid,
		"agentdiscover://install?id=npm:a&option=-x":                          invalid,
		"agentdiscover://install?id=npm:a&version=--registry":                 invalid,
		"agentdiscover://install?id=%zz":                                      invalid,
		"agentdiscover://install?id=npm:a#x":                                  invalid,
		"agentdiscover://install/npm:a":                                       invalid,
		"agentdiscover://a:b@install?id=npm:a":                                "",
		"agentdiscover:install?id=npm:a":                                      invalid,
		"agentdiscover://install?id=npm:a\" --page /approvals":                invalid,
		"agentdiscover://installed":                                           "",
		"https://install?id=npm:a":                                            "",
		"agentdiscover://install?id=npm:" + strings.Repeat("a", 101):          invalid,
	} {
		if got := Page(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
