package schemacompat

import (
	"slices"
	"strconv"
)

// lenientRoot adapts the schema of a tool's arguments for a vendor that accepts
// nearly all of JSON Schema below the root.
func (a *adapter) lenientRoot(v *value) *value {
	n, t := a.open(v, &trail{target: v})
	var words []string
	if branches := a.branches(n, t); len(branches) > 0 {
		n, t, words = a.union(n, branches, t)
	}
	for _, keyword := range a.rules.rootless {
		if found := n.get(keyword); found != nil {
			a.note(keyword + " at the root: moved to the description")
			words = append(words, inWords(member{keyword, found}))
			n.drop(keyword)
		}
	}
	if kind, _ := n.get("type").text(); kind != "object" {
		a.note("root that is not an object: replaced by an object")
		n.drop("type")
		n.first("type", textOf("object"))
	}
	words = append(words, a.rename(n)...)
	describe(n, words)
	return a.inside(n, t)
}

// rename removes properties with names that the vendor rejects, and returns a
// description of them.
func (a *adapter) rename(n *value) (words []string) {
	properties := n.get("properties")
	refused := func(name string) bool { return !a.rules.name.MatchString(name) }
	if !slices.ContainsFunc(membersOf(properties), func(m member) bool { return refused(m.name) }) &&
		!slices.ContainsFunc(n.get("required").texts(), refused) {
		return nil
	}
	a.note("property names that are not allowed: moved to the description")
	required, kept := make(map[string]bool), objectOf()
	missing := make(map[string]bool)
	for _, name := range n.get("required").texts() {
		required[name] = true
		missing[name] = refused(name)
	}
	for _, m := range membersOf(properties) {
		delete(missing, m.name)
		if refused(m.name) {
			words = append(words, unnamed(m.name, m.value, required[m.name]))
		} else {
			kept.members = append(kept.members, m)
		}
	}
	for _, name := range n.get("required").texts() {
		if missing[name] {
			words = append(words, unnamed(name, nil, true))
		}
	}
	if properties != nil {
		n.set("properties", kept)
	}
	needed := slices.DeleteFunc(n.get("required").texts(), refused)
	if len(needed) == 0 {
		n.drop("required")
	} else {
		n.set("required", textList(needed))
	}
	if closed(n) {
		n.drop("additionalProperties")
	}
	n.drop("unevaluatedProperties")
	return words
}

// lenient adapts a schema below the root.
func (a *adapter) lenient(v *value, t *trail) *value {
	n := a.shaped(v)
	if reference, ok := n.get("$ref").text(); ok && (!a.rules.refers(reference) || a.find(reference) == nil) {
		n, t = a.open(n, t)
	}
	return a.inside(n, t)
}

// inside adapts the pattern and the tuple of n and all schemas within n. If n is an array
// and the vendor requires the keyword items, inside adds it.
func (a *adapter) inside(n *value, t *trail) *value {
	a.tuple(n)
	if pattern, ok := n.get("pattern").text(); ok && !a.rules.pattern(pattern) {
		a.note("unsupported patterns: moved to the description")
		describe(n, []string{inWords(member{"pattern", n.get("pattern")})})
		n.drop("pattern")
	}
	for i, m := range n.members {
		n.members[i].value = a.within(m, t)
	}
	if a.rules.items && slices.Contains(typesOf(n), "array") && n.get("items") == nil {
		a.note("arrays without items: any items allowed")
		n.set("items", objectOf())
	}
	return n
}

// within returns the value of a keyword with its schemas adapted.
func (a *adapter) within(m member, t *trail) *value {
	v := m.value
	switch shapes[m.name] {
	case schemaShape, itemsShape:
		return a.lenient(v, t)
	case openShape:
		if v.isObject() {
			return a.lenient(v, t)
		}
	case schemasShape:
		out := listOf()
		for _, item := range v.items {
			out.items = append(out.items, a.lenient(item, t))
		}
		return out
	case namedShape, referredShape:
		out := objectOf()
		for _, one := range v.members {
			if m.name == "patternProperties" && !a.rules.pattern(one.name) {
				a.note("unsupported patterns: removed")
				continue
			}
			out.members = append(out.members, member{one.name, a.lenient(one.value, t)})
		}
		return out
	}
	return v
}

// tuple replaces a list of schemas in items, which draft 2020-12 does not allow, by
// prefixItems. If the vendor needs one schema for all items, tuple combines them.
func (a *adapter) tuple(n *value) {
	if list := n.get("items"); list.isList() {
		a.note("items as a list: replaced by prefixItems")
		n.drop("items")
		if len(list.items) > 0 {
			n.set("prefixItems", list)
		}
		if more := n.get("additionalItems"); more != nil && !more.is("true") {
			n.set("items", more)
		}
		n.drop("additionalItems")
	}
	if first := n.get("prefixItems"); first != nil && a.rules.items {
		a.note("items in a fixed order: any order allowed")
		n.drop("prefixItems")
		n.set("items", anyItem(first.items, n.get("items"), n.get("maxItems")))
	}
}

// anyItem returns a schema that accepts any item of a tuple. first are the schemas of
// its first items, more is the schema of further items, and most is the value of
// maxItems, which may exclude further items.
func anyItem(first []*value, more, most *value) *value {
	all := slices.Clone(first)
	switch {
	case most.isCount() && atMost(most, len(first)), more.is("false"):
	case more == nil || more.is("true"):
		return objectOf()
	default:
		all = append(all, more)
	}
	return join(all, "anyOf")
}

func atMost(count *value, n int) bool {
	c, err := strconv.Atoi(string(count.raw))
	return err == nil && c <= n
}
