package injection

import (
	"regexp"
	"strings"
	"testing"
)

const (
	oneForm     = `(?:\*|@[a-z]+[!+]?|[\pL\d-][\pL\d'./_-]*)`
	elementForm = `(?:(?:~\d+|[,:]) )*\??\^?` + oneForm + `(?:\|` + oneForm + `)*`
	partForm    = elementForm + `(?: ` + elementForm + `)*`
)

var grammar = regexp.MustCompile(`^` + partForm + `(?: & ` + partForm + `)*$`)

func TestPatternsFollowTheGrammar(t *testing.T) {
	for _, rule := range ruleTable {
		for _, pattern := range rule.patterns {
			if !grammar.MatchString(pattern) {
				t.Errorf("%s: %q does not follow the grammar", rule.name, pattern)
			}
			for side := range strings.SplitSeq(pattern, " & ") {
				if strings.HasPrefix(side, "~") {
					t.Errorf("%s: %q has a gap before the first element of a part, which says nothing", rule.name, pattern)
				}
			}
		}
	}
}

func TestThePatternsOfOtherGrammarsAreRecognized(t *testing.T) {
	for _, pattern := range []string{"", "@", "a  b", "a &b", "a & ", "a || b", "~x a", "a ~3", "@class? a", "a ^", "?^", "?a|", "a , & b"} {
		if grammar.MatchString(pattern) {
			t.Errorf("%q is taken for a pattern", pattern)
		}
	}
}
