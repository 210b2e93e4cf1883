package search

import "github.com/agent-discover/agent-discover/backend/discovery/catalog"

// field is a part of a tool's definition whose words are indexed.
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

// String returns the name of the field in explanations.
func (f field) String() string {
	return [fields]string{"name", "server", "title", "description", "parameters", "parameters"}[f]
}

// fieldWeight is the weight of a word in each field. fieldNorm is the b of
// BM25F: how much a field that is longer than average reduces the weight.
var (
	fieldWeight = [fields]float32{2, 1.5, 1.5, 1, .6, .3}
	fieldNorm   = [fields]float32{.6, .3, .3, .6, .6, .7}
)

// document is the indexed form of a tool: the words of its fields as numbers of
// the vocabulary. It is immutable.
type document struct {
	hash   string // catalog.Tool.Hash of the tool
	folded string // the name in lower case without punctuation
	words  []int32
	ends   [fields]int32 // end of each field in words

	deprecated bool
}

// in returns the words of a field, in order.
func (d *document) in(f field) []int32 {
	if f == 0 {
		return d.words[:d.ends[0]]
	}
	return d.words[d.ends[f-1]:d.ends[f]]
}

// reader makes documents of tools. It must not be used concurrently.
type reader struct {
	vocabulary *vocabulary
	known      numbers // the numbers of words seen before, which are looked up without a lock
	words      [fields][]int32
	splitter   splitter

	// Most tools of a server have parameters in common, so their texts are split only
	// once: said maps each text to the range of its words in saidWords.
	said      map[string]span
	saidWords []int32
}

// span is the half-open range [from, to) of a slice.
type span struct{ from, to int32 }

func (r *reader) document(t *catalog.Tool) *document {
	for f := range r.words {
		r.words[f] = r.words[f][:0]
	}
	eachText(t, r.read)
	size := 0
	for _, words := range r.words {
		size += len(words)
	}
	d := &document{hash: t.Hash, folded: folded(t.Name), words: make([]int32, 0, size), deprecated: isDeprecated(t)}
	for f, words := range r.words {
		d.words = append(d.words, words...)
		d.ends[f] = int32(len(d.words))
	}
	return d
}

// read adds the words of a text to the words of a field.
func (r *reader) read(in field, text string) {
	if in != inParameter && in != inParameterText {
		r.split(in, text)
		return
	}
	if at, ok := r.said[text]; ok {
		r.words[in] = append(r.words[in], r.saidWords[at.from:at.to]...)
		return
	}
	before, from := len(r.words[in]), int32(len(r.saidWords))
	r.split(in, text)
	r.saidWords = append(r.saidWords, r.words[in][before:]...)
	r.said[text] = span{from, int32(len(r.saidWords))}
}

func (r *reader) split(in field, text string) {
	r.splitter.parts = in == inName // whole names are searched in index.names
	r.splitter.split(text, func(word []byte) {
		r.words[in] = append(r.words[in], r.known.of(word, r.vocabulary.add))
	})
}

// eachText calls visit for each text of a tool with its field.
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
