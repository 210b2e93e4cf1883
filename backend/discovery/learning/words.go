package learning

import (
	"slices"
	"strings"
	"unicode"
)

// deed is a kind of act. A verb that may mean several has all of them.
type deed uint16

const (
	makes deed = 1 << iota
	looks
	changes
	removes
	begins
	ends
	brings
	takes
)

// deeds are verbs whose kind is beyond doubt: who wants to remove a label is
// not helped by what once added one, though all other words are the same.
var deeds = deedsOf(map[deed]string{
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
	// a file is opened to be read, an issue to be there, a door to be passed
	makes | looks | begins: "open",
})

func deedsOf(kinds map[deed]string) map[string]deed {
	out := make(map[string]deed)
	for kind, verbs := range kinds {
		for _, verb := range strings.Fields(verbs) {
			out[verb] = kind
		}
	}
	return out
}

// fillers say nothing about what is needed.
var fillers = fillersOf(`a about all also am an and any are as at be been but by can could did do does for from had has
	have how i if in into is it its just let like may me might must my need of on or our please should so some such than
	that the their them then there these they this those to tool us use using via want was we were what when where
	which who will with would you your`)

func fillersOf(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// need is a query as it is compared with others.
type need struct {
	words []string // that say something: sorted, each once
	deeds deed
}

func (n need) key() string { return strings.Join(n.words, " ") }

// needOf takes a query apart into words in singular and lower case. Names are
// cut at signs and where their case changes: createIssue is create and issue.
// Numbers and single letters name what is worked on, not what is to be done.
func needOf(text string) need {
	var n need
	for _, word := range split(text) {
		if !fillers[word] {
			word = singular(word)
			n.words = append(n.words, word)
			n.deeds |= deeds[word]
		}
	}
	slices.Sort(n.words)
	n.words = slices.Compact(n.words)
	return n
}

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

// opposed reports whether deeds are different things to do.
func opposed(a, b deed) bool { return a != 0 && b != 0 && a&b == 0 }

// likeness is the share of common words among all words of two needs, 1 for
// the same words: Jaccard, "The Distribution of the Flora in the Alpine Zone"
// (1912). Needs to do different things are not alike.
func likeness(a, b need) float64 {
	if opposed(a.deeds, b.deeds) {
		return 0
	}
	return share(common(a, b), len(a.words), len(b.words))
}

// share is the share of common words, given how many words there are.
func share(shared, a, b int) float64 {
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(a+b-shared)
}

func common(a, b need) int {
	n := 0
	for _, word := range a.words {
		if _, ok := slices.BinarySearch(b.words, word); ok {
			n++
		}
	}
	return n
}
