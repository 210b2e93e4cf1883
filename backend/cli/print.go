package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// respond prints v as JSON if the user asked for JSON, otherwise the formatted
// text.
func (p *program) respond(v any, format string, args ...any) error {
	if p.json {
		return p.printJSON(v)
	}
	p.printf(format, args...)
	return nil
}

// printJSON prints indented JSON with times in one format.
func (p *program) printJSON(v any) error {
	text, err := jsonText(v)
	if err == nil {
		p.write(p.safeJSON(text))
	}
	return err
}

func jsonText(v any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return withUniformTimes(out.String()), err
}

// safeJSON escapes the characters in a JSON text that control a terminal, if standard output is a
// terminal.
func (p *program) safeJSON(text string) string {
	if p.outTerminal {
		return safetext.JSON(text)
	}
	return text
}

// printf prints text for a person. Characters that control a terminal can only
// come from servers and agents, so they are printed as escapes.
func (p *program) printf(format string, args ...any) {
	p.write(safetext.Prose(fmt.Sprintf(format, args...)))
}

// notef prints like printf, but to standard error.
func (p *program) notef(format string, args ...any) {
	_, _ = io.WriteString(p.err, safetext.Prose(fmt.Sprintf(format, args...)))
}

// printContent prints the content of a server's result and a line feed:
// unchanged for another program, with escapes on a terminal.
func (p *program) printContent(text string) {
	switch {
	case p.json:
		text = p.safeJSON(text)
	case p.outTerminal:
		text = safetext.Prose(text)
	}
	p.write(text + "\n")
}

func (p *program) write(text string) {
	_, _ = io.WriteString(p.out, text) // a closed terminal is not a failure
}

// cell returns s for a cell of a table: line feeds and tabs, which would break
// the row and its columns, are escaped too.
func cell(s string) string {
	return safetext.Prose(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// counted returns n with the singular or plural of a noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// text returns the string that s points to, or "" for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
