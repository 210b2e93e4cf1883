// Package schemacheck compares the arguments of a call with the JSON Schema of the tool, and
// describes what is wrong with them in words that let a model correct itself. It reports
// only what certainly breaks the schema: keywords that it does not know, references to other
// documents and invalid schemas forbid nothing. The server makes the final decision.
package schemacheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	maxProblems = 5  // in one answer
	maxDepth    = 40 // of schemas that contain or reference each other
)

// Check returns one sentence for each problem of arguments, at most maxProblems, and nothing if arguments fit the
// schema. Both are valid JSON; an empty schema allows everything.
func Check(schema, arguments json.RawMessage) []string {
	c := checker{root: schema}
	c.check(schema, arguments, "", 0)
	return c.problems[:min(len(c.problems), maxProblems)]
}

type checker struct {
	root     json.RawMessage
	problems []string
}

func (c *checker) report(at, format string, args ...any) {
	c.problems = append(c.problems, cmp.Or(at, "arguments")+" "+fmt.Sprintf(format, args...))
}

// check reports what is wrong with value according to schema. at is the path of the value, such as filter.tags[0].
func (c *checker) check(schema, value json.RawMessage, at string, depth int) {
	if string(schema) == "false" {
		c.report(at, "is not allowed")
		return
	}
	if len(schema) == 0 || schema[0] != '{' || depth > maxDepth || len(c.problems) >= maxProblems {
		return
	}
	if jsonrpc.Get(schema, "$ref") != nil { // ignore keywords beside it, which count in later drafts only
		c.check(c.referenced(schema), value, at, depth+1)
		return
	}
	if !c.checkType(schema, value, at) {
		return
	}
	c.checkChoice(schema, value, at)
	switch kindOf(value) {
	case "object":
		c.checkObject(schema, value, at, depth)
	case "array":
		c.checkArray(schema, value, at, depth)
	case "string":
		if text, ok := jsonrpc.String(value); ok {
			c.checkLength(schema, at, utf8.RuneCountInString(text), "minLength", "maxLength", "characters")
		}
	default:
		c.checkNumber(schema, value, at)
	}
	c.checkCombined(schema, value, at, depth)
}

// referenced returns the part of the root schema to which $ref points. It returns nil
// if $ref is not a JSON pointer into the root schema, or if the part does not exist.
func (c *checker) referenced(schema json.RawMessage) json.RawMessage {
	ref := jsonrpc.GetString(schema, "$ref")
	if !strings.HasPrefix(ref, "#/") {
		return nil
	}
	part := c.root
	for step := range strings.SplitSeq(ref[2:], "/") {
		part = jsonrpc.Get(part, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return part
}

// checkType adds a problem and returns false if the schema does not allow the type of a value.
func (c *checker) checkType(schema, value json.RawMessage, at string) bool {
	types := texts(jsonrpc.Get(schema, "type"))
	if len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return isA(value, t) }) {
		return true
	}
	for i, name := range types {
		types[i] = withArticle(name)
	}
	found := withArticle(kindOf(value))
	if found == "a number" { // show the number itself, because an integer may be required
		found = clip(value)
	}
	c.report(at, "must be %s, not %s", strings.Join(types, " or "), found)
	return false
}

// withArticle returns the name of a type as it is written in a sentence.
func withArticle(name string) string {
	switch name {
	case "null":
		return name
	case "array", "integer", "object":
		return "an " + name
	}
	return "a " + name
}

func (c *checker) checkChoice(schema, value json.RawMessage, at string) {
	if constant := jsonrpc.Get(schema, "const"); constant != nil && !equal(constant, value) {
		c.report(at, "must be %s", clip(constant))
	}
	choices := jsonrpc.Get(schema, "enum")
	if len(choices) == 0 || choices[0] != '[' {
		return
	}
	var allowed []string
	for choice := range jsonrpc.Items(choices) {
		if equal(choice, value) {
			return
		}
		allowed = append(allowed, clip(choice))
	}
	const most = 20
	if len(allowed) > most {
		allowed = append(allowed[:most], "…")
	}
	c.report(at, "must be one of %s, not %s", strings.Join(allowed, ", "), clip(value))
}

