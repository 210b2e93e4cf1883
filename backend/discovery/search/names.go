package search

import (
	"encoding/binary"
	"slices"
	"strings"
)

// The ways in which a query may name a tool, from the weakest to the strongest.
// Named tools rank above all others.
const (
	notNamed     = iota
	mentioned    // the name occurs in the query as an identifier
	misspelled   // the query is a misspelling of the name
	namedByWords // the query consists of the words of the name, and perhaps words of the server's name
	namedExactly // the query is the name
)

// minIdentifier is the least length of a name that is recognized inside a
// sentence or when misspelled.
const minIdentifier = 6

// named returns the tools that the query names, and how it names each.
func (x *index) named(query string) map[int32]int {
	out := make(map[int32]int)
	put := func(how int, tools []int32) {
		for _, t := range tools {
			out[t] = max(out[t], how)
		}
	}
	query = strings.TrimSpace(query)
	whole := folded(query)
	if whole == "" || len(query) > 200 {
		x.mentions(query, put)
		return out
	}
	put(namedExactly, x.names[whole])
	x.qualified(query, put)
	if len(out) == 0 {
		x.inWords(query, put)
	}
	if len(out) == 0 {
		x.almost(query, whole, put)
	}
	x.mentions(query, put)
	return out
}

// qualified finds tools by server and name together, in the forms that clients
// display.
func (x *index) qualified(query string, put func(int, []int32)) {
	rest := strings.TrimPrefix(query, "mcp__")
	for _, sign := range []string{"__", ".", ":", "/", " "} {
		server, name, ok := strings.Cut(rest, sign)
		if !ok {
			continue
		}
		for _, t := range x.names[folded(name)] {
			if folded(server) == folded(x.snapshot.Tools[t].Server) {
				put(namedExactly, []int32{t})
			}
		}
	}
}

// inWords finds tools whose name consists of words in the query, if every other
// word of the query is in the server's name.
func (x *index) inWords(query string, put func(int, []int32)) {
	asked := contentWords(query)
	if len(asked) < 2 || len(asked) > 8 {
		return
	}
	forms := make([]forms, len(asked))
	rarest := int32(-1)
	for i, w := range asked {
		forms[i] = x.vocabulary.lookup(w)
		if n := x.toolCount(forms[i].stem); n == 0 {
			return
		} else if rarest < 0 || n < x.toolCount(rarest) {
			rarest = forms[i].stem
		}
	}
	for at := x.starts[rarest]; at < x.starts[rarest+1]; at++ {
		if d := x.documents[x.tools[at]]; x.covers(forms, d.in(inName)) && x.within(forms, d) {
			put(namedByWords, []int32{x.tools[at]})
		}
	}
}

// covers reports whether words is not empty and the query contains all of them.
func (x *index) covers(asked []forms, words []int32) bool {
	for _, number := range words {
		stem := x.forms[number].stem
		if !slices.ContainsFunc(asked, func(f forms) bool { return f.stem == stem }) {
			return false
		}
	}
	return len(words) > 0
}

// within reports whether all words of the query are in the name of the tool or
// of its server.
func (x *index) within(asked []forms, d *document) bool {
	for _, f := range asked {
		same := func(number int32) bool { return x.forms[number].stem == f.stem }
		if !slices.ContainsFunc(d.in(inName), same) && !slices.ContainsFunc(d.in(inServer), same) {
			return false
		}
	}
	return true
}

// almost finds tools whose names the query misspells.
func (x *index) almost(query, whole string, put func(int, []int32)) {
	if len(whole) < minIdentifier || len(whole) > 3*maxTypoLength || strings.Count(query, " ") > 3 {
		return
	}
	edits, mask := 1, letters(whole)
	if len(whole) >= 2*minIdentifier {
		edits = 2
	}
	if x.vocabulary.wellSpelled(whole) { // a real word, hence no misspelling
		return
	}
	for i, d := range x.documents {
		if withinEdits(whole, d.folded, mask, edits) {
			put(misspelled, []int32{int32(i)})
		}
	}
}

// mentions finds tools whose names, of two words or more, occur in the query as
// identifiers.
func (x *index) mentions(query string, put func(int, []int32)) {
	for _, token := range strings.Fields(query) {
		token = strings.Trim(token, ".,;:!?()[]{}<>\"'`")
		if len(token) < minIdentifier || len(words(token)) < 2 {
			continue
		}
		put(mentioned, x.names[folded(token)])
		x.qualified(token, func(_ int, tools []int32) { put(mentioned, tools) })
	}
}

// maxPhrase is the largest number of words in a phrase.
const maxPhrase = 5

// phrase returns the key of a tool's name in index.phrases, by which phrased finds the tool if
// the query contains the name. It returns false for names of one word or of more than
// maxPhrase words.
func (x *index) phrase(d *document) (string, bool) {
	name := d.in(inName)
	if len(name) < 2 || len(name) > maxPhrase {
		return "", false
	}
	stems := make([]int32, 0, maxPhrase)
	for _, w := range name {
		stems = append(stems, x.forms[w].stem)
	}
	return phraseOf(stems), true
}

// phraseOf returns the key of a sequence of stems in index.phrases.
func phraseOf(stems []int32) string {
	key := make([]byte, 0, 4*len(stems))
	for _, s := range stems {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}

// phrased returns the tools whose names occur in the query as consecutive
// words, apart from stop words: "create an issue".
func (x *index) phrased(query string) map[int32]bool {
	var stems []int32
	for _, w := range words(query) {
		if !stopWords[w] {
			stems = append(stems, x.vocabulary.lookup(w).stem)
		}
	}
	var out map[int32]bool
	for from := range stems {
		for to := from + 2; to <= min(from+maxPhrase, len(stems)); to++ {
			for _, tool := range x.phrases[phraseOf(stems[from:to])] {
				if out == nil {
					out = make(map[int32]bool)
				}
				out[tool] = true
			}
		}
	}
	return out
}
