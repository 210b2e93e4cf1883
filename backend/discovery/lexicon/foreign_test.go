package lexicon

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// linesOf returns the lines of a file in testdata without comments.
func linesOf(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		return line == "" || strings.HasPrefix(line, "#")
	})
}

func TestForeignQueriesAreReadInEnglish(t *testing.T) {
	for _, line := range linesOf(t, "foreign.txt") {
		query, want, _ := strings.Cut(line, " = ")
		got, ok := Read(query)
		if !ok {
			t.Errorf("%q is not read", query)
		}
		for word := range strings.FieldsSeq(want) {
			if !slices.Contains(got.Words, word) {
				t.Errorf("%q is read as %q without %q", query, got.Words, word)
			}
		}
	}
}
