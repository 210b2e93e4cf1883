package secretscan

import (
	"strings"
	"unicode/utf8"
)

// IsReference reports whether a value consists of references, possibly after an authentication scheme such as Bearer.
// Such a value is no credential.
func IsReference(value string) bool {
	count := 0
	rest := ReplaceReferences(WithoutScheme(value), func(string) string {
		count++
		return ""
	})
	return count > 0 && strings.TrimSpace(rest) == ""
}

// ReplaceReferences replaces the references to secrets and variables in a text, as Agent Discover or an editor spells
// them: ${NAME}, ${secret:NAME}, ${{ NAME }}, {{NAME}} and {env:NAME}. It leaves a reference with a default, because
// the default may be a credential.
func ReplaceReferences(text string, with func(reference string) string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		brace := strings.IndexByte(text[i:], '{')
		if brace < 0 {
			break
		}
		from := i + brace
		end := 0
		if from > done && text[from-1] == '$' {
			if end = doubleEnd(text, from); end == 0 {
				end = simpleEnd(text, from)
			}
		}
		if end > 0 {
			from--
		} else if end = doubleEnd(text, from); end == 0 {
			end = envEnd(text, from)
		}
		if i = from + 1; end > 0 {
			b.WriteString(text[done:from])
			b.WriteString(with(text[from:end]))
			i, done = end, end
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// doubleEnd returns the end of {{…}}, simpleEnd that of {…} without a default, and envEnd that of {env:NAME}. They
// return 0 for other texts.
func doubleEnd(text string, from int) int {
	if !strings.HasPrefix(text[from:], "{{") {
		return 0
	}
	n := strings.IndexAny(text[from+2:], "{}")
	if n < 0 || !strings.HasPrefix(text[from+2+n:], "}}") {
		return 0
	}
	return from + 2 + n + 2
}

func simpleEnd(text string, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '}':
			return i + 1
		case '{':
			return 0
		case ':':
			if i++; i == len(text) || strings.IndexByte("{}-", text[i]) >= 0 {
				return 0
			}
		}
	}
	return 0
}

func envEnd(text string, from int) int {
	if !strings.HasPrefix(text[from:], "{env:") {
		return 0
	}
	name := from + len("{env:")
	end := name
	for end < len(text) && inWord[text[end]] {
		end++
	}
	if end > name && strings.HasPrefix(text[end:], "}") {
		return end + 1
	}
	return 0
}

// firstStandIn is the first of the private-use characters that replace references while a text is searched for
// credentials, and maxStandIns is their number.
const (
	firstStandIn = '\ue000'
	maxStandIns  = 0x1900
)

// hideReferences replaces each reference in a text by a character of its own.
func hideReferences(text string) (hidden string, references []string) {
	if !strings.Contains(text, "{") || strings.ContainsFunc(text, isStandIn) {
		return text, nil
	}
	return ReplaceReferences(text, func(found string) string {
		if len(references) == maxStandIns || HasToken(found) {
			return found
		}
		references = append(references, found)
		return string(firstStandIn + rune(len(references)-1))
	}), references
}

func isStandIn(r rune) bool { return r >= firstStandIn && r < firstStandIn+maxStandIns }

// isHidden reports whether a value consists of hidden references.
func isHidden(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool { return !isStandIn(r) && r != ' ' })
}

// showReferences undoes hideReferences.
func showReferences(text string, references []string) string {
	if len(references) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for i, r := range text {
		if isStandIn(r) {
			b.WriteString(text[done:i])
			b.WriteString(references[r-firstStandIn])
			done = i + utf8.RuneLen(r)
		}
	}
	b.WriteString(text[done:])
	return b.String()
}
