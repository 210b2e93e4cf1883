// Package configdiff computes the diff that a person sees of a change to an
// editor's configuration file: the changed lines and a few lines around them.
// All credentials in these lines are redacted, including those of other
// servers in the file.
package configdiff

import (
	"slices"
	"strings"

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

// Lines returns the difference between two versions of a file. It is never nil.
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

// script returns the edits that turn a into b, line by line and without texts.
// It finds the shortest script, by E. W. Myers, "An O(ND) Difference Algorithm
// and Its Variations" (1986). If that has more than maxEdits edits, it removes
// all lines that differ and adds the new ones.
func script(a, b []string) []Line {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []Line
	for i := range head {
		lines = append(lines, Line{Kind: "same", Old: i + 1, New: i + 1})
	}
	lines = append(lines, shortestScript(a[head:len(a)-tail], b[head:len(b)-tail], head)...)
	for i := range tail {
		lines = append(lines, Line{Kind: "same", Old: len(a) - tail + i + 1, New: len(b) - tail + i + 1})
	}
	return lines
}

const maxEdits = 1000

// shortestScript returns the script for texts without common lines at the
// start and end. In Myers's terms, x counts the lines of a that are consumed
// and x-k those of b; reach holds the furthest x on each diagonal k, and trace
// a copy of reach before each edit.
func shortestScript(a, b []string, head int) []Line {
	const zero = maxEdits + 1 // the index of diagonal 0
	reach := make([]int, 2*zero+1)
	var trace [][]int
	for edits := 0; edits <= min(maxEdits, len(a)+len(b)); edits++ {
		trace = append(trace, slices.Clone(reach[zero-edits-1:zero+edits+2]))
		for k := -edits; k <= edits; k += 2 {
			x := furthest(trace[edits], k, edits)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[zero+k] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(trace, len(a), len(b), head)
			}
		}
	}
	return replaceAll(len(a), len(b), head)
}

// cameFrom returns the diagonal from which edit number edits led to diagonal k.
func cameFrom(reach []int, k, edits int) int {
	if k == -edits || k != edits && reach[k+edits] < reach[k+edits+2] {
		return k + 1
	}
	return k - 1
}

// furthest returns the x that an edit to diagonal k reaches. An added line does
// not advance x.
func furthest(reach []int, k, edits int) int {
	from := cameFrom(reach, k, edits)
	x := reach[from+edits+1]
	if from < k {
		x++
	}
	return x
}

// backtrack builds the script by following trace from the end to the start.
func backtrack(trace [][]int, x, y, head int) []Line {
	var lines []Line
	for edits := len(trace) - 1; edits >= 0; edits-- {
		px, py := 0, 0
		if edits > 0 {
			from := cameFrom(trace[edits], x-y, edits)
			px = trace[edits][from+edits+1]
			py = px - from
		}
		for ; x > px && y > py; x, y = x-1, y-1 {
			lines = append(lines, Line{Kind: "same", Old: head + x, New: head + y})
		}
		switch {
		case edits == 0:
		case x == px:
			lines = append(lines, Line{Kind: "add", New: head + y})
		default:
			lines = append(lines, Line{Kind: "remove", Old: head + x})
		}
		x, y = px, py
	}
	slices.Reverse(lines)
	return lines
}

// replaceAll returns a script that removes all lines and adds the new ones.
func replaceAll(removed, added, head int) []Line {
	var lines []Line
	for i := range removed {
		lines = append(lines, Line{Kind: "remove", Old: head + i + 1})
	}
	for i := range added {
		lines = append(lines, Line{Kind: "add", New: head + i + 1})
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
