package spelling

import (
	"fmt"
	"testing"
)

func TestDistanceIsTheNumberOfEdits(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"abc", ""}: 3, {"kitten", "sitting"}: 3, {"echo", "eco"}: 1, {"ab", "ba"}: 1} {
		if got := Distance(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d, want %d", pair, got, want)
		}
	}
}

func TestNamesNearAnUnknownOneDifferInFewLetters(t *testing.T) {
	names := []string{"git", "github", "gitlab", "everything", "Notes", "x", "notes1", "notes2"}
	for name, want := range map[string]string{
		"gti": "[git]", "githbu": "[github]", "gitlub": "[github gitlab]", "everythin": "[everything]", "GIT": "[git]",
		"notes": "[Notes notes1 notes2]", "zzz": "[]", "y": "[]", "": "[]", "git-server": "[]",
	} {
		if got := fmt.Sprint(Near(name, names)); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