func (c *checker) checkObject(schema, value json.RawMessage, at string, depth int) {
	properties := jsonrpc.Get(schema, "properties")
	if len(properties) > 0 && properties[0] != '{' {
		properties = nil
	}
	others, patterns := jsonrpc.Get(schema, "additionalProperties"), jsonrpc.Get(schema, "patternProperties")
	more := ""
	if string(others) != "false" && len(patterns) == 0 && !composed(schema) {
		more = unknown(properties, value)
	}
	for _, name := range texts(jsonrpc.Get(schema, "required")) {
		if jsonrpc.Get(value, name) == nil {
			c.report(join(at, name), "is required%s", more)
			more = ""
		}
	}
	jsonrpc.Each(value, func(name string, one json.RawMessage) {
		property := jsonrpc.Get(properties, name)
		switch {
		case property != nil:
			c.check(property, one, join(at, name), depth+1)
		case len(patterns) > 0, string(others) == "false" && composed(schema):
		case string(others) == "false":
			c.report(join(at, name), "is not an argument of this tool%s", known(properties))
		default:
			c.check(others, one, join(at, name), depth+1)
		}
	})
}

// unknown returns a text that names the members of value that are not in properties: one
// of them may be a misspelled argument. It returns "" if there are none or too many.
func unknown(properties, value json.RawMessage) string {
	var names []string
	jsonrpc.Each(value, func(name string, _ json.RawMessage) {
		if jsonrpc.Get(properties, name) == nil {
			names = append(names, clip(jsonrpc.Quote(name)))
		}
	})
	const most = 5
	if len(properties) == 0 || len(names) == 0 || len(names) > most {
		return ""
	}
	return ", and the schema does not name " + strings.Join(names, ", ")
}

// composed reports whether a schema refers to other schemas that may define further properties. checkObject does
// not read those schemas.
func composed(schema json.RawMessage) bool {
	return slices.ContainsFunc([]string{"$ref", "allOf", "anyOf", "oneOf"}, func(keyword string) bool {
		return jsonrpc.Get(schema, keyword) != nil
	})
}

// known returns a text that lists the names in properties.
func known(properties json.RawMessage) string {
	var names []string
	jsonrpc.Each(properties, func(name string, _ json.RawMessage) { names = append(names, name) })
	if len(names) == 0 {
		return "; it has none"
	}
	return "; it has " + strings.Join(names, ", ")
}

func (c *checker) checkArray(schema, value json.RawMessage, at string, depth int) {
	items, count := jsonrpc.Get(schema, "items"), 0
	first := jsonrpc.Get(schema, "prefixItems")
	for item := range jsonrpc.Items(value) {
		if len(first) == 0 && len(items) > 0 && items[0] == '{' {
			c.check(items, item, at+"["+strconv.Itoa(count)+"]", depth+1)
		}
		count++
	}
	c.checkLength(schema, at, count, "minItems", "maxItems", "items")
}

func (c *checker) checkLength(schema json.RawMessage, at string, length int, least, most, unit string) {
	n := big.NewRat(int64(length), 1)
	if limit := number(jsonrpc.Get(schema, least)); limit != nil && n.Cmp(limit) < 0 {
		c.report(at, "has %d %s; it must have at least %s", length, unit, jsonrpc.Get(schema, least))
	}
	if limit := number(jsonrpc.Get(schema, most)); limit != nil && n.Cmp(limit) > 0 {
		c.report(at, "has %d %s; it must have at most %s", length, unit, jsonrpc.Get(schema, most))
	}
}

