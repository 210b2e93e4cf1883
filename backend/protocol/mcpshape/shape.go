package mcpshape

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// shape describes the values that clients accept for one member, element or result.
type shape interface {
	// fit returns a value in the form that clients accept. If nothing has to change, this is
	// raw itself. If the value cannot be corrected, why says what is wrong.
	fit(r *report, raw json.RawMessage) (fitting json.RawMessage, why string)
}

// scalar is a shape whose method fit depends only on the value, and not on the report.
type scalar func(raw json.RawMessage) (fitting json.RawMessage, why string)

func (s scalar) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) == 0 {
		return nil, is(raw)
	}
	out, why := s(raw)
	if why == "" && !bytes.Equal(out, raw) {
		r.add("", is(raw)+"; shown as "+strings.TrimPrefix(is(out), "is "))
	}
	return out, why
}

var (
	// text accepts strings.
	text scalar = func(raw json.RawMessage) (json.RawMessage, string) { return raw, unless(raw[0] == '"', raw) }
	// flag accepts booleans.
	flag scalar = func(raw json.RawMessage) (json.RawMessage, string) {
		return raw, unless(raw[0] == 't' || raw[0] == 'f', raw)
	}
	// clearFlag accepts booleans, and converts the strings "true" and "false" to booleans. It is not used for hints
	// such as readOnlyHint, with which a conversion could promise more than the server meant.
	clearFlag scalar = func(raw json.RawMessage) (json.RawMessage, string) {
		if value, ok := jsonrpc.String(raw); ok && (value == "true" || value == "false") {
			return json.RawMessage(value), ""
		}
		return flag(raw)
	}
	// count accepts whole numbers, and converts strings that contain a whole number to that number.
	count scalar = func(raw json.RawMessage) (json.RawMessage, string) {
		number := raw
		if digits, ok := jsonrpc.String(raw); ok && jsonrpc.Valid([]byte(digits)) {
			number = json.RawMessage(digits)
		}
		var n float64
		if number[0] == 'n' || json.Unmarshal(number, &n) != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
			return nil, is(raw)
		}
		return number, ""
	}
	// share accepts numbers from 0 to 1.
	share scalar = func(raw json.RawMessage) (json.RawMessage, string) {
		var n float64
		return raw, unless(raw[0] != 'n' && json.Unmarshal(raw, &n) == nil && n >= 0 && n <= 1, raw)
	}
	// mark accepts strings and whole numbers.
	mark scalar = func(raw json.RawMessage) (json.RawMessage, string) {
		if raw[0] == '"' {
			return raw, ""
		}
		return count(raw)
	}
	// free accepts objects with any members.
	free scalar = func(raw json.RawMessage) (json.RawMessage, string) { return raw, unless(raw[0] == '{', raw) }
)

// unless returns what is wrong with raw, or "" if good is true.
func unless(good bool, raw json.RawMessage) (why string) {
	if good {
		return ""
	}
	return is(raw)
}

// filled returns a shape that accepts the same values as of, except for empty strings.
func filled(of scalar) scalar {
	return func(raw json.RawMessage) (json.RawMessage, string) {
		if string(raw) == `""` {
			return nil, "is empty"
		}
		return of(raw)
	}
}

// oneOf accepts the given texts.
func oneOf(words ...string) scalar {
	return func(raw json.RawMessage) (json.RawMessage, string) {
		value, ok := jsonrpc.String(raw)
		return raw, unless(ok && slices.Contains(words, value), raw)
	}
}

// list accepts arrays. Elements that do not fit are left out.
type list struct{ of shape }

func (l list) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, is(raw)
	}
	var kept []json.RawMessage
	changed, at := false, 0
	for value := range jsonrpc.Items(raw) {
		n := len(r.changes)
		out, why := l.of.fit(r, value)
		if why != "" {
			r.changes = r.changes[:n]
			r.add("", why+"; left out")
		}
		r.below(n, element(at))
		at++
		if changed = changed || why != "" || !same(out, value); why == "" {
			kept = append(kept, out)
		}
	}
	if !changed {
		return raw, ""
	}
	return jsonrpc.Array(kept), ""
}

// same reports whether two values are the same bytes in memory.
func same(a, b json.RawMessage) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// member describes a member of an object that clients check.
type member struct {
	name     string
	of       shape
	required bool
	// otherwise, if it is not nil, returns a substitute for the value of a required member
	// that is missing or does not fit, or nil if no substitute exists.
	otherwise func(object json.RawMessage) json.RawMessage
}

// object accepts objects. Optional members that do not fit are left out. Members that it does
// not list may have any value.
type object []member

// maxMembers is an upper bound of the number of members that an object lists.
const maxMembers = 12

func (o object) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, is(raw)
	}
	var found [maxMembers]jsonscan.Span
	for m := jsonscan.Members(raw, 0); m.Next(); {
		for i := range o {
			if m.Named(o[i].name) { // of several with the same name the last one counts
				found[i] = jsonscan.Span{Start: m.Start(), End: m.End()}
			}
		}
	}
	out := raw
	for i, m := range o {
		value := raw[found[i].Start:found[i].End]
		if len(value) == 0 && !m.required {
			continue
		}
		n := len(r.changes)
		fitting, why := m.of.fit(r, value)
		switch {
		case why == "":
		case !m.required:
			r.changes = r.changes[:n]
			r.add("", why+"; left out")
		case m.otherwise == nil:
			return nil, m.name + " " + why
		default:
			if fitting = m.otherwise(raw); fitting == nil {
				return nil, m.name + " " + why
			}
			r.changes = r.changes[:n]
			r.add("", why+"; shown as "+strings.TrimPrefix(is(fitting), "is "))
		}
		r.below(n, m.name)
		switch {
		case why != "" && !m.required:
			out = jsonrpc.Delete(out, m.name)
		case !same(fitting, value):
			out = jsonrpc.Set(out, m.name, fitting)
		}
	}
	return out, ""
}
