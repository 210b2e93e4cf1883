package version

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

func TestTheFileHoldsAReleaseNumber(t *testing.T) {
	if v := "v" + Current(); !semver.IsValid(v) || semver.Prerelease(v) != "" || !strings.HasPrefix(semver.Build(v), "+dev") {
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
		{"0.9.0+dev.20260131080000", "0.9.0+dev.20260130235959", true},
		{"0.9.0+dev.20260130235959", "0.9.0+dev.20260131080000.dirty", false},
		{"0.9.0+dev.20260131080000.dirty", "0.9.0+dev.20260131080000", false},
		{"0.9.0+dev.20260131080000", "0.9.0+dev", false},
		{"0.9.0+dev.20260131080000", "0.9.0+3.gabc1234", false},
		{"0.9.1+dev.20260131080000", "0.9.0+dev.20260231080000", true},
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

func TestBuildsWithoutMakeHaveTheTimeOfTheirCommit(t *testing.T) {
	settings := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.time", Value: "2026-01-31T10:00:00+02:00"}}
	if got := committed(settings); got != ".20260131080000" {
		t.Errorf("got %q", got)
	}
	if got := committed(append(settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"})); got != ".20260131080000.dirty" {
		t.Errorf("with changed files, got %q", got)
	}
	if got := committed(nil); got != "" {
		t.Errorf("without a repository, got %q", got)
	}
}

func TestADifferenceSaysWhatToDo(t *testing.T) {
	for _, row := range []struct{ hub, program, want string }{
		{"1.0.0", "1.0.0", ""},
		{"1.0.0", "1.1.0", "the hub is older (version 1.0.0)"},
		{"1.1.0", "1.0.0", "the hub is newer (version 1.1.0)"},
		{"1.0.0+dev", "1.0.0+dev.20260131080000", "the hub is another build (version 1.0.0+dev)"},
	} {
		got := Difference(row.hub, row.program)
		remedy := row.want == "" || strings.HasSuffix(got, "agent-discover restart")
		if !strings.HasPrefix(got, row.want) || (row.want == "") != (got == "") || !remedy {
			t.Errorf("hub %s, program %s: %q", row.hub, row.program, got)
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
