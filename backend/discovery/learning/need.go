package learning

import (
	"slices"
	"strings"
	"unicode"
)

// action is a set of operations, such as read or delete, that a verb may mean.
type action uint16

const (
	makes action = 1 << iota
	looks
	changes
	removes
	begins
	ends
	brings
	takes
)

// actions maps verbs to the operations that they may mean. Queries whose verbs
// have no operation in common are not similar even if all other words agree: a
// tool that added a label does not help to remove one.
var actions = actionsOf(map[action]string{
	makes:           "create add make insert write save append register",
	looks:           "get fetch list show find search read view browse display retrieve lookup query count",
	changes:         "update change edit modify rename set replace patch move",
	removes:         "delete remove destroy drop erase clear purge uninstall",
	begins:          "start enable activate resume launch unlock subscribe",
	ends:            "stop disable deactivate pause kill close lock unsubscribe cancel end",
	brings | looks:  "download export",
	takes | makes:   "upload import send post publish",
	makes | begins:  "install",
	makes | changes: "put",
	// opening a file reads it, opening an issue creates it, opening a connection
	// starts it
	makes | looks | begins: "open",
})

func actionsOf(kinds map[action]string) map[string]action {
	out := make(map[string]action)
	for kind, verbs := range kinds {
		for _, verb := range strings.Fields(verbs) {
			out[verb] = kind
		}
	}
	return out
}

// fillers are words that do not describe a need.
var fillers = strings.Fields(`a about all also am an and any are as at be been but by can could did do does for from had has
	have how i if in into is it its just let like may me might must my need of on or our please should so some such than
	that the their them then there these they this those to tool us use using via want was we were what when where
	which who will with would you your`)

// need is a query in the form in which queries are compared.
type need struct {
	words   []string // without fillers, sorted, each once
	actions action
}

func (n need) key() string { return strings.Join(n.words, " ") }

// needOf parses a query into words in lower case and singular. Names are split
// at punctuation and at changes of case: createIssue becomes create and issue.
// Numbers and single letters are dropped, because they identify an object rather
// than an operation.
func needOf(text string) need {
	var n need
	for _, word := range split(text) {
		if !slices.Contains(fillers, word) {
			word = singular(word)
			n.words = append(n.words, word)
			n.actions |= actions[word]
		}
	}
	slices.Sort(n.words)
	n.words = slices.Compact(n.words)
	return n
}

// split returns the words of a text in lower case, without numbers and single
// ASCII letters.
func split(text string) []string {
	var out []string
	var word []rune
	letters := 0
	flush := func() {
		if letters > 1 || letters == 1 && word[0] > unicode.MaxASCII {
			out = append(out, string(word))
		}
		word, letters = word[:0], 0
	}
	var last rune
	for _, r := range text {
		letter := unicode.IsLetter(r)
		if !letter && !unicode.IsDigit(r) && !unicode.IsMark(r) || unicode.IsUpper(r) && unicode.IsLower(last) {
			flush()
		}
		if letter {
			letters++
		}
		if letter || unicode.IsDigit(r) || unicode.IsMark(r) {
			word = append(word, unicode.ToLower(r))
		}
		last = r
	}
	flush()
	return out
}

// singular returns the singular of an English noun, by its ending.
func singular(w string) string {
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	}
	return strings.TrimSuffix(w, "s")
}

// opposed reports whether two sets of operations have none in common. An empty
// set is not opposed to any set.
func opposed(a, b action) bool { return a != 0 && b != 0 && a&b == 0 }

// share returns the similarity of a set of a words and a set of b words, which have shared
// words in common: Jaccard, "The Distribution of the Flora in the Alpine Zone" (1912).
func share(shared, a, b int) float64 {
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(a+b-shared)
}

// common returns the number of words that two needs share.
func common(a, b need) int {
	n := 0
	for _, word := range a.words {
		if _, ok := slices.BinarySearch(b.words, word); ok {
			n++
		}
	}
	return n
}
