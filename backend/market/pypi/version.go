package pypi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// finalVersion matches a version that is not a pre-release in the sense of PEP 440, such as 1.2.3.post1.
var finalVersion = lazyregexp.New(`^(?:([0-9]+)!)?([0-9]+(?:\.[0-9]+)*)(?:\.post([0-9]+))?$`)

// anyVersion matches a valid version, including pre-releases.
var anyVersion = lazyregexp.New(`^[0-9][0-9A-Za-z.!+_-]*$`)

// newest returns the highest version that is not a pre-release, and "" if there is none.
func newest(versions []string) string {
	best := ""
	for _, v := range versions {
		if finalVersion.MatchString(v) && (best == "" || slices.Compare(versionKey(v), versionKey(best)) > 0) {
			best = v
		}
	}
	return best
}

// versionKey returns the numbers that order versions: 1.0 and 1.0.0 have equal keys.
func versionKey(version string) []int {
	m := finalVersion.FindStringSubmatch(version)
	key := []int{number(m[1])}
	for part := range strings.SplitSeq(m[2], ".") {
		key = append(key, number(part))
	}
	for len(key) < 8 {
		key = append(key, 0)
	}
	post := -1
	if m[3] != "" {
		post = number(m[3])
	}
	return append(key, post)
}

func number(text string) int {
	n, _ := strconv.Atoi(cmp.Or(text, "0")) // a number out of range becomes the largest int
	return n
}
