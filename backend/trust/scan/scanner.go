package scan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/trust/injection"
	"github.com/agent-discover/agent-discover/backend/trust/normalize"
)

// Sentence is a sentence of an item with its properties and the rules that it matches.
// It is the input of the trained classifier.
type Sentence struct {
	Field      string // JSON pointer
	Start, End int    // bytes of the string in that field
	Text       string // normalised
	Plain      string // Text with names, paths, addresses and numbers replaced by words
	Words      int
	Obligation bool
	Imperative bool
	This       bool // mentions the tool itself
	Sibling    bool // mentions a tool of the same server
	Foreign    bool // mentions a tool of another server, or one that no server lists
	Rules      []string
}

// scanner scans the items of one server.
type scanner struct {
	server  Server
	peers   []Server
	options Options
	names   injection.Names
	reader  *injection.Reader
	hidden  *injection.Reader // for decoded texts, while reader is in use
	result  *Result
	texts   []part          // texts that may be parts of a split order or value
	current int             // index of the item that is being scanned
	own     map[string]bool // the names in the definition of the item; nil until they are needed
}

func newScanner(s Server, peers []Server, o Options) *scanner {
	c := &scanner{server: s, peers: peers, options: o, reader: injection.NewReader(o.Sentences), hidden: injection.NewReader(false)}
	c.names.Siblings, c.names.Foreign = make(map[string]bool), make(map[string]bool)
	c.names.Subject = subject(s.Name)
	for _, item := range s.Items {
		if item.Kind == Tool || item.Kind == Prompt {
			c.names.Siblings[item.Name] = true
		}
	}
	for _, peer := range peers {
		for _, item := range peer.Items {
			if item.Kind == Tool && !c.names.Siblings[item.Name] {
				if peer.Name == s.Name {
					c.names.Siblings[item.Name] = true
				} else {
					c.names.Foreign[item.Name] = true
				}
			}
		}
	}
	return c
}

// commonWords are words in names of servers that do not tell what a server is about.
var commonWords = map[string]bool{
	"mcp": true, "server": true, "servers": true, "tool": true, "tools": true, "api": true, "the": true, "and": true, "for": true,
	"task": true, "file": true,
}

// subject returns the words in the name of a server that tell what it is about.
func subject(name string) map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(word) > 2 && !commonWords[word] {
			words[word] = true
		}
	}
	return words
}

// item scans the fields of one item.
func (c *scanner) item(i int) Result {
	item := c.server.Items[i]
	r := Result{Kind: item.Kind, Name: item.Name}
	c.result, c.current = &r, i
	c.names.Own = item.Name
	c.own = nil
	c.names.Property = func(name string) bool {
		if c.own == nil {
			c.own = ownNames(item.JSON)
		}
		return c.own[name]
	}
	w := walker{visit: c.field}
	if jsonscan.Valid(item.JSON) {
		w.walk(item.JSON, 0, prose, false)
	}
	if item.Kind == Tool {
		c.userInterface(item)
	}
	return r
}

// ownNames returns the names of the properties and the short values in a definition.
func ownNames(definition []byte) map[string]bool {
	names := make(map[string]bool)
	w := walker{visit: func(f field) {
		if f.place == name || len(f.text) < 40 && !strings.Contains(f.text, " ") {
			names[f.text] = true
		}
	}}
	w.walk(definition, 0, prose, false)
	return names
}

// shortest is the length of the shortest text that can give an order, in bytes.
const shortest = 8

// field scans one string of the current item.
func (c *scanner) field(f field) {
	c.hiddenCharacters(f)
	switch {
	case f.place == name:
		c.propertyName(f)
		return
	case f.place == plain || len(f.text) < shortest:
		return
	}
	text := normalize.Of(f.text)
	for _, word := range normalize.Mixed(f.text) { // words with letters of several alphabets
		c.add(f, text, Finding{Rule: Lookalike, Verdict: Block, Start: word[0], End: word[1]})
	}
	c.encoded(f)
	if strings.IndexByte(text.S, ' ') < 0 && len(text.S) < 24 {
		return
	}
	for _, m := range injection.FindMarkup(text.S) { // text that pretends to come from the system
		c.add(f, text, Finding{Rule: injection.Markup, Points: m.Points, Start: text.Raw(m.Start), End: text.Raw(m.End)})
	}
	c.sentences(f, text)
}

// sentences applies the rules to the sentences of a field.
func (c *scanner) sentences(f field, text normalize.Text) {
	list := c.reader.Read(text.S, c.names, nil)
	imperative := false
	for i := range list {
		s := &list[i]
		imperative = imperative || s.Imperative && s.Words >= 6
		for _, hit := range s.Hits {
			c.ruleHit(f, text, hit)
		}
		if c.options.Sentences && s.Words > 1 {
			c.result.Sentences = append(c.result.Sentences, sentence(f, text, s))
		}
	}
	if imperative && f.place == value {
		c.add(f, text, Finding{Rule: ValueOrder, Points: 1, Start: 0, End: len(f.text)})
	}
	c.remember(f, text, list)
}

func sentence(f field, text normalize.Text, s *injection.Sentence) Sentence {
	out := Sentence{
		Field: f.pointer(), Start: text.Raw(s.Start), End: text.Raw(s.End), Text: text.S[s.Start:s.End], Plain: s.Plain, Words: s.Words,
		Obligation: s.Obligation, Imperative: s.Imperative, This: s.This, Sibling: s.Sibling, Foreign: s.Foreign,
	}
	for _, hit := range s.Hits {
		if !hit.Lowered {
			out.Rules = append(out.Rules, hit.Rule)
		}
	}
	return out
}

// ruleHit adds a match of a rule to the findings.
func (c *scanner) ruleHit(f field, text normalize.Text, hit injection.Hit) {
	points := hit.Points
	if f.place == parameter && ownFlag[hit.Rule] || f.place == example {
		points = min(points, .5)
	}
	if points == 0 {
		return
	}
	c.add(f, text, Finding{Rule: hit.Rule, Points: points, Start: text.Raw(hit.Start), End: text.Raw(hit.End)})
}

// ownFlag lists the rules that get fewer points in the description of a parameter: a
// flag that skips a confirmation is ordinary.
var ownFlag = map[string]bool{injection.Consent: true}

// add completes a finding and adds it to those of the current item.
func (c *scanner) add(f field, text normalize.Text, found Finding) {
	found.Field = f.pointer()
	found.Verdict = max(found.Verdict, verdictOf(found.Points))
	found.Text = evidence(f.text, found.Start, found.End)
	found.Reason = reasons[found.Rule]
	c.result.Findings = append(c.result.Findings, found)
}
