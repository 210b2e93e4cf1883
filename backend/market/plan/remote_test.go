package plan

import (
	"maps"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

func remotes(all ...listing.Remote) listing.Listing {
	return listing.Listing{Source: listing.Official, Name: "com.example/weather", Version: "1.0.0", Remotes: all}
}

func TestAddressesAndHeadersOfRemoteServers(t *testing.T) {
	secret := listing.Input{Required: true, Secret: true}
	for _, test := range []struct {
		name    string
		remote  listing.Remote
		answers map[string][]string
		url     string
		headers map[string]string
		secrets map[string]string
	}{
		{"no inputs", listing.Remote{Type: "streamable-http", URL: "https://x.example/mcp"}, nil, "https://x.example/mcp", nil, nil},
		{"sse", listing.Remote{Type: "sse", URL: "https://x.example/sse"}, nil, "https://x.example/sse", nil, nil},
		{
			"path", listing.Remote{
				Type: "streamable-http", URL: "https://x.example/mcp/{tenant}",
				Variables: map[string]listing.Input{"tenant": {Required: true}},
			}, map[string][]string{"tenant": {"eu/a b&c?#"}}, "https://x.example/mcp/eu/a%20b%26c%3F%23", nil, nil,
		},
		{
			"query",
			listing.Remote{
				Type: "streamable-http", URL: "https://x.example/mcp?key={key}&v=1",
				Variables: map[string]listing.Input{"key": {Secret: true}},
			},
			map[string][]string{"key": {"a&b"}},
			"https://x.example/mcp?key=${secret:url:key}&v=1", nil,
			map[string]string{"url:key": "a%26b"},
		},
		{
			"host", listing.Remote{
				Type: "streamable-http", URL: "https://{t}.x.example:{port}/mcp", Variables: map[string]listing.Input{
					"t": {}, "port": {Format: "number", Default: "443"},
				},
			}, map[string][]string{"t": {"eu"}}, "https://eu.x.example:443/mcp", nil, nil,
		},
		{
			"whole address",
			listing.Remote{Type: "streamable-http", URL: "{base}/mcp", Variables: map[string]listing.Input{"base": {}}},
			map[string][]string{"base": {"https://me.example/"}},
			"https://me.example/mcp", nil, nil,
		},
		{
			"a default", listing.Remote{
				Type: "streamable-http", URL: "{scheme}://x.example", Variables: map[string]listing.Input{"scheme": {Default: "https"}},
			}, nil, "https://x.example", nil, nil,
		},
		{
			"headers",
			listing.Remote{Type: "streamable-http", URL: "https://x.example/mcp", Headers: []listing.Field{
				{Name: "X-API-Key", Input: secret},
				{
					Name: "Authorization", Input: listing.Input{Value: "Bearer {token}", Secret: true},
					Variables: map[string]listing.Input{"token": {Required: true}},
				},
				{Name: "X-Region", Input: listing.Input{Default: "us", Choices: []string{"us", "eu"}}},
				{Name: "X-Optional"},
				{Name: "X-Team", Input: listing.Input{Value: "{team}"}, Variables: map[string]listing.Input{"team": {}}},
				{Name: "X-Fixed", Input: listing.Input{Value: "1"}},
			}},
			map[string][]string{"X-API-Key": {"k"}, "token": {"t"}},
			"https://x.example/mcp",
			map[string]string{
				"X-API-Key": "${secret:X-API-Key}", "Authorization": "Bearer ${secret:Authorization:token}",
				"X-Region": "us", "X-Fixed": "1",
			},
			map[string]string{"X-API-Key": "k", "Authorization:token": "t"},
		},
		{
			"the same variable in two headers",
			listing.Remote{Type: "sse", URL: "https://x.example/sse", Headers: []listing.Field{
				{Name: "X-A", Input: listing.Input{Value: "{token}"}, Variables: map[string]listing.Input{"token": {}}},
				{Name: "X-B", Input: listing.Input{Value: "{token}"}, Variables: map[string]listing.Input{"token": {}}},
			}},
			map[string][]string{"token": {"a"}, "X-B.token": {"b"}},
			"https://x.example/sse",
			map[string]string{"X-A": "${secret:X-A:token}", "X-B": "${secret:X-B:token}"},
			map[string]string{"X-A:token": "a", "X-B:token": "b"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustMake(t, Request{Listing: remotes(test.remote), Answers: test.answers}, here())
			if err := p.Check(); err != nil {
				t.Fatalf("%v: %+v", err, p.Questions)
			}
			if p.Server.URL != test.url || p.URL != test.url || p.Server.Transport != test.remote.Type || p.Server.Command != "" {
				t.Errorf("the server is %+v", p.Server)
			}
			if !maps.Equal(p.Server.Headers, test.headers) {
				t.Errorf("headers are %v", p.Server.Headers)
			}
			if !maps.Equal(p.Values(), test.secrets) {
				t.Errorf("secrets are %v", p.Values())
			}
			if p.Risk.Consequence == "" || p.Hash == "" {
				t.Errorf("risk is %+v, hash %q", p.Risk, p.Hash)
			}
		})
	}
}

func TestAnswersCannotMoveAnAddress(t *testing.T) {
	for _, test := range []struct{ url, answer string }{
		{"https://{v}.x.example/mcp", "evil.example/"},
		{"https://{v}.x.example/mcp", "evil.example#"},
		{"https://{v}.x.example/mcp", "a@evil.example:1"},
		{"https://x.example:{v}/mcp", "80a"},
		{"https://x.example/a/{v}/b", "../../admin"},
		{"https://x.example/a/{v}/b", "a\r\nX: 1"},
		{"{v}/mcp", "file:///etc/passwd"},
		{"{v}/mcp", "javascript:alert(1)"},
		{"{v}/mcp", "https://user:pw@x.example"},
		{"{v}/mcp", "https://x.example/?a="},
		{"{v}@evil.example/mcp", "https://x.example"},
		{"{v}://x.example/mcp", "ftp"},
	} {
		p := mustMake(t, Request{
			Listing: remotes(listing.Remote{Type: "streamable-http", URL: test.url, Variables: map[string]listing.Input{"v": {}}}),
			Answers: map[string][]string{"v": {test.answer}},
		}, here())
		if missing := p.Unanswered(); len(missing) != 1 || missing[0].Name != "v" || missing[0].Why == "" || p.Server.URL != "" {
			t.Errorf("%s with %q leads to %s: %+v, %s", test.url, test.answer, p.URL, p.Questions, p.Problem)
		}
	}
}

func TestAHeaderIsSetOnce(t *testing.T) {
	p := mustMake(t, Request{Listing: remotes(listing.Remote{Type: "sse", URL: "https://x.example", Headers: []listing.Field{
		{Name: "X-Team", Input: listing.Input{Value: "a"}}, {Name: "x-team", Input: listing.Input{Value: "b"}},
	}})}, here())
	if !maps.Equal(p.Server.Headers, map[string]string{"X-Team": "a"}) {
		t.Errorf("headers are %v", p.Server.Headers)
	}
}

func TestHeadersCannotBeSplit(t *testing.T) {
	l := remotes(listing.Remote{
		Type: "sse", URL: "https://x.example", Headers: []listing.Field{{Name: "X-Team", Input: listing.Input{Required: true}}},
	})
	if p := mustMake(t, Request{Listing: l, Answers: map[string][]string{"X-Team": {"a\r\nHost: evil"}}},
		here()); len(p.Unanswered()) != 1 || p.Headers["X-Team"] != "" {
		t.Errorf("headers are %q", p.Headers)
	}
}

func TestHostileRemotesAreRefused(t *testing.T) {
	field := func(name, value string) []listing.Field {
		return []listing.Field{{Name: name, Input: listing.Input{Value: value}}}
	}
	for name, r := range map[string]listing.Remote{
		"another type":            {Type: "stdio", URL: "https://x.example"},
		"no address":              {Type: "sse"},
		"another scheme":          {Type: "sse", URL: "file:///etc/passwd"},
		"a user name":             {Type: "sse", URL: "https://a:b@x.example"},
		"a space":                 {Type: "sse", URL: "https://x.example/a b"},
		"a hidden character":      {Type: "sse", URL: "https://x.example/\u202e"},
		"an unexplained variable": {Type: "sse", URL: "https://x.example/{tenant}"},
		"the user's environment":  {Type: "sse", URL: "https://x.example/?k=${env:AWS_SECRET_ACCESS_KEY}"},
		"a secret of another":     {Type: "sse", URL: "https://x.example", Headers: field("X-A", "${secret:github/TOKEN}")},
		"an environment in a default": {
			Type: "sse", URL: "https://x.example", Headers: []listing.Field{{Name: "X-A", Input: listing.Input{Default: "${env:HOME}"}}},
		},
		"a header with a break":    {Type: "sse", URL: "https://x.example", Headers: field("X-A\r\nHost", "x")},
		"a value with a break":     {Type: "sse", URL: "https://x.example", Headers: field("X-A", "x\r\nHost: y")},
		"a header of the protocol": {Type: "sse", URL: "https://x.example", Headers: field("mcp-session-id", "x")},
		"the host":                 {Type: "sse", URL: "https://x.example", Headers: field("host", "evil.example")},
	} {
		p := mustMake(t, Request{Listing: remotes(r)}, here())
		if p.Problem == "" || p.Option.Problem != p.Problem || p.URL != "" || p.Server.URL != "" || len(p.Headers) > 0 || p.Check() == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
	p := mustMake(t, Request{
		Listing: remotes(listing.Remote{
			Type: "sse", URL: "https://{k}.x.example", Variables: map[string]listing.Input{"k": {Secret: true}},
		}), Answers: map[string][]string{"k": {"abc"}},
	}, here())
	if !strings.Contains(p.Problem, "secret in the name of the host") {
		t.Errorf("a secret leads to an unknown host: %+v", p)
	}
}

func TestUnencryptedAddressesAreNoted(t *testing.T) {
	for url, noted := range map[string]bool{"http://x.example": true, "http://127.0.0.1:3000": false, "https://x.example": false} {
		p := mustMake(t, Request{Listing: remotes(listing.Remote{Type: "sse", URL: url})}, here())
		if got := strings.Contains(strings.Join(p.Notes, " "), "not encrypted"); got != noted {
			t.Errorf("%s: notes are %q", url, p.Notes)
		}
	}
}
