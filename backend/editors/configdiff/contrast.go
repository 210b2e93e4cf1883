// Package contrast answers what a person is shown of a change to an editor's
// file: the lines that change and a few around them, with every credential
// covered, of whatever program it is.
package configdiff

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// around is how many lines are shown before and after one that changes.
const around = 3

// Line is a line of a diff.
type Line struct {
	Kind string `json:"kind"`          // "same", "add", "remove" or "skip", which stands for lines left out
	Text string `json:"text"`          // without its line end
	Old  int    `json:"old,omitempty"` // its number before, from 1
	New  int    `json:"new,omitempty"` // and after
}

// Lines shows what changes between two texts of a file. It is never nil.
func Lines(before, after []byte, file table.File) []Line {
	a, b := split(before), split(after)
	lines := shorten(script(a, b))
	cover := newCover(file, before, after)
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && lines[to].Kind != "skip" {
			to++
		}
		cover.fill(lines[from:to], a, b)
		from = to
	}
	return lines
}

// split takes a text apart into lines without their ends.
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

// script says line by line how a becomes b. It finds the shortest way, by E. W.
// Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), and past
// maxEdits lines that are others takes all out and puts all in.
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
	lines = append(lines, middle(a[head:len(a)-tail], b[head:len(b)-tail], head)...)
	for i := range tail {
		lines = append(lines, Line{Kind: "same", Old: len(a) - tail + i + 1, New: len(b) - tail + i + 1})
	}
	return lines
}

const maxEdits = 1000

// middle is the script of what is left between a head and a tail. x counts the
// lines of a that are dealt with, x-k those of b; reach has the furthest x of
// each k for a number of edits, and trace what it was before each.
func middle(a, b []string, head int) []Line {
	const zero = maxEdits + 1 // where k = 0 stands
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
	return wholesale(len(a), len(b), head)
}

// cameFrom is the k from which one edit led to k, the edits-th.
func cameFrom(reach []int, k, edits int) int {
	if k == -edits || k != edits && reach[k+edits] < reach[k+edits+2] {
		return k + 1
	}
	return k - 1
}

// furthest is the x to which that edit led: a line put in leaves it.
func furthest(reach []int, k, edits int) int {
	from := cameFrom(reach, k, edits)
	x := reach[from+edits+1]
	if from < k {
		x++
	}
	return x
}

// backtrack walks from the end to the start along what was reached.
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

func wholesale(removed, added, head int) []Line {
	var lines []Line
	for i := range removed {
		lines = append(lines, Line{Kind: "remove", Old: head + i + 1})
	}
	for i := range added {
		lines = append(lines, Line{Kind: "add", New: head + i + 1})
	}
	return lines
}

// shorten leaves out lines that are far from any that changes.
func shorten(lines []Line) []Line {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line.Kind != "same" {
			for j := max(i-around, 0); j <= min(i+around, len(lines)-1); j++ {
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
