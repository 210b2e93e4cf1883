package search

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// canonical maps each verb to its kind: the verb that represents all verbs of a similar meaning.
var canonical = verbs(map[string]string{
	"create": "add make new open provision register",
	"get":    "fetch retrieve read load pull",
	"list":   "show display enumerate browse",
	"update": "change edit modify set patch",
	"delete": "cancel remove destroy drop",
	"search": "find query lookup",
})

// abbreviations maps common short forms to their long forms.
var abbreviations = map[string]string{
	"auth": "authentication", "config": "configuration", "db": "database", "dir": "directory", "doc": "document",
	"docs": "documentation", "env": "environment", "img": "image", "k8s": "kubernetes", "mail": "email",
	"mr": "merge request", "msg": "message", "pic": "picture", "pr": "pull request", "repo": "repository",
	"repos": "repository",
}

// stopWords are words that do not describe what a user wants. They are dropped from
// queries, because they would reduce the influence of the other words.
var stopWords = set(`a am an and any are as at be been being but by can could did do does don for from had has have he
	help her him his how i if in into is it its just let like ll may me might more must my need no not now of on only
	or other our out over own please same shall she should so some such than that the their them then there these they
	this those through to too up us use using ve very want was we were what when where which while who whom why will
	with would you your`)

// verbs inverts a map from a verb to its synonyms, and maps each verb to itself.
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

// set returns the words of a string as a set.
func set(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// splitter splits texts into words and reuses its buffer for many of them.
type splitter struct {
	run   []byte // the letters and digits since the last separator
	begin int    // start of the current word in run
	cuts  int    // number of splits by case in run
	parts bool   // visit only the two parts, not the whole, of a name that is split in two
}

// cut ends the current word.
func (s *splitter) cut(visit func(word []byte)) {
	if len(s.run)-s.begin > 1 {
		visit(s.run[s.begin:])
	}
	s.begin = len(s.run)
}

// flush ends the current word and run.
func (s *splitter) flush(visit func(word []byte)) {
	s.cut(visit)
	if s.cuts == 1 && !s.parts {
		visit(s.run)
	}
	s.run, s.begin, s.cuts = s.run[:0], 0, 0
}

// capital is called before an upper-case letter is appended. It ends the
// present word if the letter begins another one. rest is the text after the
// letter.
func (s *splitter) capital(last rune, rest string, visit func(word []byte)) {
	if len(s.run) > s.begin && begins(rest, last) {
		s.cut(visit)
		s.cuts++
	}
}

// split splits a text into words in lower case and calls visit for each, in order. It
// splits at punctuation and at changes of case: createIssue becomes create and issue,
// HTTPServer becomes http and server. A name that is split in two is also visited as a
// whole, since it may be one word: MySQL, GitHub. Scripts without spaces are visited as
// pairs of letters. The slice is valid until visit returns.
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

// rune handles a letter outside ASCII. rest is the text after it.
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

// The kinds of ASCII characters.
const (
	sign = iota
	letter
	capital
)

// kindOf and lower are the kind and the lower case of each ASCII character.
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

// begins reports whether an upper-case letter begins a word, given the letter
// before it and the text after it. The s in the plural of an abbreviation, such
// as IDs, begins no word.
func begins(rest string, last rune) bool {
	if unicode.IsLower(last) || unicode.IsDigit(last) {
		return true
	}
	next, n := utf8.DecodeRuneInString(rest)
	later, _ := utf8.DecodeRuneInString(rest[n:])
	return unicode.IsUpper(last) && unicode.IsLower(next) && (next != 's' || unicode.IsLower(later))
}

// unspaced reports whether a letter belongs to a script that is written without
// spaces between words.
func unspaced(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) ||
		r >= 0x0E00 && r < 0x0E80
}

// words returns the words of a text as a splitter visits them.
func words(text string) []string {
	var s splitter
	var out []string
	s.split(text, func(word []byte) { out = append(out, string(word)) })
	return out
}

// folded returns a name in lower case without punctuation, so that create_issue
// and createIssue are equal.
func folded(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// forms are the terms of a word in the index: stem is the term of its stem, surface
// that of the word itself, and kind that of its kind of verb. A missing term is -1.
type forms struct{ stem, surface, kind int32 }

// vocabulary assigns numbers to words and to their terms. It only grows, and
// numbers never change. It is safe for concurrent use.
type vocabulary struct {
	mu      sync.RWMutex
	words   map[string]int32
	forms   []forms          // by word number
	byTerm  []string         // by term: the word if the term is a surface, "" otherwise
	letters []uint64         // by term: the letter set of byTerm, see letters
	stems   map[string]int32 // terms of stems
	kinds   map[string]int32 // terms of kinds of verbs
	stemmer *snowballstem.Env
	spelled func(word string) bool // see Options
}

func newVocabulary() *vocabulary {
	return &vocabulary{
		words: make(map[string]int32), stems: make(map[string]int32), kinds: make(map[string]int32),
		stemmer: snowballstem.NewEnv(""),
	}
}

// add returns the number of a word and assigns one to a new word.
func (v *vocabulary) add(word []byte) int32 {
	v.mu.Lock() // also guards the stemmer
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

// all returns the forms of all words, by number. The caller must not modify
// them.
func (v *vocabulary) all() []forms {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.forms
}

// term returns the term of a stem or kind, and adds the term if it is missing.
// The caller holds v.mu.
func (v *vocabulary) term(in map[string]int32, text string) int32 {
	id, ok := in[text]
	if !ok {
		id = int32(len(v.byTerm))
		in[text] = id
		v.byTerm, v.letters = append(v.byTerm, ""), append(v.letters, 0)
	}
	return id
}

// lookup returns the forms of a word in a query. A form that no tool has is -1.
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

// size returns the number of terms.
func (v *vocabulary) size() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.byTerm)
}

// stemOf returns the stem of an English word: Porter, "Snowball: A language for
// stemming algorithms" (2001). The caller holds v.mu.
func (v *vocabulary) stemOf(word string) string {
	if len(word) < 3 || word[0] >= utf8.RuneSelf {
		return word
	}
	v.stemmer.SetCurrent(word)
	english.Stem(v.stemmer)
	return v.stemmer.Current()
}
