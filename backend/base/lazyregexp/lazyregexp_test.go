package lazyregexp_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

func TestAnExpressionMatchesLikeOneThatIsCompiledAtOnce(t *testing.T) {
	r := lazyregexp.New(`(\w)-(\d)`)
	if !r.MatchString("x a-1") || r.MatchString("a1") || r.FindStringSubmatch("x a-1")[2] != "1" {
		t.Error("the expression does not match")
	}
	if got := r.ReplaceAllString("a-1 b-2", "$2$1"); got != "1a 2b" {
		t.Errorf("replaced: %q", got)
	}
}

func TestAWrongExpressionFailsTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was accepted")
		}
	}()
	lazyregexp.New("(")
}
