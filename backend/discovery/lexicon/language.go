package lexicon

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed concepts.txt
var conceptLines string

// concept is a line of concepts.txt.
type concept struct {
	english string
	verb    bool
	line    string // the words of all languages
}

// concepts returns the concepts of concepts.txt.
var concepts = sync.OnceValue(func() []concept {
	var out []concept
	verbs := false
	for line := range strings.Lines(conceptLines) {
		line = strings.TrimSpace(line)
		english, words, ok := strings.Cut(line, " |")
		switch {
		case strings.HasPrefix(line, "["):
			verbs = line == "[verbs]"
		case ok && line[0] != '#':
			out = append(out, concept{english, verbs, words})
		}
	}
	return out
})

// entry is a word of a language and its concept.
type entry struct {
	stem string
	rest []token // stems of the words that must follow in the query
	keep bool    // the words in rest keep their own meanings, too
	of   *concept
}

const (
	minStem   = 4 // minimum letters of a stem that may have an ending
	maxEnding = 6 // maximum letters of an ending
	maxParts  = 3 // maximum words after the first in a compound
	minInner  = 5 // minimum bytes of a known word at the end of a compound with an unknown beginning
	maxSame   = 2 // maximum concepts of a word
)

// language holds the words of a language.
type language struct {
	entries   []entry         // sorted by stem
	functions map[string]bool // function words; true: signs of the language
	unspaced  bool            // words need not be separated by spaces, as in Chinese
	compounds bool            // compound words are written without spaces, as in German
	bytes     int             // length of the longest stem
}

// codes are the codes of the languages in concepts.txt.
var codes = []string{"de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ko"}

// languages builds each language when it is first needed.
var languages = func() map[string]func() *language {
	out := make(map[string]func() *language)
	for _, code := range codes {
		out[code] = sync.OnceValue(func() *language { return newLanguage(code) })
	}
	return out
}()

func languageOf(code string) *language { return languages[code]() }

func newLanguage(code string) *language {
	l := &language{
		functions: functionWords()[code],
		unspaced:  code == "zh" || code == "ja" || code == "ko",
		compounds: code == "de" || code == "nl",
	}
	all := concepts()
	l.entries = make([]entry, 0, 2*len(all))
	for i := range all {
		c := &all[i]
		_, words, _ := strings.Cut(c.line, "| "+code+" ")
		if c.line[1:3] == code {
			words = c.line[4:]
		}
		words, _, _ = strings.Cut(words, " |")
		for word := range strings.FieldsSeq(words) {
			l.add(word, c)
		}
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int { return strings.Compare(a.stem, b.stem) })
	l.entries = slices.Clip(l.entries)
	return l
}

func (l *language) add(word string, c *concept) {
	e := entry{stem: strings.ToLower(word), of: c}
	switch {
	case l.unspaced:
		e.stem = strings.ReplaceAll(e.stem, "_", " ")
	case strings.ContainsAny(word, "+&-'"):
		parts := tokensIn(word)
		e.stem, e.rest, e.keep = parts[0].folded, parts[1:], strings.Contains(word, "&")
	default:
		e.stem = fold(e.stem)
	}
	l.bytes = max(l.bytes, len(e.stem))
	l.entries = append(l.entries, e)
}

func (l *language) function(word string) bool {
	_, ok := l.functions[word]
	return ok
}

// of returns the entries of a stem.
func (l *language) of(stem string) []entry {
	from, ok := slices.BinarySearchFunc(l.entries, stem, func(e entry, s string) int { return strings.Compare(e.stem, s) })
	if !ok {
		return nil
	}
	to := from
	for to < len(l.entries) && l.entries[to].stem == stem {
		to++
	}
	return l.entries[from:to]
}

// longest returns the longest stem at the beginning of a text, and its meanings.
// word reports whether the text starts at the beginning of a word.
func (l *language) longest(text string, word bool) (string, []*concept) {
	first, _ := utf8.DecodeRuneInString(text)
	for end := min(len(text), l.bytes); end > 0; end-- {
		if end < len(text) && !utf8.RuneStart(text[end]) {
			continue
		}
		found := l.of(text[:end])
		if len(found) == 0 || !word && end <= 3 && unicode.Is(unicode.Hangul, first) {
			continue
		}
		return text[:end], meaningsOf(found)
	}
	return "", nil
}

func meaningsOf(found []entry) []*concept {
	var out []*concept
	for _, e := range found[:min(len(found), maxSame)] {
		out = append(out, e.of)
	}
	return out
}

