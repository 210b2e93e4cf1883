package search

import "github.com/agent-discover/agent-discover/backend/discovery/catalog"

// field is a part of a tool in which words are looked for.
type field int

const (
	inName field = iota
	inServer
	inTitle
	inDescription
	inParameter // names of parameters
	inParameterText
	fields
)

// String is the field's name in explanations.
func (f field) String() string {
	return [fields]string{"name", "server", "title", "description", "parameters", "parameters"}[f]
}

// fieldWeight is what a word counts for by where it stands; fieldNorm is how
// much it is held against a tool that the part is longer than is usual.
var (
	fieldWeight = [fields]float32{2, 1.5, 1.5, 1, .6, .3}
	fieldNorm   = [fields]float32{.6, .3, .3, .6, .6, .7}
)

// document is a tool as the index sees it: the words of its parts, by their
// numbers in the vocabulary. It is immutable.
type document struct {
	hash     string // of the tool it was made from
	squashed string // the name without signs and cases
	words    []int32
	ends     [fields]int32 // where the words of each field end
}

// in returns the words of a field, in their order.
func (d *document) in(f field) []int32 {
	if f == 0 {
		return d.words[:d.ends[0]]
	}
	return d.words[d.ends[f-1]:d.ends[f]]
}

// reader makes documents. It is for one at a time.
type reader struct {
	vocabulary *vocabulary
	known      numbers // of words that it has met: they are most, and cost no lock
	words      [fields][]int32
	splitter   splitter
}

func newReader(v *vocabulary) *reader { return &reader{vocabulary: v, known: newNumbers()} }

func (r *reader) document(t *catalog.Tool) *document {
	for f := range r.words {
		r.words[f] = r.words[f][:0]
	}
	eachText(t, r.read)
	size := 0
	for _, words := range r.words {
		size += len(words)
	}
	d := &document{hash: t.Hash, squashed: squashed(t.Name), words: make([]int32, 0, size)}
	for f, words := range r.words {
		d.words = append(d.words, words...)
		d.ends[f] = int32(len(d.words))
	}
	return d
}

func (r *reader) read(in field, text string) {
	r.splitter.parts = in == inName // it is looked for as a whole elsewhere
	r.splitter.split(text, func(word []byte) {
		r.words[in] = append(r.words[in], r.known.of(word, r.vocabulary.add))
	})
}

// eachText shows the texts of a tool by where they stand.
func eachText(t *catalog.Tool, visit func(in field, text string)) {
	visit(inName, t.Name)
	visit(inServer, t.Server)
	visit(inTitle, t.Title)
	visit(inDescription, t.Description)
	t.EachParameter(func(name, description string) {
		visit(inParameter, name)
		visit(inParameterText, description)
	})
}
