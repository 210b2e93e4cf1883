package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

const (
	columnGap   = 2  // spaces between columns
	minLastCell = 12 // characters that the last column of a table keeps in a narrow terminal
)

// rows collects rows of tab-separated cells and prints them in aligned columns.
// On a terminal, the last column is cut to the width of the terminal, and states
// are coloured.
type rows struct {
	p        *program
	headings []string
	lines    bytes.Buffer
}

// table returns a table on standard output with a row of column headings. The
// caller adds rows with tab-separated cells and calls Flush.
func (p *program) table(headings ...string) *rows { return &rows{p: p, headings: headings} }

// Write adds rows. It never fails.
func (t *rows) Write(rows []byte) (int, error) { return t.lines.Write(rows) }

// stateHeadings are the headings of the columns whose cells are states. States are coloured on a terminal with colours.
var stateHeadings = []string{"STATE", "OUTCOME", "STATUS", "ENTRY"}

// Flush prints the table.
func (t *rows) Flush() error {
	rows := [][]string{t.headings}
	for line := range strings.Lines(t.lines.String()) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	widths := columnWidths(rows)
	limit := t.p.width()
	var text strings.Builder
	for n, row := range rows {
		var out strings.Builder
		used := 0
		for i, cell := range row {
			last := i == len(row)-1
			if last && limit > 0 {
				cell = safetext.Clip(cell, max(limit-used, minLastCell))
			}
			shown := cell
			if t.p.colour && n > 0 && i < len(t.headings) && slices.Contains(stateHeadings, t.headings[i]) {
				shown = withColour(cell)
			}
			out.WriteString(shown)
			if !last {
				out.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+columnGap))
				used += widths[i] + columnGap
			}
		}
		text.WriteString(strings.TrimRight(out.String(), " ") + "\n")
	}
	t.p.write(text.String())
	return nil
}

// columnWidths returns the width of each column in characters. The last cell of a
// row does not count, because nothing follows it.
func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, text := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	return widths
}

// width returns the width of the terminal in characters, 0 if standard output is
// no terminal or its width is unknown.
func (p *program) width() int {
	file, ok := p.out.(*os.File)
	if !ok || !p.outTerminal {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// The escape sequences of colours.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// colours are the colours of words that begin a cell. The words alone carry the meaning, for people
// who do not see the colours.
var colours = []struct {
	colour string
	words  []string
}{
	{green, []string{"running", "signed in", "ok", "OK"}},
	{red, []string{"failing", "calls fail", "error", "tool error", "timeout", "timed out", "crashed", "failed", "ERROR"}},
	{yellow, []string{"waiting", "sign-in", "sign in again", "paused", "refused", "WARNING"}},
}

func withColour(text string) string {
	for _, c := range colours {
		for _, word := range c.words {
			if rest, ok := strings.CutPrefix(text, word); ok && (rest == "" || rest[0] == ',' || rest[0] == ' ') {
				return c.colour + word + plain + rest
			}
		}
	}
	return text
}

// wantsColour reports whether to print colours to a terminal; see no-color.org.
func wantsColour(terminal bool, variable func(string) string) bool {
	return terminal && variable("NO_COLOR") == "" && variable("TERM") != "dumb"
}
