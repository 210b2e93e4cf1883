package configedit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func (d *yamlDoc) put(name string, value Object) ([]replacement, int, error) {
	return d.addOrReplace(name, value, func(part yamlPart) (replacement, error) {
		var b strings.Builder
		indent := lineIndent(d.body, part.from)
		if unit := d.unit(); part.key == nil {
			b.WriteString(yamlItem(indent, unit, value))
		} else {
			yamlFields(&b, indent, unit, Object{{name, value}})
		}
		return replacement{d.lines[part.first], d.lines[part.end], d.matchLastLine(part.end, b.String())}, nil
	})
}

// addOrReplace adds a member, or calls replace if the member exists.
func (d *yamlDoc) addOrReplace(name string, value any, replace func(yamlPart) (replacement, error)) ([]replacement, int, error) {
	last := len(d.place.Keys)
	made := max(last+1-len(d.resolved), 0)
	if len(d.resolved) == 0 {
		made = last
	}
	var content any = Object{{name, value}}
	if d.place.List != "" {
		content = []any{value}
	}
	if made > 0 {
		content = nested(d.place.Keys[last-made:], content)
	}
	if len(d.resolved) == 0 {
		e, err := d.atEnd(content)
		return []replacement{e}, made, err
	}
	if c := d.collection(); c != nil {
		if part, err := d.part(c, name); err != nil {
			return nil, 0, err
		} else if part != nil {
			e, err := replace(*part)
			return []replacement{e}, 0, err
		}
	}
	e, err := d.insert(d.resolved[len(d.resolved)-1], content)
	return []replacement{e}, made, err
}

// insert adds content as the first member of a mapping or list. In the root
// mapping, it adds content at the end.
func (d *yamlDoc) insert(step yamlStep, content any) (replacement, error) {
	v := step.value
	if v.Style&yaml.FlowStyle != 0 {
		at := d.at(v) + 1
		if len(v.Content) > 0 {
			return replacement{}, inlineError(v)
		}
		flow := yamlFlow(content)
		return replacement{at, at, flow[1 : len(flow)-1]}, nil
	}
	if step.key == nil && v.Kind != yaml.SequenceNode {
		return d.atEnd(content)
	}
	if isNull(v) && v.Value != "" {
		return replacement{}, d.place.wrongNode(v, step.key != nil && d.collection() != nil)
	}
	line, indent := d.childLine(step)
	return d.insertLines(line, d.block(indent, content)), nil
}

// childLine returns the line and the indentation of a new first child.
func (d *yamlDoc) childLine(step yamlStep) (line int, indent string) {
	if step.key == nil {
		return step.value.Line - 1, strings.Repeat(" ", step.value.Column-1)
	}
	if len(step.value.Content) > 0 {
		return step.key.Line, strings.Repeat(" ", step.value.Column-1)
	}
	return step.key.Line, strings.Repeat(" ", step.key.Column-1) + d.unit()
}

// block writes members in block style.
func (d *yamlDoc) block(indent string, content any) string {
	var b strings.Builder
	switch c := content.(type) {
	case Object:
		for _, f := range c {
			if items, ok := f.Value.([]any); ok && len(items) == 1 && hasObject(items) {
				b.WriteString(indent + yamlString(f.Key) + ":\n" + d.block(indent+d.unit(), items))
			} else if o, ok := f.Value.(Object); ok && len(o) > 0 {
				b.WriteString(indent + yamlString(f.Key) + ":\n" + d.block(indent+d.unit(), o))
			} else {
				yamlFields(&b, indent, d.unit(), Object{f})
			}
		}
	case []any:
		for _, item := range c {
			o, _ := item.(Object)
			b.WriteString(yamlItem(indent, d.unit(), o))
		}
	}
	return b.String()
}

// atEnd adds content at the end of the document.
func (d *yamlDoc) atEnd(content any) (replacement, error) {
	indent := ""
	if len(d.resolved) > 0 && d.resolved[0].value.Kind == yaml.MappingNode {
		indent = strings.Repeat(" ", d.resolved[0].value.Column-1)
	}
	return d.insertLines(d.end, d.block(indent, content)), nil
}

// insertLines adds whole lines before a line.
func (d *yamlDoc) insertLines(line int, text string) replacement {
	at := d.lines[min(line, len(d.lines)-1)]
	if at > 0 && d.body[at-1] != '\n' {
		text = "\n" + text
	}
	return replacement{at, at, text}
}

