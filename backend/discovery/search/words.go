package search

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
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

// abbreviations are short forms that are as common as what they stand for.
var abbreviations = map[string]string{
	"auth": "authentication", "config": "configuration", "db": "database", "dir": "directory", "doc": "document",
	"docs": "documentation", "env": "environment", "img": "image", "k8s": "kubernetes", "mail": "email",
	"mr": "merge request", "msg": "message", "pic": "picture", "pr": "pull request", "repo": "repository",
	"repos": "repository",
}

// stopWords carry no intent: they are dropped from queries, where they would
// only thin out what the other words say.
var stopWords = set(`a am an and any are as at be been being but by can could did do does don for from had has have he
	help her him his how i if in into is it its just let like ll may me might more must my need no not now of on only
	or other our out over own please same shall she should so some such than that the their them then there these they
	this those through to too up us use using ve very want was we were what when where which while who whom why will
	with would you your`)

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

// eachWord takes a text apart into words in lower case, and shows them in
// order. Names are cut at signs and where their case changes: createIssue is
// create and issue, HTTPServer is http and server. What is cut in two is shown
// whole, too, for it may be one word to people: MySQL, GitHub. Scripts that
// write no spaces are shown in pairs of letters. The word is only lent.
func eachWord(text string, visit func(word []byte)) {
	var s splitter
	s.split(text, visit)
}

// splitter is eachWord for many texts.
type splitter struct {
	run   []byte // letters without a sign between them
	begin int    // of the word in it
	cuts  int    // before that
	parts bool   // what is cut in two is not shown whole
}

// cut ends a word.
func (s *splitter) cut(visit func(word []byte)) {
	if len(s.run)-s.begin > 1 {
		visit(s.run[s.begin:])
	}
	s.begin = len(s.run)
}

// flush ends a run of letters.
func (s *splitter) flush(visit func(word []byte)) {
	s.cut(visit)
	if s.cuts == 1 && !s.parts {
		visit(s.run)
	}
	s.run, s.begin, s.cuts = s.run[:0], 0, 0
}

// capital ends a word before a capital that begins another.
func (s *splitter) capital(last rune, rest string, visit func(word []byte)) {
	if len(s.run) > s.begin && begins(rest, last) {
		s.cut(visit)
		s.cuts++
	}
}

func (s *splitter) split(text string, visit func(word []byte)) {
	var last rune
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			switch kind := kindOf[c]; {
			case kind == sign:
				s.flush(visit)
			case kind == capital:
				s.capital(last, text[i:], visit)
				fallthrough
			default:
				s.run = append(s.run, lower[c])
			}
			last = rune(c)
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		s.rune(r, last, text[i:], visit)
		last = r
	}
	s.flush(visit)
}

// rune takes one letter of another script than the English; rest is what
// stands after it.
func (s *splitter) rune(r, last rune, rest string, visit func(word []byte)) {
	switch {
	case unspaced(r):
		s.flush(visit)
		if next, _ := utf8.DecodeRuneInString(rest); unspaced(next) {
			visit(utf8.AppendRune(utf8.AppendRune(s.run, r), next))
		} else if !unspaced(last) {
			visit(utf8.AppendRune(s.run, r))
		}
	case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		s.flush(visit)
	default:
		if unicode.IsUpper(r) {
			s.capital(last, rest, visit)
		}
		s.run = utf8.AppendRune(s.run, unicode.ToLower(r))
	}
}

// What the signs of ASCII are, and what they are in lower case.
const (
	sign = iota
	letter
	capital
)

var kindOf, lower = func() (kinds, lower [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		r := rune(c)
		lower[c] = byte(unicode.ToLower(r))
		switch {
		case unicode.IsUpper(r):
			kinds[c] = capital
		case unicode.IsLetter(r), unicode.IsDigit(r):
			kinds[c] = letter
		}
	}
	return kinds, lower
}()

