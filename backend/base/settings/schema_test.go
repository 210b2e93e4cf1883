package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// node is a part of the schema.
type node struct {
	Type        any
	Ref         string `json:"$ref"`
	Description string
	Default     any
	Properties  map[string]node
	Deprecated  bool
}

func TestTheSchemaHasEverySettingWithItsDefault(t *testing.T) {
	var root node
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	described := make(map[string]node)
	var walk func(prefix string, n node)
	walk = func(prefix string, n node) {
		for name, one := range n.Properties {
			if one.Description == "" {
				t.Errorf("%s has no description", prefix+name)
			}
			if one.Deprecated {
				continue
			}
			if one.Properties == nil {
				described[prefix+name] = one
			} else {
				walk(prefix+name+".", one)
			}
		}
	}
	walk("", root)
	s := Default()
	keys := make(map[string]any)
	for _, row := range Table {
		keys[row.Key] = row.of(&s)
	}
	if got, want := slices.Sorted(maps.Keys(described)), slices.Sorted(maps.Keys(keys)); !slices.Equal(got, want) {
		t.Fatalf("settings of the schema\n%v\nof the file\n%v", got, want)
	}
	for key, variable := range keys {
		kind, value := "array", any(nil)
		switch v := variable.(type) {
		case *int:
			kind, value = "integer", float64(*v)
		case *bool:
			kind, value = "boolean", *v
		case *string:
			kind, value = "string", *v
		case *time.Duration:
			kind, value = "<nil>", v.String()
		case *Seconds:
			kind, value = "[integer string]", time.Duration(*v).Seconds()
		}
		if one := described[key]; fmt.Sprint(one.Type) != kind || !reflect.DeepEqual(one.Default, value) {
			t.Errorf("%s is %v with default %v in the schema, and %s with %v in the program", key, one.Type, one.Default, kind, value)
		}
	}
}

// accepts returns an error if the schema rejects a text.
func accepts(t *testing.T, text string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("config.schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return compiled.Validate(instance)
}

func TestTheSchemaAgreesWithTheProgram(t *testing.T) {
	for _, text := range []string{
		discoveryText, "", "# only a comment", "port: 0", "limits:", "limits: {idle_stop: 1h}", "search: {idle_unload: 0s}",
		"discovery: {cache: {ttl: 30m}}", "discovery: {tool_rules: [{tags: a}]}", "oauth: {client_id_document: 'https://a.example/b'}",
	} {
		if err := accepts(t, text); err != nil {
			t.Errorf("the schema rejects %q: %v", text, err)
		}
		if _, err := load(t, text); err != nil {
			t.Errorf("the program rejects %q: %v", text, err)
		}
	}
	for text, want := range invalidDiscovery {
		beyond := strings.Contains(want, "is no valid pattern") || strings.Contains(want, "same") // a schema cannot express these
		if err := accepts(t, text); err == nil && !beyond {
			t.Errorf("the schema accepts %q", text)
		}
	}
	for _, text := range []string{
		"prot: 1", "port: 70000", "agents: {install: maybe}", "roots: [foo]", "log: {retention_days: 1.5}", "limits: {call_timeout: 5}",
		"search: {threads: 0}",
	} {
		if err := accepts(t, text); err == nil {
			t.Errorf("the schema accepts %q", text)
		}
	}
}
