package search

import (
	"strings"
	"unicode"
)

// canonical maps a verb to the one that stands for its kind.
var canonical = verbs(map[string]string{
	"create": "add make new open provision register",
	"get":    "fetch retrieve read load pull",
	"list":   "show display enumerate browse",
	"update": "change edit modify set patch",
	"delete": "cancel remove destroy drop",
	"search": "find query lookup",
})

// kindWeight is what a verb's kind counts against the verb itself.
const kindWeight = 0.5

// stopWords carry no intent: they are dropped from queries, where they would
// only thin out what the other words say.
var stopWords = set(`a an and any are as at be by can could do does for from has have how i if in into is it its me my
	need of on or our please so some that the their them there these this to us use using want was we what when where
	which who will with would you your`)

func verbs(kinds map[string]string) map[string]string {
	out := make(map[string]string)
	for kind, others := range kinds {
		out[kind] = kind
		for _, verb := range strings.Fields(others) {
			out[verb] = kind
		}
	}
	return out
}

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// terms takes a text apart into words in singular and lower case. Names are
// cut at signs and where their case changes: createIssue is create and issue.
func terms(text string) []string {
	var out []string
	word := make([]rune, 0, 32)
	flush := func() {
		if len(word) > 1 || len(word) == 1 && word[0] > unicode.MaxASCII {
			out = append(out, singular(string(word)))
		}
		word = word[:0]
	}
	var last rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			fallthrough
		default:
			word = append(word, unicode.ToLower(r))
		}
		last = r
	}
	flush()
	return out
}

func singular(w string) string {
	switch {
	case len(w) <= 3 || strings.HasSuffix(w, "ss"):
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ses") || strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}
