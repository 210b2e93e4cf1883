package schemacompat

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// trail lists the targets of the references that were followed to reach a schema.
type trail struct {
	target *value
	before *trail
}

// passed reports whether the trail contains a target.
func (t *trail) passed(target *value) bool {
	for ; t != nil; t = t.before {
		if t.target == target {
			return true
		}
	}
	return false
}

// find returns the target of a reference within the document, nil if it does not
// exist. Other documents are never loaded.
func (a *adapter) find(reference string) *value {
	pointer, ok := strings.CutPrefix(reference, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil
	}
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	at := a.document
	for pointer != "" {
		token, rest, more := strings.Cut(pointer[1:], "/")
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if at.isList() {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at.items) {
				return nil
			}
			at = at.items[i]
		} else if at = at.get(token); at == nil {
			return nil
		}
		if pointer = ""; more {
			pointer = "/" + rest
		}
	}
	if !isSchema(at) {
		return nil
	}
	return at
}

// with returns the trail extended by the targets that other has in addition to
// since, which is the beginning of other.
func (t *trail) with(other, since *trail) *trail {
	for ; other != since; other = other.before {
		t = &trail{other.target, t}
	}
	return t
}

// open returns a copy of a schema with its own $ref and allOf merged into it, and the
// trail t extended by the references that were followed.
func (a *adapter) open(v *value, t *trail) (*value, *trail) {
	parts, below := a.parts(v, t)
	if len(parts) == 1 {
		return parts[0], below
	}
	return merge(parts), below
}

// parts returns the schemas that a schema consists of: itself, the target of its
// $ref, and the schemas in its allOf.
func (a *adapter) parts(v *value, t *trail) ([]*value, *trail) {
	n := a.shaped(v)
	parts, below := []*value{n}, t
	if reference, ok := n.get("$ref").text(); ok {
		n.drop("$ref")
		more, passed := a.follow(n, reference, t)
		parts, below = append(parts, more...), below.with(passed, t)
	}
	if all := n.get("allOf"); all != nil {
		n.drop("allOf")
		a.note("allOf: merged")
		for _, part := range all.items {
			more, passed := a.parts(part, t)
			parts, below = append(parts, more...), below.with(passed, t)
		}
	}
	return parts, below
}

// follow returns the parts of the target of a reference in n. If the reference is
// cyclic or its target too large, follow changes n to a substitute instead. A
// reference without a target is ignored.
func (a *adapter) follow(n *value, reference string, t *trail) ([]*value, *trail) {
	target := a.find(reference)
	switch {
	case target == nil:
		a.note("references without a target: removed")
		return nil, t
	case t.passed(target) || a.spare < target.size:
		a.note("cyclic or long references: replaced by any value of their type")
		substitute(n, target, reference)
		return nil, t
	}
	a.spare -= target.size
	a.note("references: replaced by their targets")
	return a.parts(target, &trail{target, t})
}

// substitute replaces a reference that is not followed: it gives n the type of the
// target, and a description that names the reference.
func substitute(n, target *value, reference string) {
	if n.get("type") == nil {
		if kind := target.get("type"); kind != nil && types(kind) != nil {
			n.set("type", types(kind))
		} else if kind := implied(target); kind != "" {
			n.set("type", textOf(kind))
		}
	}
	if n.get("description") == nil {
		name := cmp.Or(reference[strings.LastIndexAny(reference, "/#")+1:], "the whole schema")
		n.set("description", textOf("Has the same form as "+safetext.Clip(name, 60)+" above."))
	}
}
