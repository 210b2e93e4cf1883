package readme

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// ruler matches the line under the head of a table.
var ruler = lazyregexp.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$`)

// columns are the indexes of columns in a table about variables, -1 for missing ones.
type columns struct{ name, required, fallback, description int }

// table reads the table that begins at a line and returns the index of its last line.
func (c *collector) table(lines []string, at int) (last int, ok bool) {
	if at+1 >= len(lines) || !strings.Contains(lines[at], "|") || !ruler.MatchString(lines[at+1]) {
		return 0, false
	}
	head := columnsOf(cells(lines[at]))
	for last = at + 1; last+1 < len(lines) && strings.Contains(lines[last+1], "|"); last++ {
		c.row(cells(lines[last+1]), head)
	}
	return last, true
}

func columnsOf(head []string) columns {
	out := columns{name: 0, required: -1, fallback: -1, description: -1}
	for i, cell := range head {
		switch title := strings.ToLower(plain(cell)); {
		case strings.Contains(title, "variable"), title == "name", title == "env":
			out.name = i
		case strings.Contains(title, "required"), strings.Contains(title, "mandatory"):
			out.required = i
		case strings.Contains(title, "default"):
			out.fallback = i
		case strings.Contains(title, "description"), title == "purpose", title == "notes", title == "meaning":
			out.description = i
		}
	}
	return out
}

func cells(line string) []string {
	line = strings.Trim(strings.TrimSpace(line), "|")
	return strings.Split(strings.ReplaceAll(line, `\|`, "/"), "|")
}

func (c *collector) row(row []string, head columns) {
	if head.name >= len(row) {
		return
	}
	f := c.field(plain(row[head.name]))
	if f == nil {
		return
	}
	if value, ok := at(row, head.required); ok {
		yes := slices.Contains([]string{"yes", "y", "true", "✅", "✓", "✔", "✔️", "x", "required"}, strings.ToLower(value))
		f.required, f.optional = f.required || yes, f.optional || !yes
	}
	if value, ok := at(row, head.description); ok {
		if head.required < 0 {
			f.need(value)
		}
		f.describe(value)
	}
	if value, ok := at(row, head.fallback); ok && f.placeholder == "" &&
		!slices.Contains([]string{"", "none", "n/a", "null", "unset", "empty"}, strings.ToLower(value)) {
		f.placeholder, f.optional = value, true
	}
}

// at returns a cell of a row as plain text, and false if the row has no such cell.
func at(row []string, column int) (string, bool) {
	if column < 0 || column >= len(row) {
		return "", false
	}
	return plain(row[column]), true
}
