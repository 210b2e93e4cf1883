// Package textdiff computes how one sequence of lines or words turns into another. Callers
// decide what is shown of it.
package textdiff

import "slices"

// The kinds of edits and parts.
const (
	Same   = "same"
	Add    = "add"
	Remove = "remove"
)

// Edit is one element of a script. Old and New are positions from 1 in the two sequences;
// an added element has no Old and a removed one no New.
type Edit struct {
	Kind     string
	Old, New int
}

// MaxEdits is the largest number of added and removed elements in a shortest script. It bounds the time and the memory.
const MaxEdits = 1000

// Script returns the edits that turn a into b. It finds the shortest script, by E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations" (1986). If the shortest script has more than MaxEdits added and removed elements,
// Script replaces everything between the common start and the common end instead.
func Script(a, b []string) []Edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var edits []Edit
	for i := range head {
		edits = append(edits, Edit{Kind: Same, Old: i + 1, New: i + 1})
	}
	edits = append(edits, shortestScript(a[head:len(a)-tail], b[head:len(b)-tail], head)...)
	for i := range tail {
		edits = append(edits, Edit{Kind: Same, Old: len(a) - tail + i + 1, New: len(b) - tail + i + 1})
	}
	return edits
}

// shortestScript returns the script for sequences without common elements at the start and end. head is the number of
// common elements that precede a and b in the complete sequences. In Myers's terms, x counts the consumed elements of
// a, and x-k those of b. reach holds the furthest x on each diagonal k, and trace holds a copy of reach before each
// edit.
func shortestScript(a, b []string, head int) []Edit {
	const zero = MaxEdits + 1 // the index of diagonal 0
	reach := make([]int, 2*zero+1)
	var trace [][]int
	for edits := 0; edits <= min(MaxEdits, len(a)+len(b)); edits++ {
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

// cameFrom returns the diagonal from which the last edit of a path with the given number of edits led to diagonal k.
func cameFrom(reach []int, k, edits int) int {
	if k == -edits || k != edits && reach[k+edits] < reach[k+edits+2] {
		return k + 1
	}
	return k - 1
}

// furthest returns the x on diagonal k after the last edit of a path with the given
// number of edits. An added element does not advance x.
func furthest(reach []int, k, edits int) int {
	from := cameFrom(reach, k, edits)
	x := reach[from+edits+1]
	if from < k {
		x++
	}
	return x
}

// backtrack builds the script by following trace from the end to the start.
func backtrack(trace [][]int, x, y, head int) []Edit {
	var script []Edit
	for edits := len(trace) - 1; edits >= 0; edits-- {
		px, py := 0, 0
		if edits > 0 {
			from := cameFrom(trace[edits], x-y, edits)
			px = trace[edits][from+edits+1]
			py = px - from
		}
		for ; x > px && y > py; x, y = x-1, y-1 {
			script = append(script, Edit{Kind: Same, Old: head + x, New: head + y})
		}
		switch {
		case edits == 0:
		case x == px:
			script = append(script, Edit{Kind: Add, New: head + y})
		default:
			script = append(script, Edit{Kind: Remove, Old: head + x})
		}
		x, y = px, py
	}
	slices.Reverse(script)
	return script
}

// replaceAll returns a script that removes a number of elements and then adds a number of other elements. head is the
// number of common elements before them.
func replaceAll(removed, added, head int) []Edit {
	var edits []Edit
	for i := range removed {
		edits = append(edits, Edit{Kind: Remove, Old: head + i + 1})
	}
	for i := range added {
		edits = append(edits, Edit{Kind: Add, New: head + i + 1})
	}
	return edits
}
