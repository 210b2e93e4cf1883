package configedit

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"go.yaml.in/yaml/v3"
)

// yamlDoc is a YAML text with its collection found.
type yamlDoc struct {
	place   Place
	body    []byte
	lines   []int // where they start; one more for the end
	end     int   // the line after the document, counted from 0
	way     []yamlStep
	problem error // why it may not be changed
}

// yamlStep is a value on the way to the collection.
type yamlStep struct {
	key, value *yaml.Node // no key for the root
	limit      int        // the line of what comes after it, counted from 0
}

func parseYAML(body []byte, p Place) (document, error) {
	d := &yamlDoc{place: p, body: body}
	if at := bytes.IndexByte(body, '\r'); at >= 0 {
		return nil, invalid(lineOf(body, at), "a carriage return stands alone")
	}
	d.index()
	root, err := yamlTree(body)
	if err != nil || root == nil {
		return d, err
	}
	d.way = []yamlStep{{value: root, limit: d.end}}
	return d, d.walk()
}

// yamlTree returns the only document of a text; nil when there is none.
func yamlTree(body []byte) (root *yaml.Node, err error) {
	defer func() {
		if recover() != nil { // what anybody wrote may find an error in the parser
			err = fault.New(fault.Invalid, "the file is not valid YAML")
		}
	}()
	reader := yaml.NewDecoder(bytes.NewReader(body))
	var first, second yaml.Node
	if err := reader.Decode(&first); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, yamlError(err)
	}
	if err := reader.Decode(&second); err == nil {
		return nil, invalid(second.Line, "a second document starts, of which only one may be in the file")
	} else if err != io.EOF {
		return nil, yamlError(err)
	}
	return first.Content[0], nil
}

// yamlError keeps the line of an error, and leaves out what it quotes.
func yamlError(err error) error {
	line := 0
	if _, bad := fmt.Sscanf(err.Error(), "yaml: line %d:", &line); bad == nil {
		return invalid(line, "the file is not valid YAML")
	}
	return fault.New(fault.Invalid, "the file is not valid YAML")
}

// index notes where lines start: YAML has more breaks than the line feed.
func (d *yamlDoc) index() {
	d.lines = []int{0}
	for i, c := range string(d.body) {
		switch c {
		case '\n', '\u0085', '\u2028', '\u2029':
			d.lines = append(d.lines, i+utf8.RuneLen(c))
		}
	}
	if last := len(d.lines) - 1; d.lines[last] != len(d.body) {
		d.lines = append(d.lines, len(d.body))
	}
	d.end = len(d.lines) - 1
	for i := range d.end {
		if text := d.line(i); bytes.HasPrefix(text, []byte("...")) && blank(text[3:]) {
			d.end = i
			return
		}
	}
}

// line returns a line, counted from 0, with its end.
func (d *yamlDoc) line(i int) []byte { return d.body[d.lines[i]:d.lines[i+1]] }

// at returns where a node starts.
func (d *yamlDoc) at(n *yaml.Node) int {
	if n.Line > len(d.lines) {
		return len(d.body)
	}
	at := d.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(d.body[at:])
		at += size
	}
	return at
}

func (d *yamlDoc) walk() error {
	for _, key := range d.place.Keys {
		step := d.way[len(d.way)-1]
		if isNull(step.value) {
			break
		}
		if step.value = yamlReal(step.value); step.value.Kind != yaml.MappingNode {
			return d.another(step.value)
		}
		next, ok := d.kid(step, key)
		if !ok {
			break
		}
		d.way = append(d.way, next)
	}
	for _, step := range d.way {
		d.refuse(step.value)
	}
	c := d.found()
	if c == nil {
		return nil
	}
	want := yaml.Kind(yaml.MappingNode)
	if d.place.List != "" {
		want = yaml.SequenceNode
	}
	if v := yamlReal(c.value); v.Kind != want && !isNull(v) {
		return d.another(v)
	}
	if !plainTree(c.value, 0) {
		d.refuse(&yaml.Node{Anchor: "in it", Line: c.value.Line})
	}
	d.unique(c.value)
	return nil
}

