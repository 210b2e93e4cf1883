package settings

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Problem describes one error in the settings.
type Problem struct {
	Line, Column int    // in the file, from 1; 0 if the setting does not come from the file
	Key          string // such as limits.call_timeout or discovery.toolRules[0].pattern; may be empty
	Text         string // begins with the key, if any
}

// String returns the position and the text.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Text)
}

// problems is the cause of the error for an invalid file.
type problems []Problem

// Error returns one line for each problem.
func (p problems) Error() string {
	var lines []string
	for _, one := range p {
		lines = append(lines, one.String())
	}
	return strings.Join(lines, "\n")
}

// fault returns the error for a file with these problems, and nil for none.
func (p problems) fault(file string) error {
	if len(p) == 0 {
		return nil
	}
	more := ""
	if len(p) > 1 {
		more = fmt.Sprintf(" (and %d more; see: agent-discover config validate)", len(p)-1)
	}
	return fault.Wrap(p, fault.Invalid, "%s: %s%s", file, p[0], more)
}

// Problems returns all problems of the file that Load has rejected with err, in the order
// of the file. For any other error it returns one problem without a position.
func Problems(err error) []Problem {
	if all, ok := errors.AsType[problems](err); ok {
		return all
	}
	if err == nil {
		return nil
	}
	return []Problem{{Text: fault.MessageOf(err)}}
}

var (
	yamlLine = regexp.MustCompile(`^line (\d+): `)
	// unquoted matches a text that YAML takes for an alias, a tag or a list, because it
	// begins with *, ! or [.
	unquoted = regexp.MustCompile(`(?m)^[^#"'\n]*?[-:,\[][ \t]*([*!][^ \t,\]}"'\n]+|\[[^\]\n]*\][^ \t,\]}\n])`)
)

// notYAML returns the problem for an error of the YAML parser. The error contains at
// most a line number, so notYAML looks for the position in text.
func notYAML(text []byte, err error) Problem {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	p := Problem{Line: 1, Column: 1, Text: "not valid YAML: " + yamlLine.ReplaceAllString(reason, "")}
	if found := unquoted.FindSubmatchIndex(text); found != nil {
		before := string(text[:found[2]])
		p.Line = strings.Count(before, "\n") + 1
		p.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		p.Text += `; a pattern that begins with *, ! or [ needs quotes, as in "*issue*"`
		return p
	}
	if found := yamlLine.FindStringSubmatch(reason); found != nil {
		p.Line, _ = strconv.Atoi(found[1])
	}
	if lines := strings.Split(string(text), "\n"); p.Line <= len(lines) {
		line := lines[p.Line-1]
		p.Column = len(line) - len(strings.TrimLeft(line, " ")) + 1
	}
	return p
}
