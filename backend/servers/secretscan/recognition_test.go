package secretscan

import (
	"os"
	"path/filepath"
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
	for _, name := range []string{
		"PATH", "path", "max_tokens", "keyboard", "author", "monkey", "HOME", "pattern", "query", "key", "KEY", "--key", "keys", "hotkey",
		"key_count", "", "bearer_token_env_var",
	} {
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
	for name, secret := range planted {
		for _, text := range []string{"before " + secret + " after", `{"note":"` + secret + `"}`, "x\n" + secret} {
			if got := Redact(text); strings.Contains(got, secret) || !strings.Contains(got, Redacted) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
	}
}

func TestValuesOfSensitiveNamesAreRedacted(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"api_key":"correct-horse","path":"/tmp/notes"}`, `{"api_key":"[redacted]","path":"/tmp/notes"}`},
		{`TOKEN=abcdefgh PATH=/usr/bin`, `TOKEN=[redacted] PATH=/usr/bin`},
		{`password: hunter2hunter2`, `password: [redacted]`},
		{`{"password":"a \"quoted\" secret"}`, `{"password":"[redacted]"}`},
		{`Authorization: Bearer abcdef123456`, `Authorization: [redacted] [redacted]`},
		{`postgres://user:s3cretpw@host/db`, `postgres://user:[redacted]@host/db`},
		{`HTTPS://user:s3cretpw@host/`, `HTTPS://user:[redacted]@host/`},
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
		if got := Redact(test.text); got != test.want && !strings.Contains(test.text, "Bearer") {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		} else if strings.Contains(got, "abcdef123456") {
			t.Errorf("%q became %q", test.text, got)
		}
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
	if got := Redact("a " + key + " b"); got != "a "+Redacted+" b" {
		t.Errorf("a private key became %q", got)
	}
}

func TestConfigurationsOfEditorsRaiseNoFalseAlarm(t *testing.T) {
	files, err := filepath.Glob("../../editors/table/testdata/*/before.*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',[]{}", r) }) {
			if HasCredential(word) {
				t.Errorf("%s: %q looks like a credential", file, word)
			}
		}
	}
}
