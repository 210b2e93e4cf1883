package prerequisites

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Requirement describes the programs that a package needs to run.
type Requirement struct {
	// Programs are alternatives, of which one has to work, in order of preference.
	Programs []string `json:"programs"`
	// Of is the program whose version must be in the range Versions. It is empty if every version works.
	Of       string `json:"of,omitempty"`
	Versions string `json:"versions,omitempty"` // in the notation of npm or Python, such as >=18 or >=3.10,<4
}

// Meets returns the program that meets a requirement. If none does, p is the program to install or repair, and
// problem is a sentence that says why p does not meet the requirement.
func (r Report) Meets(q Requirement) (p Program, problem string) {
	if len(q.Programs) == 0 {
		return Program{Works: true}, ""
	}
	for _, name := range q.Programs {
		if p = r.Program(name); p.Works {
			return p, r.outdated(p, q)
		}
	}
	for _, name := range q.Programs { // prefer to repair an installed program
		if p = r.Program(name); p.Path != "" {
			return p, p.Problem
		}
	}
	return r.Program(q.Programs[0]), strings.Join(q.Programs, " or ") + " is not installed."
}

func (r Report) outdated(p Program, q Requirement) string {
	if q.Of == "" || q.Versions == "" {
		return ""
	}
	of := p
	if q.Of != p.Name {
		of = r.Program(q.Of)
	}
	if of.Version == "" || Allows(q.Versions, of.Version) {
		return ""
	}
	return fmt.Sprintf("%s has the version %s, but the package needs %s.", of.Name, of.Version, q.Versions)
}

// Allows reports whether a version is in a range in the notation of npm's engines or Python's requires-python. If the
// range or the version cannot be parsed, Allows returns true, because the package may run.
func Allows(versions, version string) bool {
	have, _, ok := parse(version)
	if !ok {
		return true
	}
	return slices.ContainsFunc(strings.Split(versions, "||"), func(one string) bool { return allowsAll(one, have) })
}

var (
	hyphened   = regexp.MustCompile(`^\s*v?([\d.xX*]+)\s+-\s+v?([\d.xX*]+)\s*$`)
	comparison = regexp.MustCompile(
		`(~=|===?|!=|>=|<=|>|<|=|\^|~)?\s*v?(\d+(?:\.(?:\d+|[xX*]))*|[xX*])(?:[-+][0-9A-Za-z.+-]+|(?:a|b|rc|\.dev|\.post)\d+)?`,
	)
)

func allowsAll(versions string, have [3]int) bool {
	if ends := hyphened.FindStringSubmatch(versions); ends != nil {
		versions = ">=" + ends[1] + " <=" + ends[2]
	}
	rest := strings.Trim(comparison.ReplaceAllString(versions, ""), " ,\t")
	if rest != "" {
		return true // an unknown notation
	}
	for _, c := range comparison.FindAllStringSubmatch(versions, -1) {
		if !allows(c[1], c[2], have) {
			return false
		}
	}
	return true
}

func allows(operator, text string, have [3]int) bool {
	want, parts, ok := parse(text)
	if !ok || parts == 0 {
		return true
	}
	upTo := func(part int) [3]int { // returns the lowest version above all versions that begin with the first part+1 numbers of want
		next := [3]int{}
		copy(next[:], want[:part+1])
		next[part]++
		return next
	}
	switch operator {
	case ">=":
		return !less(have, want)
	case ">":
		return !less(have, upTo(parts-1))
	case "<":
		return less(have, want)
	case "<=":
		return less(have, upTo(parts-1))
	case "!=":
		return less(have, want) || !less(have, upTo(parts-1))
	case "^":
		part := 0
		for part < parts-1 && want[part] == 0 {
			part++
		}
		return !less(have, want) && less(have, upTo(part))
	case "~":
		return !less(have, want) && less(have, upTo(min(parts-1, 1)))
	case "~=":
		return !less(have, want) && less(have, upTo(max(parts-2, 0)))
	}
	return !less(have, want) && less(have, upTo(parts-1))
}

// parse returns the first three numbers of a version. parts is how many of them the version has before its end, or
// before an x or *.
func parse(text string) (numbers [3]int, parts int, ok bool) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "v")
	if i := strings.IndexAny(text, "-+"); i >= 0 {
		text = text[:i]
	}
	for i, part := range strings.Split(text, ".") {
		if i == 3 || part == "x" || part == "X" || part == "*" {
			break
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return numbers, 0, false
		}
		numbers[i], parts = n, i+1
	}
	return numbers, parts, true
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
