package redact_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

type pairs = map[string]string

func TestCredentialsInAnyConfigurationAreCovered(t *testing.T) {
	const covered = "Kj8-correct/horse+battery=staple_42"
	known := redact.NewKnownSecrets()
	known.AddLaunch("one", launch.Launch{Env: pairs{"API_TOKEN": covered, "TOKEN_MODE": "strict"}})
	other := known.Redactor("two", launch.Launch{})
	if got := other.Text("x " + base64.StdEncoding.EncodeToString([]byte(covered)) + " strict"); got != "x [redacted] strict" {
		t.Errorf("another server: %s", got)
	}
	if got := known.Redactor("one", launch.Launch{}).Text(covered + " strict"); got != "[redacted] [redacted]" {
		t.Errorf("the server: %s", got)
	}
}

func TestWhiteSpaceAroundASecretHidesNoneOfIt(t *testing.T) {
	known := redact.NewKnownSecrets()
	known.AddValues("one", []string{"abcd1234\n", "  \tqwer-5678\r\n"})
	redactor := known.Redactor("one", launch.Launch{})
	for text, want := range map[string]string{
		"key abcd1234\nnext": "key [redacted]\nnext", "key abcd1234": "key [redacted]", `{"k":"abcd1234\n"}`: `{"k":"[redacted]"}`,
		"qwer-5678 is it": "[redacted] is it",
	} {
		if got := redactor.Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// BenchmarkCover measures the redaction of a result of 10 kB with the secrets of a large installation.
func BenchmarkCover(b *testing.B) {
	known := redact.NewKnownSecrets()
	for n := range 30 {
		known.AddLaunch(fmt.Sprintf("s%d", n), launch.Launch{Env: pairs{"API_TOKEN": fmt.Sprintf("sk-proj-%032d", n*7919)}})
	}
	redactor := known.Redactor("s1", launch.Launch{})
	text := strings.Repeat(`{"id": 4711, "title": "A line of an ordinary result, as servers send it", "done": true}`+"\n", 115)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if redactor.Text(text) != text {
			b.Fatal("something was covered")
		}
	}
}

// BenchmarkCoverNothing measures the redaction of the same result without known secrets: only the search for
// credentials by their shape.
func BenchmarkCoverNothing(b *testing.B) {
	redactor := redact.NewKnownSecrets().Redactor("s1", launch.Launch{})
	text := strings.Repeat(`{"id": 4711, "title": "A line of an ordinary result, as servers send it", "done": true}`+"\n", 115)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redactor.Text(text)
	}
}
