package configdiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

func TestADiffLeadsFromOneTextToTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var a, b []string
		for range random.IntN(12) {
			a = append(a, string(rune('a'+random.IntN(4))))
		}
		for range random.IntN(12) {
			b = append(b, string(rune('a'+random.IntN(4))))
		}
		edits := follow(t, script(a, b), a, b)
		if want := len(a) + len(b) - 2*longestCommon(a, b); edits != want {
			t.Fatalf("%v to %v in %d, not %d", a, b, edits, want)
		}
	}
	long := make([]string, 3*maxEdits)
	other := slices.Clone(long)
	for i := range long {
		long[i], other[i] = fmt.Sprint(i), fmt.Sprint(-i)
	}
	follow(t, script(long, other), long, other)
}

// follow makes b of a as lines say, and counts those that change something.
func follow(t *testing.T, lines []Line, a, b []string) (edits int) {
	t.Helper()
	var out []string
	x := 0
	for _, l := range lines {
		if l.Kind != "add" {
			if x++; l.Old != x {
				t.Fatalf("line %d of %v is skipped", x, a)
			}
		}
		switch {
		case l.Kind == "same" && (a[l.Old-1] != b[l.New-1]):
			t.Fatal("lines that differ are the same")
		case l.Kind != "same":
			edits++
		}
		if l.Kind != "remove" {
			out = append(out, b[l.New-1])
			if l.New != len(out) {
				t.Fatal("a line is out of order")
			}
		}
	}
	if !slices.Equal(out, b) || x != len(a) {
		t.Fatalf("%v became %v, not %v", a, out, b)
	}
	return edits
}

func longestCommon(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			above := row[j+1]
			if row[j+1] = max(above, row[j]); x == y {
				row[j+1] = corner + 1
			}
			corner = above
		}
	}
	return row[len(b)]
}

func TestCredentialsAreCoveredHoweverTheyAreWritten(t *testing.T) {
	for id, text := range map[string]string{
		"goose":  "extensions:\n  a:\n    cmd: x\n    envs:\n      API_TOKEN: |-\n        hunter2hunter2\n",
		"codex":  "[mcp_servers.a]\ncommand = 'x'\nenv.API_TOKEN = '''\nhunter2hunter2'''\n",
		"cursor": "{\"mcpServers\": {\n\"a\": {\"command\": \"x\", \"args\": [\"-H\",\n\"Authorization: Bearer\\u0020hunter2hunter2\"]}}}",
	} {
		e, _ := table.ByID(id)
		lines := Lines([]byte(text), []byte("\n"), table.File{Place: e.Place, Shape: e.Shape})
		shown := ""
		for _, line := range lines {
			shown += line.Text + "\n"
		}
		if strings.Contains(shown, "hunter2") || !strings.Contains(shown, "[redacted]") || len(lines) < strings.Count(text, "\n") {
			t.Errorf("%s:\n%s", id, shown)
		}
	}
}
