package injection

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed words.txt
var wordList string

// mask is a set of classes of words.
type mask [2]uint64

func (m mask) has(o mask) bool { return m[0]&o[0]|m[1]&o[1] != 0 }

func (m *mask) add(o mask) { m[0] |= o[0]; m[1] |= o[1] }

// form is a set of grammatical forms.
type form uint8

const (
	base   form = 1 << iota // the form of commands: send
	third                   // sends, and plurals
	past                    // sent
	gerund                  // sending
)

// tokenClasses are the classes that the reader assigns to tokens. They are not in
// words.txt.
var tokenClasses = []string{
	"foreign", "sibling", "own", "ident", "property", "url", "mail", "ip", "host", "secretpath", "path", "number", "quoted", "code",
	"assigned", "word", "lookup", "startup",
}

// lexicon maps words to their classes and forms.
type lexicon struct {
	classes             map[string]mask
	verbs               mask // classes of verbs
	oblig               mask
	strict              mask // verbs whose object is a tool
	neg                 mask
	detect              mask
	without             int32
	related             int32
	flag, user, combine mask
	passes              mask           // verbs and nouns that say where something goes
	insists             map[int32]bool // words before which a negation does not count: forget, fail
	narrows             map[int32]bool // words that narrow down "tools" before them: that, which
	rather              map[int32]bool // words that reject what follows: instead of, never
	slots               []slot         // open addressing by hash
	words               []entry
	index               map[string]int32
}

type slot struct {
	hash uint32
	word int32 // index of words, 0 for an empty slot
}

// entry is a word or phrase of the lexicon.
type entry struct {
	text    string
	mask    mask
	form    form
	phrases []phrase // that begin with this word, longest first
}

// phrase is a sequence of words that counts as one word.
type phrase struct {
	rest []int32 // indexes of the words after the first
	word int32   // index of the entry for the whole
}

// words returns the lexicon. It is built when it is first needed.
var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{classes: make(map[string]mask), words: make([]entry, 1)}
	index := make(map[string]int32)
	for _, class := range tokenClasses {
		l.class(class)
	}
	for line := range strings.Lines(wordList) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		name, kind, _ := strings.Cut(head, " ")
		class := l.class(name)
		if kind == "v" {
			l.verbs.add(class)
		}
		for item := range strings.FieldsSeq(list) {
			for text, form := range forms(item, kind) {
				l.add(index, strings.ReplaceAll(text, "_", " "), class, form)
			}
		}
	}
	for _, r := range ruleTable { // words of patterns need an entry to be compared
		for _, p := range r.patterns {
			for _, word := range literals(p) {
				l.add(index, strings.ReplaceAll(word, "_", " "), mask{}, 0)
			}
		}
	}
	for word := range strings.FieldsSeq("that which requiring of in from on related forget fail hesitate omit only just miss neglect " +
		"without instead_of rather_than") {
		l.add(index, strings.ReplaceAll(word, "_", " "), mask{}, 0)
	}
	l.hash(index)
	l.index = index
	l.oblig, l.strict, l.neg, l.detect, l.flag, l.user, l.combine = l.mustClass("oblig"), l.mustClass("callverb"), l.mustClass("neg"),
		l.mustClass("detect"), l.mustClass("flagword"), l.mustClass("user"), l.mustClass("combineverb")
	l.passes = l.mustClass("attachverb")
	for _, name := range []string{"hardsend", "strong", "passedto"} {
		l.passes.add(l.mustClass(name))
	}
	l.without, l.related = l.lookup("without"), index["related"]
	l.narrows = l.set("that which requiring of in from on")
	l.insists, l.rather = l.set("forget fail hesitate omit only just miss neglect"), l.set("instead_of rather_than never instead")
	return l
})

// set returns the indexes of the words and phrases in list.
func (l *lexicon) set(list string) map[int32]bool {
	set := make(map[int32]bool)
	for word := range strings.FieldsSeq(list) {
		set[l.index[strings.ReplaceAll(word, "_", " ")]] = true
	}
	return set
}

// class returns the mask of a class. It adds the class if it does not exist.
func (l *lexicon) class(name string) mask {
	m, ok := l.classes[name]
	if !ok {
		n := len(l.classes)
		if n >= 128 {
			panic("injection: more than 128 classes of words")
		}
		m[n/64] = 1 << (n % 64)
		l.classes[name] = m
	}
	return m
}

