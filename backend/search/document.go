package search

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/catalog"
)

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

// document is a tool as the index sees it: the words of its parts. It is
// immutable.
type document struct {
	hash     string // of the tool it was made from
	words    [fields][]forms
	squashed string // the name without signs and cases
}

func newDocument(t *catalog.Tool, v *vocabulary) *document {
	d := &document{hash: t.Hash, squashed: squashed(t.Name)}
	eachText(t, func(in field, text string) {
		eachWord(text, func(word []byte) { d.words[in] = append(d.words[in], v.add(word)) })
	})
	return d
}

// eachText shows the texts of a tool by where they stand.
func eachText(t *catalog.Tool, visit func(in field, text string)) {
	visit(inName, t.Name)
	visit(inServer, t.Server)
	visit(inTitle, t.Title)
	visit(inDescription, t.Description)
	var schema struct {
		Properties map[string]struct {
			Description any `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema) // what does not fit has no words for us
	for name, property := range schema.Properties {
		visit(inParameter, name)
		if text, ok := property.Description.(string); ok {
			visit(inParameterText, text)
		}
	}
}
