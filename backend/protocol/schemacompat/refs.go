package schemacompat

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// trail is which references were followed to where a schema stands.
type trail struct {
	target *value
	before *trail
}

func (t *trail) passed(target *value) bool {
	for ; t != nil; t = t.before {
		if t.target == target {
			return true
		}
	}
	return false
}

// find returns what a reference means in the document itself, nil when that is
// nothing: what stands elsewhere is never fetched.
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

// with is a trail with the steps that another took since it left this one.
func (t *trail) with(other, since *trail) *trail {
	for ; other != since; other = other.before {
		t = &trail{other.target, t}
	}
	return t
}

// open returns a schema without references and allOf at its top: what they add
// is merged into it. The copy is the caller's; the trail is that of its parts.
func (a *adapter) open(v *value, t *trail) (*value, *trail) {
	parts, below := a.parts(v, t)
	if len(parts) == 1 {
		return parts[0], below
	}
	return merge(parts), below
}

// parts are what a schema is made of: itself, what it refers to, and its allOf.
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

// follow returns the parts of what a reference means; where it is not followed
// n, which has it, says so.
func (a *adapter) follow(n *value, reference string, t *trail) ([]*value, *trail) {
	target := a.find(reference)
	switch {
	case target == nil:
		a.note("references to what is not there: left out")
		return nil, t
	case t.passed(target) || a.spare < target.size:
		a.note("references that go on and on: cut to any value of their type")
		circle(n, target, reference)
		return nil, t
	}
	a.spare -= target.size
	a.note("references: written out")
	return a.parts(target, &trail{target, t})
}

// circle makes a schema what stands for a reference that is not followed.
func circle(n, target *value, reference string) {
	if n.get("type") == nil {
		if kind := target.get("type"); kind != nil && types(kind) != nil {
			n.set("type", types(kind))
		} else if kind := implied(target); kind != "" {
			n.set("type", textOf(kind))
		}
	}
	if n.get("description") == nil {
		name := reference[strings.LastIndexAny(reference, "/#")+1:]
		if name == "" {
			name = "the whole"
		}
		n.set("description", textOf("Once more as "+safetext.Clip(name, 60)+" above."))
	}
}
