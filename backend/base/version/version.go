// Package version says which version of Agent Discover a program is, and which of two versions is later.
//
// The number is in the file VERSION and nowhere else. make adds the number of commits since the one that set the version, as
// in 0.9.0+12.gabc1234, so that Newer can compare two builds of a clone.
package version

import (
	_ "embed"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

//go:embed VERSION
var number string

// built is the version number with the build, as build/version.sh prints them. The linker sets it.
var built string

// Current returns the version of this program. A program that was not built by make has the build "dev".
func Current() string {
	if built != "" {
		return built
	}
	return strings.TrimSpace(number) + "+dev"
}

// Newer reports whether version a is later than b by the rules of semantic versions. If both have the same number, the
// one with more commits since that number was set is later. If a or b is not a version, Newer returns false.
func Newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	if !semver.IsValid(a) || !semver.IsValid(b) {
		return false
	}
	if order := semver.Compare(a, b); order != 0 {
		return order > 0
	}
	return commits(a) > commits(b)
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
