package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

func TestRedactedJSONIsValid(t *testing.T) {
	r := redact.ForLaunch(launch.Launch{Env: map[string]string{"PIN_TOKEN": "12345678", "WORD_TOKEN": "correct-horse"}})
	key := `-----BEGIN RSA PRIVATE KEY-----\nMIIE`
	for text, want := range map[string]string{
		`{"apiKey":1234567,"b":[true]}`:                     `{"apiKey":"[redacted]","b":[true]}`,
		`{"my apiKey" : -1.5e300}`:                          `{"my apiKey" : "[redacted]"}`,
		`{"a":12345678,"b":[912345678.5, "12345678"]}`:      `{"a":"[redacted]","b":["[redacted]", "[redacted]"]}`,
		`["token=hunter22\"x", "token=hunter22\\"]`:         `["token=[redacted]x", "token=[redacted]"]`,
		`["Enter a token:",          "x"]`:                  `["Enter a token:",          "x"]`,
		`["the --token ",            "hunter22"]`:           `["the --token ",            "hunter22"]`,
		`["--token 'hunt", "er' 22"]`:                       `["--token [redacted]", "[redacted] 22"]`,
		`["token=${A:-hunter22","}"]`:                       `["token=[redacted]","[redacted]"]`,
		`{"url":"http://localhost:8080","mail":"me@x.org"}`: `{"url":"http://localhost:8080","mail":"me@x.org"}`,
		`{"url":"http://me:hunter22@x.org","n":1}`:          `{"url":"http://me:[redacted]@x.org","n":1}`,
		`{"a":"` + key +
			`","b":2,"c":"d"}`: `{"a":"[redacted]","[redacted]":"[redacted]","[redacted]":"[redacted]"}`,
		`["-----BEGIN PRIVATE KEY-----","MIIE","-----END PRIVATE KEY-----",1]`: `["[redacted]","[redacted]","[redacted]",1]`,
		`["c o r r e c t - h o","r s e"]`:                                      `["c o r r e c t - h o","r s e"]`,
		// A document within a log line, and an incomplete document.
		`received {"apiKey":1234567,"b":2}`:   `received {"apiKey":"[redacted]","b":2}`,
		`{"password":"hunter22","pin":123456`: `{"password":"[redacted]","pin":123456`,
	} {
		got := r.Text(text)
		if got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", text, got, want)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s\nbecame %s, which is not JSON", text, got)
		}
		if again := r.Text(got); again != got && !strings.Contains(again, secretscan.Redacted) {
			t.Errorf("%s became %s", got, again)
		}
	}
}
