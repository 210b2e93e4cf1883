package vault_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// filled returns the result of Fill as JSON: [args, env] for a stdio server and
// [url, headers] for a remote one. For an error, it returns "error: " and the
// message.
func (d *fixture) filled(server string, l launch.Launch) string {
	d.t.Helper()
	out, err := d.Fill(d.t.Context(), server, l)
	if err != nil {
		return "error: " + fault.MessageOf(err)
	}
	shown := []any{out.Args, out.Env}
	if l.Transport != "stdio" {
		shown = []any{out.URL, out.Headers}
	}
	text, err := json.Marshal(shown)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

type pairs = map[string]string

func TestStdioServersGetSecretsAsVariablesAndByReference(t *testing.T) {
	for name, test := range map[string]struct {
		secrets pairs
		launch  launch.Launch
		want    string
	}{
		"none": {
			nil, launch.Launch{Args: []string{"a", "$HOME", "${other}"}, Env: pairs{"K": "v"}}, `[["a","$HOME","${other}"],{"K":"v"}]`,
		},
		"as variables": {
			pairs{"TOKEN": "v1", "A/B": "v2", "with space": "v3"},
			launch.Launch{Env: pairs{"K": "v"}},
			`[null,{"A/B":"v2","K":"v","TOKEN":"v1","with space":"v3"}]`,
		},
		"in arguments": {
			pairs{"TOKEN": "v1"},
			launch.Launch{Args: []string{"--key=${secret:TOKEN}", "${secret:TOKEN}:${secret:TOKEN}"}},
			`[["--key=v1","v1:v1"],{"TOKEN":"v1"}]`,
		},
		"in variables": {
			pairs{"TOKEN": "v1"}, launch.Launch{Env: pairs{"AUTH": "Bearer ${secret:TOKEN}"}}, `[null,{"AUTH":"Bearer v1","TOKEN":"v1"}]`,
		},
		"instead of a literal": {pairs{"TOKEN": "v1"}, launch.Launch{Env: pairs{"TOKEN": "old"}}, `[null,{"TOKEN":"v1"}]`},
		"a variable composed by the user": {
			pairs{"TOKEN": "v1"}, launch.Launch{Env: pairs{"TOKEN": "Bearer ${secret:TOKEN}"}}, `[null,{"TOKEN":"Bearer v1"}]`,
		},
		"a name with an equals sign": {pairs{"A=B": "v1"}, launch.Launch{Args: []string{"${secret:A=B}"}}, `[["v1"],{}]`},
		"a name with a slash": {
			pairs{"two/TOKEN": "mine"}, launch.Launch{Args: []string{"${secret:two/TOKEN}"}}, `[["mine"],{"two/TOKEN":"mine"}]`,
		},
		"a value that contains a reference": {
			pairs{"A": "${secret:B}", "B": "v2"},
			launch.Launch{Args: []string{"${secret:A}"}},
			`[["${secret:B}"],{"A":"${secret:B}","B":"v2"}]`,
		},
		"several lines":                     {pairs{"PEM": "a\nb"}, launch.Launch{}, `[null,{"PEM":"a\nb"}]`},
		"a reference in its URL is ignored": {nil, launch.Launch{URL: "https://x/${secret:NONE}"}, `[null,{}]`},
		"a missing secret": {
			nil,
			launch.Launch{Args: []string{"x", "${secret:TOKEN}"}},
			`error: server "one" cannot be started (args[1]): its secret "TOKEN" is not set; set it with: agent-discover secrets set one TOKEN`,
		},
		"a reference without an end": {
			pairs{"TOKEN": "v1"},
			launch.Launch{Env: pairs{"K": "${secret:TOKEN"}},
			`error: server "one" cannot be started (env.K): a reference must have the form ${secret:NAME}`,
		},
		"a reference without a name": {
			pairs{"TOKEN": "v1"},
			launch.Launch{Env: pairs{"K": "${secret:}"}},
			`error: server "one" cannot be started (env.K): a reference must have the form ${secret:NAME}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t).unlock("a passphrase")
			for secret, value := range test.secrets {
				d.set("one", secret, value)
			}
			d.set("two", "TOKEN", "of another server")
			test.launch.Transport = "stdio"
			if got := d.filled("one", test.launch); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRemoteServersGetSecretsAsHeaders(t *testing.T) {
	const address = "https://host/mcp"
	for name, test := range map[string]struct {
		secrets pairs
		launch  launch.Launch
		want    string
	}{
		"authorization verbatim": {
			pairs{"AUTHORIZATION": "Token v1"}, launch.Launch{}, `["https://host/mcp",{"Authorization":"Token v1"}]`,
		},
		"an API key as bearer": {
			pairs{"API_KEY": "v1"}, launch.Launch{}, `["https://host/mcp",{"Authorization":"Bearer v1"}]`,
		},
		"authorization before API key": {
			pairs{"API_KEY": "v1", "AUTHORIZATION": "v2"}, launch.Launch{}, `["https://host/mcp",{"Authorization":"v2"}]`,
		},
		"other names": {
			pairs{"X-Custom": "v1", "api_key": "v2"}, launch.Launch{}, `["https://host/mcp",{"X-Custom":"v1","api_key":"v2"}]`,
		},
		"instead of a literal in any case": {
			pairs{"X-CUSTOM": "v1"}, launch.Launch{Headers: pairs{"x-custom": "old"}}, `["https://host/mcp",{"X-CUSTOM":"v1"}]`,
		},
		"a variable composed by the user": {
			pairs{"API_KEY": "v1"}, launch.Launch{
				Headers: pairs{"authorization": "Key ${secret:API_KEY}"},
			}, `["https://host/mcp",{"authorization":"Key v1"}]`,
		},
		"in the URL": {
			pairs{"url:key": "v1"}, launch.Launch{URL: address + "?key=${secret:url:key}"}, `["https://host/mcp?key=v1",{}]`,
		},
		"names that no header can have":           {pairs{"A/B": "v1", "a b": "v2"}, launch.Launch{}, `["https://host/mcp",{}]`},
		"a reference in its variables is ignored": {nil, launch.Launch{Env: pairs{"K": "${secret:NONE}"}}, `["https://host/mcp",{}]`},
		"a line break in a header": {
			pairs{"X-Key": "a\r\nEvil: b"},
			launch.Launch{},
			`error: server "one" cannot be reached: a secret in headers.X-Key has a line break, which headers and URLs must not contain; set it again without line breaks`,
		},
		"a line break in the URL": {
			pairs{"url:key": "a\nb"},
			launch.Launch{URL: address + "?key=${secret:url:key}"},
			`error: server "one" cannot be reached: a secret in url has a line break, which headers and URLs must not contain; set it again without line breaks`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t).unlock("a passphrase")
			for secret, value := range test.secrets {
				d.set("one", secret, value)
			}
			test.launch.Transport = "streamable-http"
			if test.launch.URL == "" {
				test.launch.URL = address
			}
			if got := d.filled("one", test.launch); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestSecretsOfOtherServersNeedAValidLink(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("owner", "TOKEN", "correct-horse")
	user := launch.Launch{
		Transport: "stdio", Command: "run", Args: []string{"a"}, Source: "local", Env: pairs{"T": "${secret:owner/TOKEN}"},
	}
	wantDenied := func(what string, l launch.Launch, words ...string) {
		t.Helper()
		out, err := d.Fill(t.Context(), "user", l)
		wantFault(t, err, fault.Denied, append(words, `server "user"`, `"TOKEN"`, `"owner"`, "on its page in the dashboard")...)
		if strings.Contains(fmt.Sprint(out), "correct-horse") || strings.Contains(fmt.Sprint(err), "correct-horse") {
			t.Errorf("%s: got %v, %v", what, out, err)
		}
	}
	wantDenied("without a link", user, "may not use")

	if err := d.Link(t.Context(), "user", user, "owner", "TOKEN"); err != nil {
		t.Fatal(err)
	}
	if got := d.filled("user", user); got != `[["a"],{"T":"correct-horse"}]` {
		t.Errorf("with a link: got %s", got)
	}
	for what, change := range map[string]func(*launch.Launch){
		"transport": func(l *launch.Launch) { l.Transport = "" }, "command": func(l *launch.Launch) { l.Command = "other" },
		"arguments": func(l *launch.Launch) { l.Args = []string{"a", "b"} }, "URL": func(l *launch.Launch) { l.URL = "https://evil" },
		"source":     func(l *launch.Launch) { l.Source = "agent" },
		"a variable": func(l *launch.Launch) { l.Env = pairs{"T": l.Env["T"], "PATH": "/evil"} },
		"a header":   func(l *launch.Launch) { l.Headers = pairs{"X-Forwarded-Host": "evil"} },
	} {
		changed := user
		change(&changed)
		wantDenied(what, changed, "have changed since")
		if grants, err := d.Links(t.Context(), "user", changed); err != nil || len(grants) != 1 || grants[0].Holds {
			t.Errorf("after a change of %s: the link is %+v, %v", what, grants, err)
		}
	}
	if grants, err := d.Links(t.Context(), "user", user); err != nil || len(grants) != 1 || !grants[0].Holds {
		t.Errorf("the link is %+v, %v", grants, err)
	}

	if err := d.Unlink(t.Context(), "user", "owner", "TOKEN"); err != nil {
		t.Fatal(err)
	}
	wantDenied("after the link was removed", user, "may not use")
	wantFault(t, d.Link(t.Context(), "user", user, "owner", "NONE"), fault.NotFound, `no secret "NONE"`)
	wantFault(t, d.Link(t.Context(), "owner", user, "owner", "TOKEN"), fault.Invalid, "needs no link")
}

func TestLinksAreDeletedWithTheirSecret(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("owner", "TOKEN", "first")
	launch := launch.Launch{Transport: "stdio", Args: []string{"${secret:owner/TOKEN}"}}
	if err := d.Link(t.Context(), "user", launch, "owner", "TOKEN"); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), "owner", "TOKEN"); err != nil {
		t.Fatal(err)
	}
	d.set("owner", "TOKEN", "second")
	if got := d.filled("user", launch); !strings.Contains(got, "may not use") {
		t.Errorf("got %s", got)
	}
}

func TestFillFailsWhenASecretCannotBeRead(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "TOKEN", "correct-horse")
	locked := openFixture(t, d.folder, true)
	_, err := locked.Fill(t.Context(), "one", launch.Launch{Transport: "stdio"})
	wantFault(t, err, fault.Unavailable, `server "one"`, `"TOKEN"`, "secrets unlock")
	if got := locked.filled("two", launch.Launch{Transport: "stdio"}); got != "[null,{}]" {
		t.Errorf("a server without secrets gets %s", got)
	}
	if err := d.store.Secrets.PutSecret(t.Context(), vault.Record{Server: "one", Name: "GONE", Kept: vault.InFile}); err != nil {
		t.Fatal(err)
	}
	_, err = d.Fill(t.Context(), "one", launch.Launch{Transport: "stdio"})
	wantFault(t, err, fault.Failed, `"GONE"`, "secrets set one GONE")
}

func TestFillDoesNotChangeItsArguments(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "TOKEN", "correct-horse")
	args, env := []string{"${secret:TOKEN}"}, pairs{"K": "${secret:TOKEN}"}
	if _, err := d.Fill(t.Context(), "one", launch.Launch{Transport: "stdio", Args: args, Env: env}); err != nil {
		t.Fatal(err)
	}
	if args[0] != "${secret:TOKEN}" || len(env) != 1 || env["K"] != "${secret:TOKEN}" {
		t.Errorf("the arguments became %v, %v", args, env)
	}
}

func TestGivenValuesAreRedactedInEveryEncoding(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	l := launch.Launch{Transport: "stdio", Command: "x", Args: []string{"--mode=${secret:MODE}"}}
	values := pairs{
		"MODE": "correct-horse", "SHORT": "1234", "ODD": "a\"b<c>&d\\e ü/f", "AUTH": "Bearer staple-battery",
		"PEM": "-----BEGIN THING-----\nMIIEvgIBADANBg\nkqhkiG9w0BAQEF\n-----END THING-----\n",
	}
	for name, value := range values {
		d.set("one", name, value)
	}
	d.filled("one", l)
	d.set("one", "MODE", "battery-staple")
	d.filled("one", l)
	redactor := d.given.Redactor("one", l)
	for what, text := range map[string]string{
		"as it is": "correct-horse", "the newer one": "battery-staple", "in a word": "xcorrect-horsex", "short": "1234",
		"a line of a key": "MIIEvgIBADANBg", "in JSON": `a\"b<c>&d\\e ü/f`, "in JSON for pages": `a\"b\u003cc\u003e\u0026d\\e ü/f`,
		"in a query": "a%22b%3Cc%3E%26d%5Ce+%C3%BC%2Ff", "in a path": "a%22b%3Cc%3E&d%5Ce%20%C3%BC%2Ff",
		"without its scheme": "staple-battery", "in JSON in JSON": `a\\\"b<c>&d\\\\e ü/f`,
		"in JSON for pages in JSON": `a\\\"b\\u003cc\\u003e\\u0026d\\\\e ü/f`, "in JSON with slashes escaped": `a\"b<c>&d\\e ü\/f`,
		"in JSON of ASCII": `a\"b<c>&d\\e \u00fc/f`, "in that, in JSON": `a\\\"b<c>&d\\\\e \\u00fc\\/f`,
		"a whole key in JSON": `MIIEvgIBADANBg\nkqhkiG9w0BAQEF`,
	} {
		for who, redact := range map[string]func(string) string{
			"redactor of the server": redactor.Text, "redactor of all servers": d.given.Text,
		} {
			if got := redact("<" + text + ">"); strings.Contains(got, text) {
				t.Errorf("%s, %s: got %s", what, who, got)
			}
		}
	}
	if got := d.given.Redactor("two", l).Text("correct-horse 1234"); got != "[redacted] 1234" { // 1234 may be an ordinary word
		t.Errorf("redactor of another server: got %s", got)
	}
	if got := redactor.Text("nothing to hide"); got != "nothing to hide" {
		t.Errorf("got %s", got)
	}
}
