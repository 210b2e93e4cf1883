package secrets

import (
	"strings"
	"testing"
)

func TestNamesOfCredentials(t *testing.T) {
	for _, name := range []string{
		"GITHUB_TOKEN", "apiKey", "API-KEY", "openai_api_key", "password", "DB_PASSWORD", "clientSecret", "PAT",
		"Authorization", "AWS_SECRET_ACCESS_KEY", "session.key", "githubtoken", "connectionString", "Cookie",
	} {
		if !SensitiveName(name) {
			t.Errorf("%s names a credential", name)
		}
	}
	for _, name := range []string{"PATH", "path", "max_tokens", "keyboard", "author", "monkey", "HOME", "pattern", "query", ""} {
		if SensitiveName(name) {
			t.Errorf("%s names no credential", name)
		}
	}
}

// planted credentials are made up; each has the shape that its issuer uses.
var planted = map[string]string{
	"openai":   "sk-proj-" + strings.Repeat("aB3", 12),
	"github":   "ghp_" + strings.Repeat("x9Z", 12),
	"slack":    "xoxb-123456789012-abcdefghij",
	"aws":      "AKIA" + strings.Repeat("Q", 16),
	"google":   "AIza" + strings.Repeat("k-_", 12),
	"jwt":      "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2Q",
	"huggface": "hf_" + strings.Repeat("a1", 15),
}

func TestShapesOfCredentialsAreCovered(t *testing.T) {
	var r *Redactor
	for name, secret := range planted {
		for _, text := range []string{"before " + secret + " after", `{"note":"` + secret + `"}`, "x\n" + secret} {
			if got := r.Text(text); strings.Contains(got, secret) || !strings.Contains(got, Cover) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
	}
}

func TestValuesAreCoveredByTheNameBeforeThem(t *testing.T) {
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
	} {
		if got := r.Text(test.text); got != test.want && !strings.Contains(test.text, "Bearer") {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		} else if strings.Contains(got, "abcdef123456") {
			t.Errorf("%q became %q", test.text, got)
		}
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
	if got := r.Text("a " + key + " b"); got != "a "+Cover+" b" {
		t.Errorf("a private key became %q", got)
	}
}

func TestKnownValuesAreCoveredWhereverTheyStand(t *testing.T) {
	r := NewRedactor(map[string]string{"MY_TOKEN": "plainlooking", "MODE": "verbose-mode", "API_KEY": "abc"})
	got := r.Text("fatal: plainlooking was refused in verbose-mode abc")
	if want := "fatal: [redacted] was refused in verbose-mode abc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
