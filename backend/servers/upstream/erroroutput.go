package upstream

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// errorOutput keeps the standard error of a session's child process.
type errorOutput struct {
	tail     *tail       // the end of the output, unredacted
	lines    *lineWriter // splits the output into lines
	redactor *redact.Redactor
	env      map[string]string // variables that the process was given
}

// noted is the beginning of notes.
const noted = "agent-discover: "

// note adds a line of the hub about the process, as if the process had written it.
func (o *errorOutput) note(text string) {
	line := []byte(noted + text + "\n")
	_, _ = o.tail.Write(line) // never fails
	_, _ = o.lines.Write(line)
}

// quote quotes the end of the child's standard error, for an error message that begins with a reason. It leaves the
// reason out, and returns "" if only noise such as a stack trace is left.
func (o *errorOutput) quote(said reason) string {
	// Cut only text that is redacted already, because half a secret would not be recognized.
	text := lastLines(strings.TrimSpace(o.text()), stderrShown)
	if said.line != "" {
		text = said.removedFrom(text)
	}
	if text == "" {
		return ""
	}
	return "\nIt last wrote:\n" + text
}

// text returns the kept end of the child's standard error, redacted. If earlier output was
// dropped, the kept end may begin with the second half of a secret, so the first bytes of
// the kept end are left out.
func (o *errorOutput) text() string {
	kept := o.tail.last(stderrSize)
	text := o.redactor.Text(kept)
	if len(kept) == stderrSize {
		text = lastLines(text, max(len(text)-o.redactor.Reach(), 0))
	}
	return text
}

// reason searches the child's standard error for the reason why the child has ended. Notes of the hub count only if
// the child wrote nothing else.
func (o *errorOutput) reason() reason {
	lines := strings.Split(o.text(), "\n")
	written := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(line, noted) })
	if found := reasonIn(strings.Join(written, "\n"), o.env); found.line != "" {
		return found
	}
	return reasonIn(strings.Join(lines, "\n"), o.env)
}
