package version

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

func TestTheFileHoldsAReleaseNumber(t *testing.T) {
	if v := "v" + Current(); !semver.IsValid(v) || semver.Prerelease(v) != "" || semver.Build(v) != "+dev" {
		t.Errorf("the version is %q", Current())
	}
}

func TestLaterVersionsAndLaterBuildsAreNewer(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"1.1.0", "1.0.9", true},
		{"v2.0.0", "1.9.9", true},
		{"0.10.0", "0.9.0", true},
		{"1.0.0", "1.0.0", false},
		{"1.0.0", "1.0.1", false},
		{"1.0.0", "1.0.0-rc.1", true},
		{"0.9.0+12.gabc1234", "0.9.0", true},
		{"0.9.0", "0.9.0+12.gabc1234", false},
		{"0.9.0+12.gabc1234", "0.9.0+9.gdef5678", true},
		{"0.9.0+12.gabc1234", "0.9.0+12.gdef5678", false},
		{"0.9.0+12.gabc1234.dirty", "0.9.0+12.gabc1234", false},
		{"0.9.1", "0.9.0+12.gabc1234", true},
		{"0.9.0+dev", "0.9.0", false},
		{"0.9.0", "0.9.0+dev", false},
		{"0.9.0+3.gabc1234", "0.9.0+dev", true},
		{"dev", "1.0.0", false},
		{"2.0.0", "dev", false},
		{"0.9.0", "dev-abc1234", false},
		{"0.9.0", "", false},
	} {
		if got := Newer(test.a, test.b); got != test.want {
			t.Errorf("%s newer than %s: %v", test.a, test.b, got)
		}
	}
}

func TestTheChangelogBeginsWithTheNumber(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, heading, _ := strings.Cut(string(text), "\n## ")
	heading, _, _ = strings.Cut(heading, "\n")
	if want := strings.TrimSpace(number) + " ("; !strings.HasPrefix(heading, want) && heading != "Unreleased" {
		t.Errorf("the newest version of the changelog is %q; the file VERSION says %s", heading, number)
	}
}
