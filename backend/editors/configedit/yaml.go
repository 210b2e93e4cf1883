package configedit

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// yamlDoc is a YAML text in which the collection is located.
type yamlDoc struct {
	place    Place
	body     []byte
	lines    []int // offsets of the lines, and of the end of the text
	end      int   // the line after the last line of the document, counted from 0
	resolved []yamlStep
	problem  error // why the text cannot be changed
}

// yamlStep is a value on the path to the collection.
type yamlStep struct {
	key, value *yaml.Node // key is nil for the root
	limit      int        // the line after the value, counted from 0
}

func parseYAML(body []byte, p Place) (document, error) {
	d := &yamlDoc{place: p, body: body}
	if at := bytes.IndexByte(body, '\r'); at >= 0 {
		return nil, invalid(lineOf(body, at), "the line contains a carriage return without a line feed")
	}
	d.index()
	root, err := yamlTree(body)
	if err != nil || root == nil {
		return d, err
	}
	d.resolved = []yamlStep{{value: root, limit: d.end}}
	return d, d.resolve()
}

// yamlTree parses a text and returns its root node; nil for an empty text.
func yamlTree(body []byte) (root *yaml.Node, err error) {
	defer func() {
		if recover() != nil { // a defect of the parser must not end the hub
			err = fault.New(fault.Invalid, "the file is not valid YAML")
		}
	}()
	reader := yaml.NewDecoder(bytes.NewReader(asVersion11(body)))
	var first, second yaml.Node
	if err := reader.Decode(&first); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, yamlError(err)
	}
	if err := reader.Decode(&second); err == nil {
		return nil, invalid(second.Line, "a second document starts; the file may contain only one")
	} else if err != io.EOF {
		return nil, yamlError(err)
	}
	return first.Content[0], nil
}

// versionDirective matches the version that a document declares, such as 1.2.
var versionDirective = regexp.MustCompile(`(?m)^%YAML[ \t]+1\.([0-9])(?:[ \t]|$)`)

// asVersion11 replaces the declared version 1.x of a text by 1.1, the only version that the parser
// accepts. The parser can nevertheless read documents of the other versions.
func asVersion11(body []byte) []byte {
	at := versionDirective.FindSubmatchIndex(body)
	if at == nil {
		return body
	}
	out := bytes.Clone(body)
	out[at[2]] = '1'
	return out
}

// yamlError returns a fault with the line of a parser's error, but without the text that the error quotes.
func yamlError(err error) error {
	line := 0
	if _, bad := fmt.Sscanf(err.Error(), "yaml: line %d:", &line); bad == nil {
		return invalid(line, "the file is not valid YAML")
	}
	return fault.New(fault.Invalid, "the file is not valid YAML")
}

// index fills d.lines and d.end. Besides line feeds, it counts the other line
// breaks that the YAML parser counts.
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

// line returns a line, counted from 0, with its line break.
func (d *yamlDoc) line(i int) []byte { return d.body[d.lines[i]:d.lines[i+1]] }

// at returns the offset of a node.
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

func (d *yamlDoc) resolve() error {
	for _, key := range d.place.Keys {
		step := d.resolved[len(d.resolved)-1]
		if isNull(step.value) {
			break
		}
		if step.value = dereference(step.value); step.value.Kind != yaml.MappingNode {
			return d.place.wrongNode(step.value, false)
		}
		next, ok := d.child(step, key)
		if !ok {
			break
		}
		d.resolved = append(d.resolved, next)
	}
	for _, step := range d.resolved {
		d.refuseMarkup(step.value)
	}
	c := d.collection()
	if c == nil {
		return nil
	}
	want := yaml.Kind(yaml.MappingNode)
	if d.place.List != "" {
		want = yaml.SequenceNode
	}
	if v := dereference(c.value); v.Kind != want && !isNull(v) {
		return d.place.wrongNode(v, true)
	}
	if !d.isPlain(c.value, 0) {
		d.refuseMarkup(&yaml.Node{Anchor: "in it", Line: c.value.Line})
	}
	d.unique(c.value)
	return nil
}

