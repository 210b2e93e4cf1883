package schemacompat

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// merge returns a schema that accepts at least the values that all parts accept. If
// the values of a keyword cannot be combined, it keeps the first. It does not
// modify the parts.
func merge(parts []*value) *value {
	out := &value{kind: '{'}
	all := make(map[string][]*value)
	for _, part := range parts {
		for _, m := range part.members {
			if all[m.name] == nil {
				out.members = append(out.members, member{m.name, nil})
			}
			all[m.name] = append(all[m.name], m.value)
		}
	}
	for i, m := range out.members {
		out.members[i].value = combined(m.name, all[m.name])
	}
	have := len(membersOf(out.get("properties")))
	for _, part := range parts {
		if closed(part) && len(membersOf(part.get("properties"))) < have {
			out.drop("additionalProperties", "unevaluatedProperties")
			break
		}
	}
	return out
}

// closed reports whether a schema restricts properties that it does not name.
func closed(v *value) bool {
	open := v.get("additionalProperties")
	return open != nil && !open.is("true")
}

func membersOf(v *value) []member {
	if v.isObject() {
		return v.members
	}
	return nil
}

// combined returns one value for a keyword that several schemas have.
func combined(keyword string, all []*value) *value {
	if len(all) == 1 {
		return all[0]
	}
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions":
		return gather(all, "allOf")
	case "items":
		return join(all, "allOf")
	case "required":
		list := listOf()
		for _, v := range all {
			list.items = append(list.items, v.items...)
		}
		return names(list)
	case "type", "enum":
		one := all[0]
		for _, other := range all[1:] {
			one = common(one, other)
		}
		return one
	}
	return all[0]
}

// common returns the values that are in both lists, or the list one if they have
// nothing in common. A list of types that contains number also contains integer.
func common(one, other *value) *value {
	const whole, number = `"integer"`, `"number"`
	in := make(map[string]bool)
	for _, v := range itemsOf(other) {
		in[v.String()] = true
	}
	var kept []*value
	for _, v := range itemsOf(one) {
		switch s := v.String(); {
		case in[s], s == whole && in[number]:
			kept = append(kept, v)
		case s == number && in[whole]:
			kept = append(kept, textOf("integer"))
		}
	}
	switch {
	case len(kept) == 0:
		return one
	case len(kept) == 1 && (!one.isList() || !other.isList()):
		return kept[0]
	}
	return listOf(kept...)
}

// itemsOf returns the items of a list; any other value counts as a list of one.
func itemsOf(v *value) []*value {
	if v.isList() {
		return v.items
	}
	return []*value{v}
}

// gather combines objects whose members are schemas, such as the values of
// properties. It joins schemas with the same name by the keyword how: allOf or
// anyOf.
func gather(all []*value, how string) *value {
	out := objectOf()
	by := make(map[string][]*value)
	for _, v := range all {
		for _, m := range membersOf(v) {
			if by[m.name] == nil {
				out.members = append(out.members, member{m.name, nil})
			}
			by[m.name] = append(by[m.name], m.value)
		}
	}
	for i, m := range out.members {
		out.members[i].value = join(by[m.name], how)
	}
	return out
}

// join returns a schema that combines the different schemas in all with the keyword
// how.
func join(all []*value, how string) *value {
	if len(all) > 1 {
		all = distinct(all)
	}
	if len(all) == 1 {
		return all[0]
	}
	return objectOf(how, listOf(all...))
}

func distinct(all []*value) []*value {
	seen := make(map[string]bool, len(all))
	var out []*value
	for _, v := range all {
		if s := v.String(); !seen[s] {
			seen[s] = true
			out = append(out, v)
		}
	}
	return out
}

// branch is an alternative of anyOf or oneOf, as adapter.open returns it: a schema
// with its own $ref and allOf merged, and its trail.
type branch struct {
	*value
	trail *trail
}

// branches removes anyOf and oneOf from n, a schema that adapter.open has returned,
// and returns the alternatives of anyOf, or of oneOf if n has no anyOf.
func (a *adapter) branches(n *value, t *trail) []branch {
	list := n.get("anyOf")
	if list == nil {
		list = n.get("oneOf")
	}
	n.drop("anyOf", "oneOf")
	if list == nil {
		return nil
	}
	out := make([]branch, len(list.items))
	for i, one := range list.items {
		out[i].value, out[i].trail = a.open(one, t)
	}
	return out
}

// union combines n and its branches into one object schema. It has the
// properties of n and of all branches, and requires the properties that n or
// every branch requires. The returned words describe which properties belong
// together.
func (a *adapter) union(n *value, branches []branch, t *trail) (*value, *trail, []string) {
	a.note("anyOf and oneOf of an object: properties combined")
	properties, below := []*value{n.get("properties")}, t
	counts := make(map[string]int)
	words := together(branches)
	for _, one := range branches {
		v, passed := one.value, one.trail
		if inner := a.branches(v, passed); len(inner) > 0 {
			v, passed, _ = a.union(v, inner, passed)
		}
		properties, below = append(properties, v.get("properties")), below.with(passed, t)
		for _, name := range v.get("required").texts() {
			counts[name]++
		}
	}
	out := n.copied()
	if all := gather(properties, "anyOf"); len(all.members) > len(membersOf(n.get("properties"))) {
		out.drop("additionalProperties", "unevaluatedProperties")
		out.set("properties", all)
	} else if len(all.members) > 0 {
		out.set("properties", all)
	}
	needed := listOf()
	for _, name := range append(n.get("required").texts(), branches[0].get("required").texts()...) {
		if counts[name] == len(branches) || slices.Contains(n.get("required").texts(), name) {
			needed.items = append(needed.items, textOf(name))
		}
	}
	if len(needed.items) > 0 {
		out.set("required", names(needed))
	}
	return out, below, words
}

// together describes in words which properties belong together.
func together(branches []branch) []string {
	const most, longest = 6, 300
	var sets []string
	for _, one := range branches {
		members := one.get("required").texts()
		if len(members) == 0 {
			for _, m := range membersOf(one.get("properties")) {
				members = append(members, m.name)
			}
		}
		if len(members) > most {
			members = append(members[:most:most], "…")
		}
		if set := strings.Join(members, " + "); set != "" && len(sets) < longest && !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	if len(sets) < 2 {
		return nil
	}
	return []string{safetext.Clip("alternatives: "+strings.Join(sets, ", or "), longest)}
}