// match is the meaning of a word of a query.
type match struct {
	meanings []*concept
	clear    bool // the match is unlikely to be a coincidence
	letters  int  // length of the matched part of the word, in bytes
}

// match returns the meaning of a word and marks the words that follow it in a
// phrase as used. A function word has a meaning only if it is a stem without an
// ending.
func (l *language) match(tokens []token, at int, used []bool) match {
	word := tokens[at]
	after, used := tokens[at+1:], used[at+1:]
	if l.function(word.folded) {
		stem, found, _ := l.prefix(word.folded, after, used)
		if stem != word.folded {
			return match{}
		}
		return match{meanings: found}
	}
	for _, w := range spellings(word.folded, l.compounds) {
		if m := l.matchWord(w, after, used, 0); len(m.meanings) > 0 {
			m.clear = m.clear && !isEnglish(word.written)
			return m
		}
	}
	if l.compounds {
		return match{meanings: l.inner(word.folded)}
	}
	return match{}
}

// inner returns the meaning of the known word at the end of a compound whose
// beginning is unknown.
func (l *language) inner(word string) []*concept {
	for start := minStem - 1; start+minInner <= len(word); start++ {
		if !utf8.RuneStart(word[start]) {
			continue
		}
		if stem, found, _ := l.prefix(word[start:], nil, nil); len(stem) >= minInner && len(word)-start-len(stem) <= 3 {
			return found
		}
	}
	return nil
}

// spellings returns a word. If umlauts is set, it also returns the word with ae, oe
// and ue replaced by a, o and u, to which umlauts are folded.
func spellings(word string, umlauts bool) []string {
	if !umlauts {
		return []string{word}
	}
	other := strings.NewReplacer("ae", "a", "oe", "o", "ue", "u").Replace(word)
	if other == word {
		return []string{word}
	}
	return []string{word, other}
}

// matchWord matches the beginning of a word, and in a compound also its rest.
func (l *language) matchWord(word string, after []token, used []bool, depth int) match {
	stem, found, phrase := l.prefix(word, after, used)
	if stem == "" {
		return match{}
	}
	m := match{found, phrase || utf8.RuneCountInString(stem) >= minStem, len(stem)}
	rest := word[len(stem):]
	if l.compounds && len(rest) > minStem-1 && depth < maxParts {
		for _, link := range []string{"", "s", "n", "en", "es", "e", "er"} {
			if tail, ok := strings.CutPrefix(rest, link); ok {
				if more := l.matchWord(tail, nil, nil, depth+1); len(more.meanings) > 0 && more.clear {
					m.meanings = append(m.meanings, more.meanings...)
					m.letters += more.letters
					return m
				}
			}
		}
	}
	if utf8.RuneCountInString(rest) > maxEnding {
		m.clear = false
		if !l.compounds || len(stem) <= minStem {
			return match{}
		}
	}
	return m
}

// prefix returns the longest stem that begins a word, its meanings, and whether
// it begins a phrase. Phrases are preferred to single words, even to longer ones.
func (l *language) prefix(word string, after []token, used []bool) (stem string, found []*concept, phrase bool) {
	for end := min(len(word), l.bytes); end > 0; end-- {
		if end < len(word) && !utf8.RuneStart(word[end]) {
			continue
		}
		if end < len(word) && utf8.RuneCountInString(word[:end]) < minStem {
			break
		}
		var single []entry
		for _, e := range l.of(word[:end]) {
			if len(e.rest) == 0 {
				single = append(single, e)
			} else if e.follow(after, used) {
				return word[:end], []*concept{e.of}, true
			}
		}
		if len(single) > 0 && stem == "" {
			stem, found = word[:end], meaningsOf(single)
		}
	}
	return stem, found, false
}

// follow reports whether the words of a phrase occur in order. If they do, it
// marks them as used unless they keep their meaning.
func (e entry) follow(tokens []token, used []bool) bool {
	var places []int
	next := 0
	for _, stem := range e.rest {
		for next < len(tokens) && (used[next] || !begins(tokens[next].folded, stem.folded)) {
			next++
		}
		if next == len(tokens) {
			return false
		}
		places = append(places, next)
		next++
	}
	for _, place := range places {
		used[place] = used[place] || !e.keep
	}
	return true
}

// begins reports whether a word is a stem with or without an ending. A stem of fewer
// than minStem letters has no endings.
func begins(word, stem string) bool {
	if utf8.RuneCountInString(stem) < minStem {
		return word == stem
	}
	return strings.HasPrefix(word, stem) && utf8.RuneCountInString(word[len(stem):]) <= maxEnding
}
