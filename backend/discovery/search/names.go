package search

import (
	"encoding/binary"
	"slices"
	"strings"
)

// How a query may name a tool, from least to most. A tool that is named comes
// before all that are only like what was asked for.
const (
	notNamed  = iota
	mentioned // its name stands in the query as an identifier does
	spelt     // the query is almost its name
	worded    // the query is its name's words, and its server's
	exact     // the query is its name
)

// minIdentifier is how long a name must be to be recognised inside a sentence,
// and almost spelt.
const minIdentifier = 6

// named returns how the query names tools, for those that it does.
func (x *index) named(query string) map[int32]int {
	out := make(map[int32]int)
	put := func(how int, tools []int32) {
		for _, t := range tools {
			out[t] = max(out[t], how)
		}
	}
	query = strings.TrimSpace(query)
	whole := squashed(query)
	if whole == "" || len(query) > 200 {
		x.mentions(query, put)
		return out
	}
	put(exact, x.names[whole])
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
// show.
func (x *index) qualified(query string, put func(int, []int32)) {
	rest := strings.TrimPrefix(query, "mcp__")
	for _, sign := range []string{"__", ".", ":", "/", " "} {
		server, name, ok := strings.Cut(rest, sign)
		if !ok {
			continue
		}
		for _, t := range x.names[squashed(name)] {
			if squashed(server) == squashed(x.snapshot.Tools[t].Server) {
				put(exact, []int32{t})
			}
		}
	}
}

// inWords finds tools whose name's words are all in the query, where the query
// says nothing else but the server's.
func (x *index) inWords(query string, put func(int, []int32)) {
	asked := contentWords(query)
	if len(asked) < 2 || len(asked) > 8 {
		return
	}
	forms := make([]forms, len(asked))
	rarest := int32(-1)
	for i, w := range asked {
		forms[i] = x.vocabulary.lookup(w)
		if n := x.holders(forms[i].stem); n == 0 {
			return
		} else if rarest < 0 || n < x.holders(rarest) {
			rarest = forms[i].stem
		}
	}
	for at := x.starts[rarest]; at < x.starts[rarest+1]; at++ {
		if d := x.documents[x.tools[at]]; x.covers(forms, d.in(inName)) && x.within(forms, d) {
			put(worded, []int32{x.tools[at]})
		}
	}
}

// covers reports whether all words are among those asked for.
func (x *index) covers(asked []forms, words []int32) bool {
	for _, number := range words {
		stem := x.forms[number].stem
		if !slices.ContainsFunc(asked, func(f forms) bool { return f.stem == stem }) {
			return false
		}
	}
	return len(words) > 0
}

// within reports whether all that was asked for stands in a tool's name or its
// server's.
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
	if len(whole) < minIdentifier || len(whole) > 3*maxSpelt || strings.Count(query, " ") > 3 {
		return
	}
	edits, mask := 1, letters(whole)
	if len(whole) >= 2*minIdentifier {
		edits = 2
	}
	for i, d := range x.documents {
		if near(whole, d.squashed, mask, edits) {
			put(spelt, []int32{int32(i)})
		}
	}
}

// mentions finds tools whose names of several words stand in a sentence as
// they are.
func (x *index) mentions(query string, put func(int, []int32)) {
	for _, token := range strings.Fields(query) {
		token = strings.Trim(token, ".,;:!?()[]{}<>\"'`")
		if len(token) < minIdentifier || len(words(token)) < 2 {
			continue
		}
		put(mentioned, x.names[squashed(token)])
		x.qualified(token, func(_ int, tools []int32) { put(mentioned, tools) })
	}
}

// maxPhrase is how many words of a name may stand for it in a sentence.
const maxPhrase = 5

// phrase is a name's words as they would stand in a sentence.
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

func phraseOf(stems []int32) string {
	key := make([]byte, 0, 4*len(stems))
	for _, s := range stems {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}

// phrased finds tools whose name's words stand in a sentence one after the
// other, but for words without intent: create an issue.
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