func (c *checker) checkNumber(schema, value json.RawMessage, at string) {
	n := number(value)
	if n == nil {
		return
	}
	for _, bound := range []struct {
		keyword string
		broken  func(order int) bool
		rule    string
	}{
		{"minimum", func(order int) bool { return order < 0 }, "at least"},
		{"exclusiveMinimum", func(order int) bool { return order <= 0 }, "more than"},
		{"maximum", func(order int) bool { return order > 0 }, "at most"},
		{"exclusiveMaximum", func(order int) bool { return order >= 0 }, "less than"},
	} {
		limit := jsonrpc.Get(schema, bound.keyword)
		if of := number(limit); of != nil && bound.broken(n.Cmp(of)) {
			c.report(at, "must be %s %s", bound.rule, limit)
		}
	}
}

// checkCombined checks the keywords that combine schemas.
func (c *checker) checkCombined(schema, value json.RawMessage, at string, depth int) {
	for one := range itemsOf(schema, "allOf") {
		c.check(one, value, at, depth+1)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		c.problems = append(c.problems, c.nearest(itemsOf(schema, keyword), value, at, depth+1)...)
	}
}

// nearest returns the problems that value has with the nearest of several alternative
// schemas, or nil if it fits one of them. Alternatives of the value's type are nearer than
// others; among these, the one with the fewest problems is the nearest.
func (c *checker) nearest(alternatives iter.Seq[json.RawMessage], value json.RawMessage, at string, depth int) (best []string) {
	const otherType = 100
	least := 0
	for one := range alternatives {
		try := checker{root: c.root}
		typed := try.checkType(one, value, at)
		try.problems = nil
		try.check(one, value, at, depth)
		far := len(try.problems)
		if far == 0 {
			return nil
		}
		if !typed {
			far += otherType
		}
		if best == nil || far < least {
			best, least = try.problems, far
		}
	}
	return best
}

func itemsOf(schema json.RawMessage, keyword string) iter.Seq[json.RawMessage] {
	list := jsonrpc.Get(schema, keyword)
	if len(list) == 0 || list[0] != '[' {
		list = json.RawMessage("[]")
	}
	return jsonrpc.Items(list)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// texts returns the string in raw, or the strings in the array raw; nil for other values.
func texts(raw json.RawMessage) (out []string) {
	if one, ok := jsonrpc.String(raw); ok {
		return []string{one}
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	for item := range jsonrpc.Items(raw) {
		if one, ok := jsonrpc.String(item); ok {
			out = append(out, one)
		}
	}
	return out
}

// kindOf returns the JSON type of a value.
func kindOf(value json.RawMessage) string {
	if len(value) == 0 {
		return "null"
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// isA reports whether a value has a type. It returns true for unknown types.
func isA(value json.RawMessage, kind string) bool {
	switch kind {
	case "integer":
		n := number(value)
		return kindOf(value) == "number" && (n == nil || n.IsInt())
	case "object", "array", "string", "boolean", "null", "number":
		return kindOf(value) == kind
	}
	return true
}

// number returns the value of a JSON number. It returns nil for other values, and for
// numbers with so many digits that calculating with them takes long.
func number(value json.RawMessage) *big.Rat {
	if kindOf(value) != "number" || len(value) > 60 {
		return nil
	}
	if at := strings.IndexAny(string(value), "eE"); at >= 0 && len(value)-at > 4 {
		return nil
	}
	n, ok := new(big.Rat).SetString(string(value))
	if !ok {
		return nil
	}
	return n
}

// equal reports whether two values are equal. It does not compare the content of objects
// and arrays, nor numbers with very many digits, and counts them as equal.
func equal(a, b json.RawMessage) bool {
	if kindOf(a) != kindOf(b) {
		return false
	}
	switch kindOf(a) {
	case "string":
		x, _ := jsonrpc.String(a)
		y, _ := jsonrpc.String(b)
		return x == y
	case "number":
		x, y := number(a), number(b)
		return x == nil || y == nil || x.Cmp(y) == 0
	case "object", "array":
		return true
	}
	return string(a) == string(b)
}

// clip shortens a value for a message.
func clip(value json.RawMessage) string {
	const most = 60
	text := []rune(string(value))
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}