// child returns the step for a key of a mapping, and false if the mapping does not have the key.
func (d *yamlDoc) child(step yamlStep, key string) (yamlStep, bool) {
	found := yamlStep{}
	children := step.value.Content
	for i := 0; i+1 < len(children); i += 2 {
		if children[i].Value != key || children[i].Kind != yaml.ScalarNode {
			continue
		}
		if found.key != nil {
			d.problem = invalid(children[i].Line, "the key %q occurs twice", key)
		}
		found = yamlStep{children[i], children[i+1], step.limit}
		if i+2 < len(children) {
			found.limit = children[i+2].Line - 1
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
			d.problem = invalid(key.Line, "a key occurs twice")
		} else {
			seen[key.Value] = true
		}
	}
}

// refuseMarkup sets d.problem if a node has an anchor, alias, merge key or tag.
func (d *yamlDoc) refuseMarkup(n *yaml.Node) {
	if d.hasMarkup(n) {
		d.problem = invalid(n.Line, "the entries use an anchor, alias, merge key or tag, so they cannot be changed safely")
	}
}

// hasMarkup reports whether a node has an anchor, alias, merge key or tag, with which a change
// could affect other parts of the file. It looks for the tag "!" in the text, because the parser
// drops this tag.
func (d *yamlDoc) hasMarkup(n *yaml.Node) bool {
	if n.Anchor != "" || n.Kind == yaml.AliasNode || n.Style&yaml.TaggedStyle != 0 || n.Tag == "!!merge" {
		return true
	}
	return n.Line > 0 && bytes.HasPrefix(d.body[d.at(n):], []byte("!"))
}

// isPlain reports whether all nodes of a tree are without markup and not nested too deeply.
func (d *yamlDoc) isPlain(n *yaml.Node, depth int) bool {
	if d.hasMarkup(n) || depth > deepest {
		return false
	}
	for _, child := range n.Content {
		if !d.isPlain(child, depth+1) {
			return false
		}
	}
	return true
}

// wrongNode returns the error for a node that should be a mapping, or the list of
// entries if it is the collection.
func (p Place) wrongNode(n *yaml.Node, isCollection bool) error {
	want := "a mapping"
	if p.List != "" && isCollection {
		want = "a list"
	}
	return invalid(n.Line, "expected %s, but found another type of value", want)
}

func (d *yamlDoc) collection() *yamlStep {
	if len(d.resolved) == len(d.place.Keys)+1 {
		return &d.resolved[len(d.resolved)-1]
	}
	return nil
}

func (d *yamlDoc) editable(name string) error {
	if _, n := d.member(name); n > 1 {
		return fault.New(fault.Invalid, "there are two entries named %q", name)
	}
	return d.problem
}

func (d *yamlDoc) members() []Field {
	if c := d.collection(); c != nil {
		return named(yamlValueOf(c.value), d.place)
	}
	return nil
}

func (d *yamlDoc) member(name string) (value any, n int) { return count(d.members(), name) }

func (d *yamlDoc) same(other document, name string) bool {
	o := other.(*yamlDoc)
	for i, key := range d.place.Keys {
		if !equalNodes(otherMembers(d.step(i), key), otherMembers(o.step(i), key)) {
			return false
		}
	}
	last := len(d.place.Keys)
	if d.place.List == "" {
		return equalNodes(otherMembers(d.step(last), name), otherMembers(o.step(last), name))
	}
	return equalNodes(d.otherItems(name), o.otherItems(name))
}

// step returns the value at index i of d.resolved; nil past its end.
func (d *yamlDoc) step(i int) *yaml.Node {
	if i < len(d.resolved) {
		return d.resolved[i].value
	}
	return nil
}

// otherMembers returns the keys and values of a mapping except for one key.
func otherMembers(n *yaml.Node, but string) []*yaml.Node {
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

// equalNodes compares nodes by their values, not by their layout.
func equalNodes(a, b []*yaml.Node) bool {
	return slices.EqualFunc(a, b, func(a, b *yaml.Node) bool {
		return a.Kind == b.Kind && a.Value == b.Value && a.ShortTag() == b.ShortTag() && a.Anchor == b.Anchor && equalNodes(a.Content,
			b.Content)
	})
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// dereference returns the node that an alias refers to.
func dereference(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// startsLine reports whether only spaces precede an offset on its line.
func (d *yamlDoc) startsLine(at int) bool {
	return strings.Trim(string(d.body[lineStart(d.body, at):at]), " ") == ""
}
