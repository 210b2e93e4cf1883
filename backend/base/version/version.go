// Package version says which version of Agent Discover a program is, which of two versions is later, and what to do
// about a hub of another version.
//
// The number is in the file VERSION and nowhere else. make adds the number of commits since the one that set the version, as
// in 0.9.0+12.gabc1234, and a build without make the time of its commit, as in 0.9.0+dev.20260131080000, so that Newer can
// compare two builds of a clone.
package version

import (
	_ "embed"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/semver"
)

//go:embed VERSION
var number string

// built is the version number with the build, as build/version.sh prints them. The linker sets it.
var built string

// Current returns the version of this program. A program that was not built by make has the build "dev", with the time
// of its commit if Go has stored it in the program.
var Current = sync.OnceValue(func() string {
	if built != "" {
		return built
	}
	version := strings.TrimSpace(number) + "+dev"
	if info, ok := debug.ReadBuildInfo(); ok {
		version += committed(info.Settings)
	}
	return version
})

// committedForm is the form of the time of a commit in a version.
const committedForm = "20060102150405"

// committed returns the time of the commit in the settings of a build, as a part of a version; "" if there is none.
func committed(settings []debug.BuildSetting) (build string) {
	modified := ""
	for _, s := range settings {
		switch at, err := time.Parse(time.RFC3339, s.Value); {
		case s.Key == "vcs.time" && err == nil:
			build = "." + at.UTC().Format(committedForm)
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ".dirty"
		}
	}
	return build + modified
}

// Difference says how the version of the running hub differs from that of a program, and what to do about it. It
// returns "" if they are the same.
func Difference(hub, program string) string {
	switch {
	case hub == program:
		return ""
	case Newer(program, hub):
		return fmt.Sprintf("the hub is older (version %s) than this program (version %s); it is replaced as soon as no client uses it, "+
			"or now with: agent-discover restart", hub, program)
	case Newer(hub, program):
		return fmt.Sprintf("the hub is newer (version %s) than this program (version %s); update this program, or replace the hub with: "+
			"agent-discover restart", hub, program)
	}
	return fmt.Sprintf("the hub is another build (version %s) than this program (version %s); to run this one: agent-discover restart",
		hub, program)
}

// Newer reports whether version a is later than b by the rules of semantic versions. If both have the same number, the
// one with more commits since that number was set is later; of two builds without make, the one of the later commit. If
// a or b is not a version, Newer returns false.
func Newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	if !semver.IsValid(a) || !semver.IsValid(b) {
		return false
	}
	if order := semver.Compare(a, b); order != 0 {
		return order > 0
	}
	if atA, atB := commitTime(a), commitTime(b); atA != "" && atB != "" {
		return atA > atB
	}
	return commits(a) > commits(b)
}

// commitTime returns the time of the commit of a build without make, in committedForm, or "" if the version has none.
func commitTime(version string) string {
	build, dev := strings.CutPrefix(semver.Build(version), "+dev.")
	at, _, _ := strings.Cut(build, ".")
	if _, err := time.Parse(committedForm, at); !dev || err != nil {
		return ""
	}
	return at
}

// commits returns the number of commits in the build of a version, or 0 if it contains none.
func commits(version string) int {
	count, _, _ := strings.Cut(strings.TrimPrefix(semver.Build(version), "+"), ".")
	n, err := strconv.Atoi(count)
	if err != nil {
		return 0
	}
	return n
}
