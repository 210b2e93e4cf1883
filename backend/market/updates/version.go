package updates

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	numbered = regexp.MustCompile(`^[vV]?\d`)
	token    = regexp.MustCompile(`\d+|[A-Za-z]+`)
)

// newer reports whether a version is newer than another. Digests and versions that do not begin with a number have no
// order: a different one counts as newer, because the name now refers to it.
func newer(version, than string) bool {
	if version == "" || version == than {
		return false
	}
	if !numbered.MatchString(version) || !numbered.MatchString(than) || strings.Contains(version+than, ":") {
		return true
	}
	return compareVersions(version, than) > 0
}

// compareVersions orders versions as npm, Python and NuGet do: by their numbers, with 1.0-beta and 1.0rc1 before 1.0, and
// 1.0.post1 after it.
func compareVersions(a, b string) int {
	left, right := tokens(a), tokens(b)
	for i := range max(len(left), len(right)) {
		if c := cmp.Compare(rank(left, i), rank(right, i)); c != 0 {
			return c
		}
		if i < len(left) && i < len(right) {
			if c := compareTokens(left[i], right[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

// tokens returns the numbers and words of a version, without a part after a plus sign and without trailing zeros of
// its numbers.
func tokens(version string) []string {
	version, _, _ = strings.Cut(strings.TrimLeft(version, "vV"), "+")
	all := token.FindAllString(version, -1)
	numbers := slices.IndexFunc(all, func(t string) bool { return t[0] > '9' })
	if numbers < 0 {
		numbers = len(all)
	}
	last := numbers
	for last > 1 && strings.Trim(all[last-1], "0") == "" {
		last--
	}
	return slices.Delete(all, last, numbers)
}

// rank orders tokens of different kinds at the same index: a word such as beta is less than the end of the version,
// which is less than post, which is less than a number.
func rank(all []string, i int) int {
	switch {
	case i >= len(all):
		return 1
	case all[i] == "post":
		return 2
	case all[i][0] >= '0' && all[i][0] <= '9':
		return 3
	}
	return 0
}

func compareTokens(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	if c := cmp.Compare(phase(a), phase(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// phase orders the words in Python versions: dev is less than alpha.
func phase(word string) int {
	if word == "dev" {
		return 0
	}
	return 1
}
