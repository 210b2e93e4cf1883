package longresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ohler55/ojg/jp"
	"github.com/ohler55/ojg/oj"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// project returns the values that a JSONPath selects, as a JSON array. Values stay byte for byte where possible. A
// long array is cut and gets its own handle.
func (s *Store) project(c Client, d *document, path string) (json.RawMessage, error) {
	if d.source == nil {
		return nil, fault.New(fault.Invalid, "this result is not JSON, so that no path selects from it; use grep or offset")
	}
	expression, err := jp.ParseString(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "path is not a JSONPath: %s", err)
	}
	selected, err := selection(bytes.TrimSpace(d.source), expression)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the path %s cannot be followed: %s", clip(path), err)
	}
	if len(selected) == 0 {
		return texts(fmt.Sprintf("The path %s selects nothing.", path)), nil
	}
	return s.Cut(c, texts(string(indented(jsonrpc.Array(selected))))), nil
}

// Limits on the work for a path.
const (
	maxParsed  = 4 << 20 // bytes of JSON that are parsed as a whole
	maxDescent = 100     // levels that a descendant step (..) descends
)

// selection returns the values that an expression selects from a JSON value. It parses only the parts that a filter
// needs, because a parsed value takes many times the memory of its text.
func selection(value json.RawMessage, expression jp.Expr) ([]json.RawMessage, error) {
	for _, step := range expression {
		filter, ok := step.(*jp.Filter)
		switch {
		case !ok || !strings.Contains(filter.String(), "$"):
		case len(value) > maxParsed:
			return nil, fmt.Errorf("in a filter, $ needs a result of at most %d bytes", maxParsed)
		default:
			return parsed(value, expression)
		}
	}
	var out []json.RawMessage
	err := follow(value, expression, 0, func(v json.RawMessage) { out = append(out, v) })
	return out, err
}

// follow calls found with each value that an expression selects from a value. descended is the number of levels that
// descendant steps (..) have already descended.
func follow(value json.RawMessage, expression jp.Expr, descended int, found func(json.RawMessage)) error {
	if len(expression) == 0 {
		found(value)
		return nil
	}
	next, rest := []json.RawMessage{value}, expression[1:]
	switch step := expression[0].(type) {
	case jp.Root, jp.At, jp.Bracket:
	case jp.Descent:
		if descended == maxDescent {
			return fmt.Errorf(".. descends at most %d levels", maxDescent)
		}
		if err := follow(value, rest, 0, found); err != nil {
			return err
		}
		if next = nil; value[0] == '{' || value[0] == '[' {
			next = children(value, jp.Wildcard('*'))
		}
		rest = expression
		descended++
	case jp.Child, jp.Nth, jp.Wildcard, jp.Slice, jp.Union, *jp.Filter:
		next = children(value, step)
	default:
		return fmt.Errorf("%T is not supported", step)
	}
	for _, v := range next {
		if err := follow(v, rest, descended, found); err != nil {
			return err
		}
	}
	return nil
}

// children returns the members or elements of a value that one step selects.
func children(value json.RawMessage, step jp.Frag) (out []json.RawMessage) {
	if name, ok := step.(jp.Child); ok {
		if value[0] != '{' {
			return nil
		}
		if member := jsonrpc.Get(value, string(name)); member != nil {
			out = append(out, member)
		}
		return out
	}
	switch step.(type) {
	case jp.Wildcard:
		each(value, func(_ string, v json.RawMessage) { out = append(out, v) })
		return out
	case *jp.Filter:
		parser, filter := oj.Parser{}, jp.Expr{step}
		each(value, func(_ string, v json.RawMessage) {
			if item, err := parser.Parse(v); err == nil && len(filter.Get([]any{item})) > 0 {
				out = append(out, v)
			}
		})
		return out
	}
	// Apply the step to indexes in place of the values, so that the values need not be parsed.
	var all []json.RawMessage
	names, indexes := map[string]any{}, []any{}
	each(value, func(name string, v json.RawMessage) {
		names[name], indexes = len(all), append(indexes, len(all))
		all = append(all, v)
	})
	var from any = indexes
	if value[0] == '{' {
		from = names
	}
	for _, n := range (jp.Expr{step}).Get(from) {
		out = append(out, all[n.(int)])
	}
	return out
}

// each calls visit for each member of an object or element of an array. For an element, name is empty.
func each(value json.RawMessage, visit func(name string, v json.RawMessage)) {
	if value[0] == '{' {
		jsonrpc.Each(value, visit)
		return
	}
	for item := range jsonrpc.Items(value) {
		visit("", item)
	}
}

// parsed parses the whole value, and returns the values that an expression selects from it.
func parsed(value json.RawMessage, expression jp.Expr) ([]json.RawMessage, error) {
	tree, err := oj.Parse(value)
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for _, v := range expression.Get(tree) {
		out = append(out, json.RawMessage(oj.JSON(v, &oj.Options{Sort: true, HTMLUnsafe: true})))
	}
	return out, nil
}
