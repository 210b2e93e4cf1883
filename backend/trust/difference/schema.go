package difference

import (
	"fmt"
	"maps"
	"slices"
)

// schema compares two JSON schemas: what arguments exist, which ones are required, and
// what values they may have.
func (c *comparison) schema(at string, was, is any) {
	old, isObject := was.(map[string]any)
	now, alsoObject := is.(map[string]any)
	if !isObject || !alsoObject {
		c.value(at, was, is)
		return
	}
	for _, name := range namesOf(old, now) {
		before, had := old[name]
		after, has := now[name]
		field := at + "/" + escape(name)
		switch name {
		case "properties", "$defs", "definitions", "patternProperties":
			c.schemas(field, before, after)
		case "items", "additionalProperties", "not":
			if had && has {
				c.schema(field, before, after)
			} else {
				c.member(field, before, had, after, has)
			}
		case "required":
			c.required(field, before, after)
		case "type", "enum", "default":
			c.keyword(field, name, before, had, after, has)
		default:
			c.member(field, before, had, after, has)
		}
	}
}

// schemas compares two objects whose members are schemas, such as properties.
func (c *comparison) schemas(at string, was, is any) {
	old, _ := was.(map[string]any)
	now, _ := is.(map[string]any)
	all := make(map[string]any)
	maps.Copy(all, old)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		before, had := old[name]
		after, has := now[name]
		field := at + "/" + escape(name)
		switch {
		case had && has:
			c.schema(field, before, after)
		case has:
			c.add(Change{Field: field, Kind: Added, After: shown(after), Words: fmt.Sprintf("there is a new %q", Visible(name))})
		default:
			c.add(Change{Field: field, Kind: Removed, Before: shown(before), Words: fmt.Sprintf("%q is gone", Visible(name))})
		}
	}
}

func (c *comparison) required(at string, was, is any) {
	old, now := texts(was), texts(is)
	for _, name := range now {
		if !slices.Contains(old, name) {
			c.add(Change{Field: at, Kind: Required, After: shown(name), Words: fmt.Sprintf("%q is required now", Visible(name))})
		}
	}
	for _, name := range old {
		if !slices.Contains(now, name) {
			c.add(Change{Field: at, Kind: Required, Before: shown(name), Words: fmt.Sprintf("%q is not required any more", Visible(name))})
		}
	}
}

func texts(value any) (out []string) {
	list, _ := value.([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// keyword compares the keyword type, enum or default of a schema.
func (c *comparison) keyword(at, name string, was any, had bool, is any, has bool) {
	before, after := shownIf(was, had), shownIf(is, has)
	if before == after && had == has {
		return
	}
	kind := map[string]string{"type": Type, "enum": Enum, "default": Default}[name]
	words := fmt.Sprintf("%s was %s, is %s", name, before, after)
	switch {
	case !had:
		words = fmt.Sprintf("%s is %s now", name, after)
	case !has:
		words = fmt.Sprintf("%s was %s and is gone", name, before)
	}
	c.add(Change{Field: at, Kind: kind, Before: before, After: after, Words: words})
}
