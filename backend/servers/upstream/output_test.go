package upstream

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

func newLineWriter(env map[string]string) *lineWriter {
	return &lineWriter{to: newOutput(), bus: &events.Bus{}, server: "s", redactor: redact.ForLaunch(launch.Launch{Env: env})}
}

func (s *lineWriter) mustWrite(t *testing.T, text string) {
	t.Helper()
	if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
		t.Fatalf("wrote %d of %d bytes, %v", n, len(text), err)
	}
}

func texts(lines []Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, "|")
}

func TestOutputIsSplitIntoLines(t *testing.T) {
	s := newLineWriter(nil)
	for _, piece := range []string{"on", "e\ntwo\r\n", "\n", "th", "", "ree", "\nfour"} {
		s.mustWrite(t, piece)
	}
	lines, left := s.to.last(500, 0)
	if texts(lines) != "one|two||three" || left != 0 {
		t.Errorf("kept %q, %d left", texts(lines), left)
	}
	s.close()
	s.close() // a second close does nothing
	lines, _ = s.to.last(500, 0)
	if texts(lines) != "one|two||three|four" || lines[4].At.IsZero() {
		t.Errorf("after close: %q", texts(lines))
	}
	for i := range lines[1:] {
		if lines[i+1].N != lines[i].N+1 {
			t.Errorf("the numbers do not increase: %+v", lines)
		}
	}
	if after, left := s.to.last(500, lines[1].N); texts(after) != "|three|four" || left != 0 {
		t.Errorf("after the second: %q, %d left", texts(after), left)
	}
	if after, left := s.to.last(1, lines[1].N); texts(after) != "four" || left != 2 {
		t.Errorf("the last one after the second: %q, %d left", texts(after), left)
	}
	if after, left := s.to.last(500, s.to.end()); len(after) != 0 || left != 0 {
		t.Errorf("after the last: %q, %d left", texts(after), left)
	}
	for time.Now().UnixMicro() == s.to.first { // the clock of Windows advances only every few milliseconds
	}
	if newOutput().first <= s.to.first {
		t.Error("a later output does not begin with a higher number")
	}
}

func TestOutputIsLimited(t *testing.T) {
	s := newLineWriter(nil)
	for i := range 10_000 {
		s.mustWrite(t, fmt.Sprintf("line %d\n", i))
	}
	lines, left := s.to.last(10_000, 0)
	if len(lines) != outputLines || lines[0].Text != "line 9500" || left != 9500 {
		t.Errorf("kept %d lines from %q, %d left", len(lines), lines[0].Text, left)
	}
	for range 3 { // parts of a line that never ends
		s.mustWrite(t, strings.Repeat("x", 10<<20))
	}
	if len(s.part) > outputLine+newLineWriter(nil).redactor.Reach()+1 {
		t.Errorf("%d bytes of an incomplete line are kept", len(s.part))
	}
	s.mustWrite(t, "\nshort\n")
	lines, _ = s.to.last(2, 0)
	if text := lines[0].Text; len(text) > outputLine+len("…") || !strings.HasSuffix(text, "x…") || lines[1].Text != "short" {
		t.Errorf("a long line has %d bytes; the next is %q", len(text), lines[1].Text)
	}
	for range 100 {
		s.mustWrite(t, strings.Repeat("y", outputLine)+"\n")
	}
	if lines, _ = s.to.last(500, 0); s.to.size > outputSize || len(lines) != outputSize/outputLine {
		t.Errorf("%d lines take %d bytes", len(lines), s.to.size)
	}
}

func TestOutputHoldsNoSecret(t *testing.T) {
	const secret = "correct-horse-battery"
	s := newLineWriter(map[string]string{"API_KEY": secret})
	s.mustWrite(t, "it is "+secret+"\n")
	for cut := range len(secret) { // wherever a long line is cut, no part of the secret may be left
		s.mustWrite(t, strings.Repeat("x", outputLine-cut)+secret+"\n")
	}
	s.mustWrite(t, "password=swordfish99 and more\n")
	s.mustWrite(t, "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcdefgh\n-----END RSA PRIVATE KEY-----\nafter\n")
	s.mustWrite(t, "-----BEGIN CERTIFICATE-----\npublic\n-----END CERTIFICATE-----\n")
	s.mustWrite(t, "one line: -----BEGIN PRIVATE KEY-----MIIE-----END PRIVATE KEY----- rest\nthen\n")
	lines, _ := s.to.last(500, 0)
	all := texts(lines)
	for _, never := range []string{"correct", "swordfish99", "MIIE", "abcdefgh"} {
		if strings.Contains(all, never) {
			t.Errorf("the output contains %q", never)
		}
	}
	for _, want := range []string{
		"it is [redacted]", "[redacted]|[redacted]|[redacted]|[redacted]|after", "public", "one line: [redacted] rest|then",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in %s", want, all[max(len(all)-400, 0):])
		}
	}
	s.mustWrite(t, "-----BEGIN PRIVATE KEY-----\n"+strings.Repeat("no key\n", keyLines+1))
	if lines, _ = s.to.last(2, 0); texts(lines) != "[redacted]|no key" {
		t.Errorf("a private key without an end hides all later lines: %q", texts(lines))
	}
}