// begins reports whether a capital begins a word, from what stands before and
// after it. The plural of an abbreviation is none: IDs.
func begins(rest string, last rune) bool {
	if unicode.IsLower(last) || unicode.IsDigit(last) {
		return true
	}
	next, n := utf8.DecodeRuneInString(rest)
	later, _ := utf8.DecodeRuneInString(rest[n:])
	return unicode.IsUpper(last) && unicode.IsLower(next) && (next != 's' || unicode.IsLower(later))
}

func unspaced(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) ||
		r >= 0x0E00 && r < 0x0E80
}

// splitSpace cuts a text at its spaces.
func splitSpace(text string) []string { return strings.FieldsFunc(text, unicode.IsSpace) }

// words returns the words of a text.
func words(text string) []string {
	var out []string
	eachWord(text, func(word []byte) { out = append(out, string(word)) })
	return out
}

// squashed is a name without its signs and cases, so that create_issue and
// createIssue are one.
func squashed(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// forms are the terms that stand for one word in the index; -1 where it has
// none of that form.
type forms struct{ stem, surface, kind int32 }

// vocabulary numbers words and the terms that stand for them. It only grows:
// a number once given keeps its meaning. It is safe for concurrent use.
type vocabulary struct {
	mu      sync.RWMutex
	words   map[string]int32
	forms   []forms          // by the word's number
	byTerm  []string         // the word of a surface term, "" for other terms
	letters []uint64         // those of each word of byTerm
	stems   map[string]int32 // terms by stem
	kinds   map[string]int32 // terms by canonical verb
	stemmer *snowballstem.Env
}

func newVocabulary() *vocabulary {
	return &vocabulary{
		words: make(map[string]int32), stems: make(map[string]int32), kinds: make(map[string]int32),
		stemmer: snowballstem.NewEnv(""),
	}
}

// add returns the number of a word, which it gives if need be.
func (v *vocabulary) add(word []byte) int32 {
	v.mu.Lock() // the stemmer is one for all
	defer v.mu.Unlock()
	if number, ok := v.words[string(word)]; ok {
		return number
	}
	w, number := string(word), int32(len(v.forms))
	f := forms{stem: v.term(v.stems, v.stemOf(w)), surface: int32(len(v.byTerm)), kind: -1}
	v.byTerm, v.letters = append(v.byTerm, w), append(v.letters, letters(w))
	if kind, ok := canonical[w]; ok {
		f.kind = v.term(v.kinds, kind)
	}
	v.forms = append(v.forms, f)
	v.words[w] = number
	return number
}

// all returns the forms of all words, by their numbers. They are not to be
// changed.
func (v *vocabulary) all() []forms {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.forms
}

// term returns the number of a stem or kind; the caller holds the lock.
func (v *vocabulary) term(in map[string]int32, text string) int32 {
	id, ok := in[text]
	if !ok {
		id = int32(len(v.byTerm))
		in[text] = id
		v.byTerm, v.letters = append(v.byTerm, ""), append(v.letters, 0)
	}
	return id
}

// lookup returns the forms of a word of a query, -1 for those that no tool has.
func (v *vocabulary) lookup(word string) forms {
	v.mu.Lock()
	defer v.mu.Unlock()
	if number, ok := v.words[word]; ok {
		return v.forms[number]
	}
	f := forms{-1, -1, -1}
	if id, ok := v.stems[v.stemOf(word)]; ok {
		f.stem = id
	}
	if kind, ok := canonical[word]; ok {
		if id, ok := v.kinds[kind]; ok {
			f.kind = id
		}
	}
	return f
}

// size is how many terms there are.
func (v *vocabulary) size() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.byTerm)
}

// stemOf cuts a word to its stem: Porter, "Snowball: A language for stemming
// algorithms" (2001). The caller holds the lock.
func (v *vocabulary) stemOf(word string) string {
	if len(word) < 3 || word[0] >= utf8.RuneSelf {
		return word
	}
	v.stemmer.SetCurrent(word)
	english.Stem(v.stemmer)
	return v.stemmer.Current()
}
