package secrets

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// referenceOpen is the beginning of a reference ${secret:NAME}.
const referenceOpen = "${secret:"

// Reference returns the reference ${secret:NAME}, which Fill replaces with the
// value of the secret.
func Reference(name string) string { return referenceOpen + name + "}" }

// References returns the names in the references of a text. A reference to a
// secret of another server has the form OWNER/NAME.
func References(text string) []string {
	var names []string
	_, _ = resolve(text, func(name string) (string, error) { // the references before a malformed one count
		names = append(names, name)
		return "", nil
	})
	return names
}

// References returns the names in the references of a launch, sorted.
func (l Launch) References() []string {
	texts := append(slices.Clone(l.Args), l.URL)
	texts = slices.AppendSeq(slices.AppendSeq(texts, maps.Values(l.Env)), maps.Values(l.Headers))
	var names []string
	for _, text := range texts {
		names = append(names, References(text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// resolve returns text with every reference replaced with the result of value
// for the name in it. A malformed reference is a fault.Invalid.
func resolve(text string, value func(name string) (string, error)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, referenceOpen)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" {
			return "", fault.New(fault.Invalid, "a reference must have the form %s", Reference("NAME"))
		}
		secret, err := value(name)
		if err != nil {
			return "", err
		}
		out.WriteString(secret)
		text = after
	}
}

// IsReference reports whether a value consists of references, perhaps after the
// scheme of an authorization. It is then no credential itself.
func IsReference(value string) bool {
	count := 0
	rest := replaceReferences(credentialOf(value), func(string) string {
		count++
		return ""
	})
	return count > 0 && strings.TrimSpace(rest) == ""
}

// replaceReferences replaces the references to secrets and variables in a text, as
// Agent Discover or an editor spells them: ${NAME}, ${secret:NAME}, ${{ NAME }},
// {{NAME}} and {env:NAME}. One with a default is left, because that may be a
// credential.
func replaceReferences(text string, with func(reference string) string) string {
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

// doubleEnd returns where {{…}} ends, simpleEnd where {…} without a default ends,
// and envEnd where {env:NAME} ends. They return 0 for other texts.
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

// firstStandIn is the first of the private characters that replace references while
// a text is searched for credentials, and maxStandIns is their number.
const (
	firstStandIn = '\ue000'
	maxStandIns  = 0x1900
)

// hideReferences replaces each reference in a text by a character of its own.
func hideReferences(text string) (hidden string, references []string) {
	if !strings.Contains(text, "{") || strings.ContainsFunc(text, isStandIn) {
		return text, nil
	}
	return replaceReferences(text, func(found string) string {
		if len(references) == maxStandIns || hasToken(found) {
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
