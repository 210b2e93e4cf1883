// Package arguments reads the arguments that models write for the hub's own tools.
package arguments

import (
	"encoding/json"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
)

// Arguments are the arguments of the actions of the tool registry. The tools with the same effect on other surfaces use
// them, too. The loosejson types also accept values of other JSON types, because models sometimes write the wrong type.
type Arguments struct {
	Action        string              `json:"action"`
	Query         string              `json:"query"`
	Intents       loosejson.Strings   `json:"intents"`
	CallAs        string              `json:"call_as"`
	Server        string              `json:"server"`
	Tool          string              `json:"tool"`
	Arguments     json.RawMessage     `json:"arguments"`
	Limit         loosejson.Number    `json:"limit"`
	AutoActivate  *loosejson.Bool     `json:"auto_activate"`
	Brief         loosejson.Bool      `json:"brief"`
	Source        string              `json:"source"`
	InstalledOnly loosejson.Bool      `json:"installed_only"`
	Name          string              `json:"name"`
	Command       string              `json:"command"`
	Args          loosejson.Strings   `json:"args"`
	Env           loosejson.StringMap `json:"env"`
	Description   string              `json:"description"`
	Tags          loosejson.Strings   `json:"tags"`
	Cursor        string              `json:"cursor"`
	File          string              `json:"file"`
	Inputs        Inputs              `json:"inputs"`
	Do            string              `json:"do"`
	Tools         loosejson.Strings   `json:"tools"`
	Note          string              `json:"note"`
	Confirm       loosejson.Bool      `json:"confirm"`
	AutoEquip     loosejson.Bool      `json:"autoEquip"`
	EquipToo      loosejson.Bool      `json:"auto_equip"` // a spelling of autoEquip that models use
}

// Inputs are the values that a server of the marketplace needs. In JSON, each is an array of values or a single
// value.
type Inputs map[string][]string

// UnmarshalJSON implements json.Unmarshaler.
func (in *Inputs) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	*in = nil
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return err
	}
	*in = make(Inputs, len(members))
	for name, value := range members {
		if value[0] != '[' {
			value = append(append(json.RawMessage("["), value...), ']')
		}
		var values loosejson.Strings
		if err := values.UnmarshalJSON(value); err != nil {
			return err
		}
		(*in)[name] = values
	}
	return nil
}

// Read reads arguments into a pointer to a struct. The error names a field of the wrong
// type.
func Read(raw json.RawMessage, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return fault.New(fault.Invalid, "%s must be of type %s, not %s", wrong.Field, jsonType(wrong.Type.Kind().String()), wrong.Value)
		}
		return fault.New(fault.Invalid, "arguments must be a JSON object")
	}
	return nil
}

// jsonType returns the JSON type for a kind of Go type.
func jsonType(kind string) string {
	switch kind {
	case "slice":
		return "array"
	case "map", "struct":
		return "object"
	case "bool":
		return "boolean"
	case "float64":
		return "number"
	}
	return kind
}

// Inner returns the arguments for a tool that is called through another tool, such as proxy_call. raw is the value of
// the member arguments in the arguments of that other tool.
func Inner(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case raw == nil, string(raw) == "null":
		return json.RawMessage("{}"), nil
	case raw[0] != '{':
		return nil, fault.New(fault.Invalid, "arguments must be an object with the tool's arguments")
	}
	return raw, nil
}