// matchLastLine removes the last line feed of text if the line before the
// offset end has no line feed.
func (d *yamlDoc) matchLastLine(end int, text string) string {
	if at := d.lines[end]; at > 0 && d.body[at-1] != '\n' {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

// unit returns the indentation of one level, as in the first mapping inside the root mapping.
func (d *yamlDoc) unit() string {
	root := d.step(0)
	if root == nil || root.Kind != yaml.MappingNode {
		return "  "
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, v := root.Content[i], root.Content[i+1]
		if v.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0 && v.Column > key.Column {
			return strings.Repeat(" ", v.Column-key.Column)
		}
	}
	return "  "
}

func inlineError(n *yaml.Node) error {
	return invalid(n.Line, "the entries are written inline in brackets; write each on lines of its own")
}

// setValue replaces the value of a field. If the old and the new value fit on one line, it keeps
// the rest of the line; otherwise it replaces all lines of the field.
func (d *yamlDoc) setValue(part yamlPart, value any) (replacement, error) {
	if !d.isPlain(part.value, 0) {
		return replacement{}, invalid(part.value.Line, "the value uses an anchor, alias, merge key or tag, so it cannot be changed safely")
	}
	colon := d.colon(part.key)
	if colon < 0 || !d.startsLine(part.from) && part.value.Style&yaml.FlowStyle != 0 {
		return replacement{}, inlineError(part.key)
	}
	o, isObject := value.(Object)
	block := isObject && len(o) > 0 && part.value.Style&yaml.FlowStyle == 0
	start, end := colon, colon
	if !isNull(part.value) || part.value.Value != "" {
		start = d.at(part.value)
		end = d.valueEnd(start)
	}
	if part.end == part.first+1 && !block {
		text := yamlFlow(value)
		if start == colon {
			text = " " + text
		}
		return replacement{part.from, end, string(d.body[part.from:start]) + text}, nil
	}
	indent := strings.Repeat(" ", part.key.Column-1)
	text := string(d.body[part.from:colon]) + yamlValue(indent, d.unit(), value) + "\n"
	return replacement{part.from, d.lines[part.end], d.matchLastLine(part.end, text)}, nil
}

func (d *yamlDoc) inside(name string) (document, error) {
	c := d.collection()
	if c == nil {
		return nil, fault.New(fault.NotFound, "the entry %q does not exist", name)
	}
	part, err := d.part(c, name)
	if err != nil {
		return nil, err
	}
	if part == nil {
		return nil, fault.New(fault.NotFound, "the entry %q does not exist", name)
	}
	in := *d
	in.place = Place{Format: YAML, Keys: append(slices.Clone(d.place.Keys), name)}
	in.resolved = append(slices.Clone(d.resolved), yamlStep{part.key, part.value, part.end})
	if part.value.Kind != yaml.MappingNode || part.value.Style&yaml.FlowStyle != 0 {
		return nil, inlineError(part.value)
	}
	in.unique(part.value)
	return &in, in.problem
}

func (d *yamlDoc) set(name string, fields Object) ([]replacement, error) {
	inner, err := d.inside(name)
	if err != nil {
		return nil, err
	}
	in := inner.(*yamlDoc)
	c := in.collection()
	var edits []replacement
	var missing Object
	for _, f := range fields {
		part, err := in.part(c, f.Key)
		if err != nil {
			return nil, err
		}
		if part == nil {
			missing = append(missing, f)
			continue
		}
		e, err := in.setValue(*part, f.Value)
		if err != nil {
			return nil, err
		}
		edits = append(edits, e)
	}
	if len(missing) > 0 {
		last, err := in.keyPart(c, len(c.value.Content)/2-1)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		yamlFields(&b, strings.Repeat(" ", c.value.Column-1), d.unit(), missing)
		edits = append(edits, in.insertLines(last.end, b.String()))
	}
	return edits, nil
}

func (d *yamlDoc) remove(name string, made int) ([]replacement, error) {
	c := d.collection()
	if c == nil {
		return nil, nil
	}
	if c.value.Style&yaml.FlowStyle != 0 {
		return d.removeInline(c, name)
	}
	part, err := d.part(c, name)
	if err != nil {
		return nil, err
	}
	for at := len(d.resolved) - 2; made > 0 && at >= 0 && d.holdsOnly(c, part); at, made = at-1, made-1 {
		c = &d.resolved[at]
		children := c.value.Content
		for i := 0; i < len(children); i += 2 {
			if children[i].Value == d.place.Keys[at] {
				if part, err = d.keyPart(c, i/2); err != nil {
					return nil, err
				}
			}
		}
		if c.value.Style&yaml.FlowStyle != 0 {
			return nil, inlineError(c.value)
		}
	}
	if part == nil {
		return nil, nil
	}
	return d.removePart(c, part)
}

// holdsOnly reports whether a collection contains only the member part, or nothing if part is nil. A comment before
// the member counts as content.
func (d *yamlDoc) holdsOnly(c *yamlStep, part *yamlPart) bool {
	n := len(c.value.Content)
	if c.value.Kind == yaml.MappingNode {
		n /= 2
	}
	if part == nil {
		return n == 0
	}
	return n == 1 && blank(d.body[d.lines[c.key.Line]:d.lines[part.first]])
}

// removePart removes the lines of a member. A collection without other members
// gets empty brackets, because without them it would be null.
func (d *yamlDoc) removePart(c *yamlStep, part *yamlPart) ([]replacement, error) {
	if !d.startsLine(part.from) {
		return nil, inlineError(part.value)
	}
	edits := []replacement{{d.lines[part.first], d.lines[part.end], ""}}
	only := len(c.value.Content) == 2
	brackets := " {}"
	if c.value.Kind == yaml.SequenceNode {
		only, brackets = len(c.value.Content) == 1, " []"
	}
	if only && c.key != nil {
		colon := d.colon(c.key)
		if colon < 0 {
			return nil, inlineError(c.value)
		}
		edits = append(edits, replacement{colon, colon, brackets})
	}
	return edits, nil
}

// removeInline removes the only member of a collection in brackets.
func (d *yamlDoc) removeInline(c *yamlStep, name string) ([]replacement, error) {
	members := d.members()
	if _, n := count(members, name); n == 0 {
		return nil, nil
	}
	if len(members) > 1 {
		return nil, inlineError(c.value)
	}
	at := d.at(c.value)
	return []replacement{{at + 1, d.valueEnd(at) - 1, ""}}, nil
}
