package route

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// bodyInput is implemented by the inputs of operations that take a body.
type bodyInput interface {
	body() (of reflect.Type, optional bool)
}

// Object is embedded in the input of an operation whose request body must be a JSON object. Decode decodes the body
// into T, and the documentation describes T. Handlers call Decode after they have checked the path, because clients
// expect errors about the path, such as an unknown server, before errors about the body.
type Object[T any] struct {
	RawBody []byte `contentType:"application/json"`
}

func (Object[T]) body() (reflect.Type, bool) { return reflect.TypeFor[T](), false }

// Decode returns the body. The error is of kind fault.Invalid.
func (o Object[T]) Decode() (T, error) {
	var out T
	return out, decodeObject(o.RawBody, &out)
}

// OptionalObject is like Object, but a request may have no body.
type OptionalObject[T any] struct {
	RawBody []byte `contentType:"application/json"`
}

func (OptionalObject[T]) body() (reflect.Type, bool) { return reflect.TypeFor[T](), true }

// Decode returns the body, or the zero value when the request has none.
func (o OptionalObject[T]) Decode() (T, error) {
	if len(o.RawBody) == 0 {
		var none T
		return none, nil
	}
	return Object[T](o).Decode()
}

func decodeObject(body []byte, into any) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil || object == nil {
		if _, shape := errors.AsType[*json.UnmarshalTypeError](err); shape || err == nil {
			return fault.New(fault.Invalid, "Request body must be a JSON object")
		}
		return fault.New(fault.Invalid, "Invalid JSON in request body")
	}
	if err := json.Unmarshal(body, into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fault.New(fault.Invalid, "%s has the wrong type: %s", memberPath(object, wrong.Field), wrong.Value)
		}
		return fault.New(fault.Invalid, "Invalid JSON in request body")
	}
	return nil
}

// memberPath returns the path of a JSON member. fields is the path in an error of encoding/json, which also contains
// the names of embedded structs.
func memberPath(object map[string]json.RawMessage, fields string) string {
	for {
		first, rest, more := strings.Cut(fields, ".")
		if _, member := object[first]; member || !more {
			return fields
		}
		fields = rest
	}
}
