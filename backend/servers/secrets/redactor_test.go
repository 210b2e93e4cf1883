package secrets

import (
	"strings"
	"testing"
)

func TestSensitiveNamesAreRecognized(t *testing.T) {
	for _, name := range []string{
		"GITHUB_TOKEN", "apiKey", "API-KEY", "openai_api_key", "password", "DB_PASSWORD", "clientSecret", "PAT",
		"Authorization", "AWS_SECRET_ACCESS_KEY", "session.key", "githubtoken", "connectionString", "Cookie",
		"STRIPE_KEY", "signingKey", "SIGNING-KEY", "--encryption-key", "secret_key",
	} {
		if !SensitiveName(name) {
			t.Errorf("%s is not sensitive", name)
		}
	}
	for _, name := range []string{"PATH", "path", "max_tokens", "keyboard", "author", "monkey", "HOME", "pattern", "query", "key", "KEY", "--key", "keys", "hotkey", "key_count", ""} {
		if SensitiveName(name) {
			t.Errorf("%s is sensitive", name)
		}
	}
}

// planted are invented credentials in the formats that real issuers use.
var planted = map[string]string{
	"openai":   "sk-proj-" + strings.Repeat("aB3", 12),
	"github":   "ghp_" + strings.Repeat("x9Z", 12),
	"slack":    "xoxb-123456789012-abcdefghij",
	"aws":      "AKIA" + strings.Repeat("Q", 16),
	"google":   "AIza" + strings.Repeat("k-_", 12),
	"jwt":      "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2Q",
	"huggface": "hf_" + strings.Repeat("a1", 15),
}

func TestCredentialsAreRecognizedByTheirShape(t *testing.T) {
	var r *Redactor
	for name, secret := range planted {
		for _, text := range []string{"before " + secret + " after", `{"note":"` + secret + `"}`, "x\n" + secret} {
			if got := r.Text(text); strings.Contains(got, secret) || !strings.Contains(got, Redacted) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
	}
}

func TestValuesOfSensitiveNamesAreRedacted(t *testing.T) {
	var r *Redactor
	for _, test := range []struct{ text, want string }{
		{`{"api_key":"correct-horse","path":"/tmp/notes"}`, `{"api_key":"[redacted]","path":"/tmp/notes"}`},
		{`TOKEN=abcdefgh PATH=/usr/bin`, `TOKEN=[redacted] PATH=/usr/bin`},
		{`password: hunter2hunter2`, `password: [redacted]`},
		{`{"password":"a \"quoted\" secret"}`, `{"password":"[redacted]"}`},
		{`Authorization: Bearer abcdef123456`, `Authorization: [redacted] [redacted]`},
		{`postgres://user:s3cretpw@host/db`, `postgres://user:[redacted]@host/db`},
		{`TOKEN=${secret:GITHUB}`, `TOKEN=${secret:GITHUB}`},
		{`nothing to hide: 42`, `nothing to hide: 42`},
		{`{"key":"any-value-of-a-map"}`, `{"key":"any-value-of-a-map"}`},
		{`STRIPE_KEY=abcdefgh`, `STRIPE_KEY=[redacted]`},
		{`run: server --token abcdefgh --verbose`, `run: server --token [redacted] --verbose`},
		{`--api-key 'ab cd efgh' -p 80`, `--api-key [redacted] -p 80`},
		{`-password "ab \" efgh" x`, `-password [redacted] x`},
		{`["--token", "abcd efgh", "--port", "8080"]`, `["--token", "[redacted]", "--port", "8080"]`},
		{`--api-key=abcdefgh`, `--api-key=[redacted]`},
		{`--token --verbose`, `--token --verbose`},
		{`["--token","--verbose"]`, `["--token","--verbose"]`},
		{`--token ${secret:GITHUB}`, `--token ${secret:GITHUB}`},
		{`--directory /home/someone`, `--directory /home/someone`},
	} {
		if got := r.Text(test.text); got != test.want && !strings.Contains(test.text, "Bearer") {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		} else if strings.Contains(got, "abcdef123456") {
			t.Errorf("%q became %q", test.text, got)
		}
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
	if got := r.Text("a " + key + " b"); got != "a "+Redacted+" b" {
		t.Errorf("a private key became %q", got)
	}
}

func TestKnownValuesAreRedactedAnywhere(t *testing.T) {
	r := NewRedactor(map[string]string{"MY_TOKEN": "plainlooking", "MODE": "verbose-mode", "API_KEY": "abc"})
	got := r.Text("fatal: plainlooking was refused in verbose-mode abc")
	if want := "fatal: [redacted] was refused in verbose-mode abc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongerValuesAreRedactedFirst(t *testing.T) {
	env := map[string]string{"A_TOKEN": "shared", "B_TOKEN": "shared-and-more", "C_TOKEN": "shared-and-more-again", "D_TOKEN": "shared-and"}
	r := NewRedactor(env)
	for _, value := range env {
		if got := r.Text("<" + value + ">"); got != "<"+Redacted+">" {
			t.Errorf("%s became %s", value, got)
		}
	}
}

func TestKnownValuesAreRedactedInJSON(t *testing.T) {
	value := "first \"line\"\nsecond <line>"
	r := NewRedactor(map[string]string{"MY_SECRET": value})
	plain := `"first \"line\"\nsecond <line>"`
	escaped := `"first \"line\"\nsecond \u003cline\u003e"`
	for _, text := range []string{`"` + value + `"`, plain, escaped} {
		if got := r.Text(text); got != `"`+Redacted+`"` {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestCredentialsOfACommandLineAreRedacted(t *testing.T) {
	r := ForServer(nil, []string{
		"-y", "some-package", "--token", "word-after", "--api-key=word-inside", "-e", "MY_SECRET=word-of-docker",
		"--header", "Authorization: Bearer word-of-header", "postgres://me:word-in-url@host/db", "--password", "--verbose",
		"--port", "word-of-port", "--auth", "${secret:NAME}",
	})
	for _, secret := range []string{"word-after", "word-inside", "word-of-docker", "word-of-header", "postgres://me:word-in-url@host/db"} {
		if got := r.Text("<" + secret + ">"); got != "<"+Redacted+">" {
			t.Errorf("%s became %s", secret, got)
		}
	}
	for _, plain := range []string{"some-package", "word-of-port", "--verbose", "${secret:NAME}", "--token"} {
		if got := r.Text("<" + plain + ">"); got != "<"+plain+">" {
			t.Errorf("%s became %s", plain, got)
		}
	}
}
