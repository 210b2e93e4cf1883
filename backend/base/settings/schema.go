package settings

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// definitions holds the schemas of lists, and the descriptions of groups of settings.
//
//go:embed definitions.schema.json
var definitions []byte

// Schema returns the JSON Schema of config.yaml, with which text editors check and
// complete the file. It does not express all checks of Load. For example, it does not
// check the syntax of patterns.
func Schema() []byte {
	var base struct {
		Defs   json.RawMessage   `json:"$defs"`
		Groups map[string]string `json:"groups"`
	}
	if err := json.Unmarshal(definitions, &base); err != nil {
		panic(err) // cannot happen: a test calls Schema
	}
	root := &group{description: "Settings of the hub. Every setting is optional."}
	for _, row := range Table {
		at := root
		path := strings.Split(row.Key, ".")
		for i, name := range path[:len(path)-1] {
			at = at.group(name, base.Groups[strings.Join(path[:i+1], ".")])
		}
		at.add(path[len(path)-1], row.schemaOf())
		if row.Former != "" {
			name := row.Former[strings.LastIndex(row.Former, ".")+1:]
			at.add(name, `{"description":"The former name of `+path[len(path)-1]+`.","deprecated":true}`)
		}
	}
	text := `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Agent Discover: config.yaml","$defs":` + string(base.Defs) +
		"," + root.text()[1:]
	var indented strings.Builder
	encoder := json.NewEncoder(&indented)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(json.RawMessage(text)); err != nil {
		panic(err) // cannot happen: a test calls Schema
	}
	return []byte(indented.String())
}

// group is the schema of a group of settings.
type group struct {
	description string
	names       []string
	groups      map[string]*group
	schemas     map[string]string
}

func (g *group) group(name, description string) *group {
	if g.groups[name] == nil {
		if g.groups == nil {
			g.groups = make(map[string]*group)
		}
		g.names, g.groups[name] = append(g.names, name), &group{description: description}
	}
	return g.groups[name]
}

func (g *group) add(name, schema string) {
	if g.schemas == nil {
		g.schemas = make(map[string]string)
	}
	g.names, g.schemas[name] = append(g.names, name), schema
}

func (g *group) text() string {
	members := make([]string, len(g.names))
	for i, name := range g.names {
		schema := g.schemas[name]
		if sub := g.groups[name]; sub != nil {
			schema = sub.text()
		}
		members[i] = fmt.Sprintf("%q:%s", name, schema)
	}
	return fmt.Sprintf(`{"type":["object","null"],"description":%s,"additionalProperties":false,"properties":{%s}}`,
		quoted(g.description), strings.Join(members, ","))
}

// schemaOf returns the schema of a setting.
func (r Row) schemaOf() string {
	kind, value := `"type":"array"`, ""
	switch v := r.fallback.(type) {
	case int:
		kind, value = `"type":"integer"`, fmt.Sprint(v)
	case bool:
		kind, value = `"type":"boolean"`, fmt.Sprint(v)
	case string:
		kind, value = `"type":"string"`, quoted(v)
	case time.Duration:
		kind, value = `"$ref":"#/$defs/duration"`, quoted(v.String())
	case Seconds:
		kind, value = `"type":["integer","string"]`, fmt.Sprint(time.Duration(v).Seconds())
	}
	parts := []string{kind, `"description":` + quoted(r.Help)}
	if value != "" {
		parts = append(parts, `"default":`+value)
	}
	if r.Choices != nil {
		parts = append(parts, `"enum":`+quoted(r.Choices))
	}
	if r.schema != "" {
		parts = append(parts, r.schema)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// quoted returns a value as JSON.
func quoted(value any) string {
	text, _ := json.Marshal(value) // cannot fail for texts and lists of texts
	return string(text)
}
