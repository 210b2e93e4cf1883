package pattern

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// expression is a regular expression between slashes.
type expression struct {
	compiled *regexp.Regexp
	// needed lists lower-case texts; every matching ASCII name contains at least one.
	// It is nil if none are known. Searching for them is ten times as fast as matching.
	needed []string
}

// flags are the flags that may follow the second slash. They are flags of RE2.
const flags = "ims"

func parseRegexp(text string) (matcher, *Error) {
	end := strings.LastIndexByte(text, '/')
	if end == 0 {
		return nil, errorAt(0, `a regular expression needs a closing "/"`)
	}
	body := text[1:end]
	if body == "" {
		return nil, errorAt(1, "the regular expression is empty")
	}
	for i, flag := range text[end+1:] {
		if !strings.ContainsRune(flags, flag) {
			return nil, errorAt(end+1+i, "unknown flag %q; use i (ignore case), m (^ and $ match at lines) and s (. matches line feeds)",
				flag)
		}
	}
	if chosen := text[end+1:]; chosen != "" {
		body = "(?" + chosen + ")" + body
	}
	compiled, err := regexp.Compile(body)
	if err != nil {
		return nil, explain(text[1:end], err)
	}
	tree, err := syntax.Parse(body, syntax.Perl)
	if err != nil {
		return nil, explain(text[1:end], err)
	}
	return expression{compiled, needed(tree.Simplify())}, nil
}

// explain returns the error of the parser with the position of the part at fault.
func explain(body string, err error) *Error {
	var at *syntax.Error
	if !errors.As(err, &at) {
		return errorAt(1, "not a valid regular expression")
	}
	reason := "not a valid regular expression: " + at.Code.String()
	if at.Code == syntax.ErrInvalidPerlOp || at.Code == syntax.ErrInvalidEscape {
		reason += " (RE2 has no look-around and no back-references)"
	}
	return errorAt(1+max(0, strings.Index(body, at.Expr)), "%s", reason)
}

func (e expression) matches(n Name) bool {
	if e.needed != nil && n.lower != "" &&
		!slices.ContainsFunc(e.needed, func(part string) bool { return strings.Contains(n.lower, part) }) {
		return false
	}
	return e.compiled.MatchString(n.text)
}

// maxNeeded limits the number of texts in expression.needed. Searching a name for more texts takes longer than
// matching the expression.
const maxNeeded = 16

// needed returns lower-case texts such that every ASCII name that the expression
// matches contains at least one of them, or nil if it finds none.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= 0x80 {
				return nil
			}
		}
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpConcat:
		return longest(re.Sub)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			of := needed(sub)
			if of == nil || len(all)+len(of) > maxNeeded {
				return nil
			}
			all = append(all, of...)
		}
		return all
	}
	return nil
}

// longest returns the result of needed for one part of a sequence. It compares the
// parts by the shortest text that needed returns for each, and chooses the part for
// which this text is longest, because long texts are rare in names.
func longest(parts []*syntax.Regexp) (best []string) {
	size := 0
	for _, sub := range parts {
		of := needed(sub)
		if of == nil {
			continue
		}
		least := len(of[0])
		for _, text := range of {
			least = min(least, len(text))
		}
		if least > size {
			best, size = of, least
		}
	}
	return best
}
