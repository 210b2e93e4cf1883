package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// alternatives say the same as a regular expression about an ASCII name: it matches if the
// name contains one of some texts. Looking for them is many times as fast as matching.
type alternatives struct {
	texts      []string
	fold       bool // the texts are in lower case, and so is the name
	start, end bool // the text must be at the start, or the end, of the name
}

func (a *alternatives) matches(n Name) bool {
	name := n.text
	if a.fold {
		name = n.lower
	}
	for _, text := range a.texts {
		found := false
		switch {
		case a.start && a.end:
			found = name == text
		case a.start:
			found = strings.HasPrefix(name, text)
		case a.end:
			found = strings.HasSuffix(name, text)
		default:
			found = strings.Contains(name, text)
		}
		if found {
			return true
		}
	}
	return false
}

// alternativesOf returns the alternatives of a simplified expression, and nil if it is not
// as simple as /^(get|list)_/ or /(issue|branch)s?$/.
func alternativesOf(re *syntax.Regexp) *alternatives {
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	var a alternatives
	if parts[0].Op == syntax.OpBeginText {
		a.start, parts = true, parts[1:]
	}
	if last := len(parts) - 1; last >= 0 && parts[last].Op == syntax.OpEndText {
		a.end, parts = true, parts[:last]
	}
	e := expansion{}
	texts := e.sequence(parts)
	if e.failed || e.folded && e.exact {
		return nil
	}
	a.texts, a.fold = texts, e.folded
	return &a
}

// expansion writes an expression as the texts that it matches.
type expansion struct {
	failed        bool
	folded, exact bool // letters that match both cases, or one only
}

func (e *expansion) sequence(parts []*syntax.Regexp) []string {
	texts := []string{""}
	for _, part := range parts {
		var longer []string
		for _, after := range e.of(part) {
			for _, before := range texts {
				longer = append(longer, before+after)
			}
		}
		if texts = longer; e.failed || len(texts) > maxNeeded {
			e.failed = true
			return nil
		}
	}
	return texts
}

func (e *expansion) of(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpLiteral:
		return []string{e.literal(re)}
	case syntax.OpCharClass:
		return e.class(re.Rune)
	case syntax.OpCapture:
		return e.of(re.Sub[0])
	case syntax.OpConcat:
		return e.sequence(re.Sub)
	case syntax.OpQuest:
		return append(slices.Clip(e.of(re.Sub[0])), "")
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, e.of(sub)...)
		}
		return all
	}
	e.failed = true
	return nil
}

func (e *expansion) literal(re *syntax.Regexp) string {
	text := string(re.Rune)
	letters := strings.ToLower(text) != strings.ToUpper(text)
	folds := re.Flags&syntax.FoldCase != 0
	e.folded = e.folded || letters && folds
	e.exact = e.exact || letters && !folds
	if folds {
		return strings.ToLower(text)
	}
	return text
}

// class returns the characters of a small class. A class whose letters have both cases
// may come from a flag; it is left to the regular expression.
func (e *expansion) class(ranges []rune) (texts []string) {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > maxNeeded {
			e.failed = true
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if letter := r|0x20 >= 'a' && r|0x20 <= 'z'; letter {
				e.exact = true
			}
			texts = append(texts, string(r))
		}
	}
	return texts
}