// kid returns the step to a key of a mapping.
func (d *yamlDoc) kid(step yamlStep, key string) (yamlStep, bool) {
	found := yamlStep{}
	kids := step.value.Content
	for i := 0; i+1 < len(kids); i += 2 {
		if kids[i].Value != key || kids[i].Kind != yaml.ScalarNode {
			continue
		}
		if found.key != nil {
			d.problem = invalid(kids[i].Line, "the key %q is there twice", key)
		}
		found = yamlStep{kids[i], kids[i+1], step.limit}
		if i+2 < len(kids) {
			found.limit = kids[i+2].Line - 1
		}
	}
	return found, found.key != nil
}

func (d *yamlDoc) unique(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; seen[key.Value] {
			d.problem = invalid(key.Line, "a key is there twice")
		} else {
			seen[key.Value] = true
		}
	}
}

// refuse notes that a node has more to it than its text.
func (d *yamlDoc) refuse(n *yaml.Node) {
	if marked(n) {
		d.problem = invalid(n.Line, "an anchor, an alias, a merge key or a tag is in or around the entries")
	}
}

func marked(n *yaml.Node) bool {
	return n.Anchor != "" || n.Kind == yaml.AliasNode || n.Style&yaml.TaggedStyle != 0 || n.Tag == "!!merge"
}

// plainTree reports whether no node of a tree is marked, and none too deep.
func plainTree(n *yaml.Node, depth int) bool {
	if marked(n) || depth > deepest {
		return false
	}
	for _, kid := range n.Content {
		if !plainTree(kid, depth+1) {
			return false
		}
	}
	return true
}

func (d *yamlDoc) another(n *yaml.Node) error {
	return invalid(n.Line, "something else stands where the entries should be")
}

func (d *yamlDoc) found() *yamlStep {
	if len(d.way) == len(d.place.Keys)+1 {
		return &d.way[len(d.way)-1]
	}
	return nil
}

func (d *yamlDoc) editable(name string) error {
	if _, n := d.member(name); n > 1 {
		return fault.New(fault.Invalid, "the entry %q is there twice", name)
	}
	return d.problem
}

func (d *yamlDoc) members() []Field {
	if c := d.found(); c != nil {
		return named(yamlValueOf(c.value), d.place)
	}
	return nil
}

func (d *yamlDoc) member(name string) (value any, n int) { return count(d.members(), name) }

func (d *yamlDoc) same(other document, name string) bool {
	o := other.(*yamlDoc)
	for i, key := range d.place.Keys {
		if !sameNodes(others(d.step(i), key), others(o.step(i), key)) {
			return false
		}
	}
	last := len(d.place.Keys)
	if d.place.List == "" {
		return sameNodes(others(d.step(last), name), others(o.step(last), name))
	}
	return sameNodes(d.otherItems(name), o.otherItems(name))
}

// step returns a value of the way; nil where there is none.
func (d *yamlDoc) step(i int) *yaml.Node {
	if i < len(d.way) {
		return d.way[i].value
	}
	return nil
}

// others returns the keys and values of a mapping but one.
func others(n *yaml.Node, but string) []*yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var out []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Value != but || key.Kind != yaml.ScalarNode {
			out = append(out, key, n.Content[i+1])
		}
	}
	return out
}

func (d *yamlDoc) otherItems(name string) []*yaml.Node {
	c := d.step(len(d.place.Keys))
	if c == nil {
		return nil
	}
	var out []*yaml.Node
	for i, f := range d.members() {
		if f.Key != name {
			out = append(out, c.Content[i])
		}
	}
	return out
}

// sameNodes compares nodes by what they mean, not by how they are laid out.
func sameNodes(a, b []*yaml.Node) bool {
	return slices.EqualFunc(a, b, func(a, b *yaml.Node) bool {
		return a.Kind == b.Kind && a.Value == b.Value && a.ShortTag() == b.ShortTag() && a.Anchor == b.Anchor && sameNodes(a.Content, b.Content)
	})
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// yamlReal returns what an alias stands for.
func yamlReal(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// startsLine reports whether nothing but blanks stands before a place.
func (d *yamlDoc) startsLine(at int) bool {
	return strings.Trim(string(d.body[lineStart(d.body, at):at]), " ") == ""
}
