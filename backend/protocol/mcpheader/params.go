package mcpheader

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Set sets the headers that repeat the arguments of a call, and deletes all other headers
// that begin with ParamPrefix. An argument gets no header if it is absent or null, or if
// a header cannot repeat it: objects, arrays, fractions, and integers beyond 2^53-1.
func (p Params) Set(h http.Header, arguments json.RawMessage) {
	for name := range h {
		if len(name) >= len(ParamPrefix) && strings.EqualFold(name[:len(ParamPrefix)], ParamPrefix) {
			delete(h, name)
		}
	}
	for _, one := range p {
		if text, ok := render(one.in(arguments)); ok {
			h.Set(ParamPrefix+one.Header, encode(text))
		}
	}
}

// Check returns nil if the headers repeat the arguments of a call, otherwise the error
// that answers the call. Integers are compared by value, so 1 and 1.0 are equal.
func (p Params) Check(h http.Header, arguments json.RawMessage) *jsonrpc.Error {
	for _, one := range p {
		name, value := ParamPrefix+one.Header, one.in(arguments)
		text, ok := render(value)
		switch {
		case value == nil && len(h.Values(name)) > 0:
			return mismatch("%s is set, but the argument %q is absent", name, strings.Join(one.Path, "."))
		case value != nil && !ok:
			return mismatch("the argument %q is no string, boolean or integer below 2^53 that %s can repeat",
				strings.Join(one.Path, "."), name)
		}
		equal := same
		if value != nil && value[0] != '"' {
			equal = func(header, body string) bool {
				number, isNumber := integer(header)
				return header == body || isNumber && number == body
			}
		}
		if err := compare(h, name, text, ok, equal); err != nil {
			return err
		}
	}
	return nil
}

// in returns the value of the argument, nil if it is absent or null.
func (p Param) in(arguments json.RawMessage) json.RawMessage {
	value := arguments
	for _, name := range p.Path {
		value = jsonrpc.Get(value, name)
	}
	if len(p.Path) == 0 || string(value) == "null" {
		return nil
	}
	return value
}

// render returns the text with which a header repeats an argument; ok is false if a
// header cannot repeat it.
func render(value json.RawMessage) (text string, ok bool) {
	switch {
	case len(value) == 0:
		return "", false
	case value[0] == '"':
		return jsonrpc.String(value)
	case string(value) == "true" || string(value) == "false":
		return string(value), true
	}
	return integer(string(value))
}

// integer returns an integer in its decimal form, whether it is written 100, 100.0 or
// 1e2; ok is false for other text and for integers that a float64 may not hold exactly.
func integer(text string) (_ string, ok bool) {
	if !jsonscan.Valid([]byte(text)) {
		return "", false // ParseFloat accepts more than JSON does
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53-1 {
		return "", false
	}
	return strconv.FormatInt(int64(number), 10), true
}
