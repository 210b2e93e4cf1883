package configdiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/textdiff"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

func TestDiffsAreTheShortestScripts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var a, b []string
		for range random.IntN(12) {
			a = append(a, string(rune('a'+random.IntN(4))))
		}
		for range random.IntN(12) {
			b = append(b, string(rune('a'+random.IntN(4))))
		}
		edits := checkScript(t, script(a, b), a, b)
		if want := len(a) + len(b) - 2*longestCommon(a, b); edits != want {
			t.Fatalf("the script from %v to %v has %d edits, want %d", a, b, edits, want)
		}
	}
	long := make([]string, 3*textdiff.MaxEdits)
	other := slices.Clone(long)
	for i := range long {
		long[i], other[i] = fmt.Sprint(i), fmt.Sprint(-i)
	}
	checkScript(t, script(long, other), long, other)
}

// checkScript checks that the lines of a diff turn a into b. It returns the
// number of edits.
func checkScript(t *testing.T, lines []Line, a, b []string) (edits int) {
	t.Helper()
	var out []string
	x := 0
	for _, l := range lines {
		if l.Kind != "add" {
			if x++; l.Old != x {
				t.Fatalf("the script skips line %d of %v", x, a)
			}
		}
		switch {
		case l.Kind == "same" && (a[l.Old-1] != b[l.New-1]):
			t.Fatal("the script marks different lines as the same")
		case l.Kind != "same":
			edits++
		}
		if l.Kind != "remove" {
			out = append(out, b[l.New-1])
			if l.New != len(out) {
				t.Fatal("the script lists a line out of order")
			}
		}
	}
	if !slices.Equal(out, b) || x != len(a) {
		t.Fatalf("the script turns %v into %v, want %v", a, out, b)
	}
	return edits
}

// longestCommon returns the length of the longest common subsequence.
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

func TestCredentialsAreRedactedInEveryNotation(t *testing.T) {
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
			t.Errorf("the diff of %s is not redacted, or lacks lines:\n%s", id, shown)
		}
	}
}

// The credential of the variable is repeated in args, where nothing but its value shows that it is a credential.
func TestTheOldAndTheNewCredentialAreRedactedWhereverTheyAre(t *testing.T) {
	e, _ := table.ByID("cursor")
	text := func(value string) []byte {
		return fmt.Appendf(nil, "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"%[1]s\"],\n\"env\": {\"API_TOKEN\": \"%[1]s\"}}}}", value)
	}
	for _, line := range Lines(text("correct-horse"), text("battery-stapl"), table.File{Place: e.Place, Shape: e.Shape}) {
		if strings.Contains(line.Text, "horse") || strings.Contains(line.Text, "battery") {
			t.Error(line.Text)
		}
	}
}
