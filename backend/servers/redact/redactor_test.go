package redact

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

func TestKnownValuesAreRedactedAnywhere(t *testing.T) {
	r := ForLaunch(launch.Launch{Env: map[string]string{"MY_TOKEN": "plainlooking", "MODE": "verbose-mode", "API_KEY": "abc"}})
	got := r.Text("fatal: plainlooking was refused in verbose-mode abc")
	if want := "fatal: [redacted] was refused in verbose-mode abc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongerValuesAreRedactedFirst(t *testing.T) {
	env := map[string]string{"A_TOKEN": "shared", "B_TOKEN": "shared-and-more", "C_TOKEN": "shared-and-more-again", "D_TOKEN": "shared-and"}
	r := ForLaunch(launch.Launch{Env: env})
	for _, value := range env {
		if got := r.Text("<" + value + ">"); got != "<"+secretscan.Redacted+">" {
			t.Errorf("%s became %s", value, got)
		}
	}
}

func TestKnownValuesAreRedactedInJSON(t *testing.T) {
	value := "first \"line\"\nsecond <line>"
	r := ForLaunch(launch.Launch{Env: map[string]string{"MY_SECRET": value}})
	plain := `"first \"line\"\nsecond <line>"`
	escaped := `"first \"line\"\nsecond \u003cline\u003e"`
	for _, text := range []string{`"` + value + `"`, plain, escaped} {
		if got := r.Text(text); got != `"`+secretscan.Redacted+`"` {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestCredentialsOfACommandLineAreRedacted(t *testing.T) {
	r := ForLaunch(launch.Launch{Args: []string{
		"-y", "some-package", "--token", "word-after", "--api-key=word-inside", "-e", "MY_SECRET=word-of-docker",
		"--header", "Authorization: Bearer word-of-header", "postgres://me:word-in-url@host/db", "--password", "--verbose",
		"--port", "word-of-port", "--auth", "${secret:NAME}",
	}})
	for _, secret := range []string{"word-after", "word-inside", "word-of-docker", "word-of-header", "postgres://me:word-in-url@host/db"} {
		if got := r.Text("<" + secret + ">"); got != "<"+secretscan.Redacted+">" {
			t.Errorf("%s became %s", secret, got)
		}
	}
	for _, plain := range []string{"some-package", "word-of-port", "--verbose", "${secret:NAME}", "--token"} {
		if got := r.Text("<" + plain + ">"); got != "<"+plain+">" {
			t.Errorf("%s became %s", plain, got)
		}
	}
}