// add adds a class and a form to the entry of a word or phrase, which it creates if
// necessary, and returns the index of the entry.
func (l *lexicon) add(index map[string]int32, text string, class mask, f form) int32 {
	i, ok := index[text]
	if !ok {
		i = int32(len(l.words))
		index[text] = i
		l.words = append(l.words, entry{text: text})
		if first, rest, several := strings.Cut(text, " "); several {
			p := phrase{word: i}
			for word := range strings.FieldsSeq(rest) {
				p.rest = append(p.rest, l.add(index, word, mask{}, 0))
			}
			start := l.add(index, first, mask{}, 0)
			list := append(l.words[start].phrases, p)
			for k := len(list) - 1; k > 0 && len(list[k].rest) > len(list[k-1].rest); k-- {
				list[k], list[k-1] = list[k-1], list[k]
			}
			l.words[start].phrases = list
		}
	}
	l.words[i].mask.add(class)
	l.words[i].form |= f
	return i
}

func (l *lexicon) hash(index map[string]int32) {
	size := 1
	for size < 4*len(index) {
		size *= 2
	}
	l.slots = make([]slot, size)
	for text, word := range index {
		h := hashStart
		for i := range len(text) {
			h = (h ^ uint32(text[i])) * hashPrime
		}
		at := h & uint32(size-1)
		for l.slots[at].word != 0 {
			at = (at + 1) & uint32(size-1)
		}
		l.slots[at] = slot{h, word}
	}
}

// Constants of the hash function FNV-1a.
const (
	hashStart uint32 = 2166136261
	hashPrime uint32 = 16777619
)

// find returns the index of a word, or 0 if it is not in the list. h is the hash of
// the word in lower case.
func (l *lexicon) find(h uint32, text string) int32 {
	for at := h & uint32(len(l.slots)-1); l.slots[at].word != 0; at = (at + 1) & uint32(len(l.slots)-1) {
		if l.slots[at].hash == h && strings.EqualFold(l.words[l.slots[at].word].text, text) {
			return l.slots[at].word
		}
	}
	return 0
}

// forms returns the inflected forms of an item in words.txt, by their text. kind is v
// for verbs, n for nouns and empty for other words.
func forms(item, kind string) map[string]form {
	out := make(map[string]form)
	if alternatives := strings.Split(item, "/"); len(alternatives) > 1 {
		for i, text := range alternatives {
			switch {
			case i == 0:
				out[text] |= base
			case strings.HasSuffix(text, "ing"):
				out[text] |= gerund
			case i == 1 && strings.HasSuffix(text, "s"):
				out[text] |= third
			default:
				out[text] |= past
			}
		}
		return out
	}
	out[item] |= 0
	if kind != "" {
		out[item] |= base
	}
	head, tail, _ := strings.Cut(item, "_")
	if tail != "" {
		tail = "_" + tail
	}
	switch kind {
	case "v":
		out[plural(head)+tail] |= third
		stem := strings.TrimSuffix(head, "e")
		if double(head) {
			stem += head[len(head)-1:]
		}
		out[stem+"ing"+tail] |= gerund
		if y, ok := strings.CutSuffix(head, "y"); ok && !vowel(y) {
			stem = y + "i"
		}
		out[stem+"ed"+tail] |= past
	case "n":
		out[plural(item)] |= third
	}
	return out
}

func plural(s string) string {
	for _, end := range []string{"s", "sh", "ch", "x", "z"} {
		if strings.HasSuffix(s, end) {
			return s + "es"
		}
	}
	if y, ok := strings.CutSuffix(s, "y"); ok && !vowel(y) {
		return y + "ies"
	}
	return s + "s"
}

func vowel(s string) bool { return s != "" && strings.ContainsRune("aeiou", rune(s[len(s)-1])) }

// double reports whether a verb doubles its last letter, as in submitting.
func double(s string) bool {
	n := len(s)
	if n < 3 || strings.ContainsRune("wxyaeiou", rune(s[n-1])) || !vowel(s[:n-1]) || vowel(s[:n-2]) {
		return false
	}
	for _, end := range []string{"er", "en", "it", "or", "on", "al", "el", "et", "ow", "ail", "ad"} {
		if strings.HasSuffix(s, end) && n > 3 {
			return s == "submit" || s == "transmit" || s == "admit" || s == "omit" || s == "forget" || s == "cancel" || s == "refer"
		}
	}
	return true
}

// mustClass returns the mask of an existing class.
func (l *lexicon) mustClass(name string) mask {
	m, ok := l.classes[name]
	if !ok {
		panic(fmt.Sprintf("injection: unknown class %q", name))
	}
	return m
}
