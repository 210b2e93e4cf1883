// Package configdiff computes the diff that shows a person a change to an editor's configuration
// file: the changed lines and a few lines around them. All credentials in these lines are redacted,
// including those of other servers in the file.
package configdiff

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/textdiff"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// context is how many unchanged lines are shown before and after a changed line.
const context = 3

// Line is a line of a diff.
type Line struct {
	Kind string `json:"kind"`          // "same", "add", "remove", or "skip" for omitted lines
	Text string `json:"text"`          // without the line end
	Old  int    `json:"old,omitempty"` // line number before the change, from 1
	New  int    `json:"new,omitempty"` // line number after the change, from 1
}

// Lines returns the difference between two versions of a file. The result is never nil.
func Lines(before, after []byte, file table.File) []Line {
	a, b := split(before), split(after)
	lines := shorten(script(a, b))
	redactor := newRedactor(file, before, after)
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && lines[to].Kind != "skip" {
			to++
		}
		redactor.setTexts(lines[from:to], a, b)
		from = to
	}
	return lines
}

// split returns the lines of a text without line ends and byte order mark.
func split(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(text), "\ufeff"), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// script returns the lines of the diff that turns a into b. The lines have no texts yet.
func script(a, b []string) []Line {
	var lines []Line
	for _, edit := range textdiff.Script(a, b) {
		lines = append(lines, Line{Kind: edit.Kind, Old: edit.Old, New: edit.New})
	}
	return lines
}

// shorten replaces unchanged lines far from every change by "skip" lines.
func shorten(lines []Line) []Line {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line.Kind != "same" {
			for j := max(i-context, 0); j <= min(i+context, len(lines)-1); j++ {
				near[j] = true
			}
		}
	}
	out := []Line{}
	for i, line := range lines {
		switch {
		case near[i]:
			out = append(out, line)
		case i == 0 || near[i-1]:
			out = append(out, Line{Kind: "skip"})
		}
	}
	return out
}
