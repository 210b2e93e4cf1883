package schemacompat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// valid returns a function that validates arguments against a schema. The schema may
// use the keyword nullable of OpenAPI.
func valid(t *testing.T, schema []byte) func(arguments any) bool {
	t.Helper()
	var document any
	if err := json.Unmarshal(schema, &document); err != nil {
		t.Fatal(err)
	}
	plain := mustJSON(withNull(document))
	c, err := compiled(plain)
	if err != nil {
		t.Fatalf("%v: %s", err, plain)
	}
	return func(arguments any) bool {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(mustJSON(arguments))))
		return err == nil && c.Validate(value) == nil
	}
}

// withNull replaces the keyword nullable of OpenAPI with an alternative of the type null.
func withNull(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withNull(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = withNull(v[name])
		}
		if v["nullable"] == true {
			delete(v, "nullable")
			return map[string]any{"anyOf": []any{v, map[string]any{"type": "null"}}}
		}
	}
	return v
}

// maker makes random schemas and random arguments for them.
type maker struct{ *rand.Rand }

func (m maker) of(all ...string) string { return all[m.IntN(len(all))] }

func (m maker) schema(depth int) string {
	if depth == 0 {
		return m.of(`{"type":"string"}`, `{"type":"integer","minimum":0}`, `{"type":["boolean","null"]}`, `{"enum":["a","b"]}`,
			`{"enum":[1,"a",null]}`, `{"const":"a"}`,
			`{"const":1}`, `true`, `{}`, `{"type":"string","format":"uuid","minLength":1}`,
			`{"type":["string","integer"],"minLength":1,"minimum":1}`, `{"type":"number","exclusiveMinimum":0}`,
			`{"$ref":"#/$defs/S"}`, `{"$ref":"#/$defs/O"}`, `{"type":"object"}`, `{"$ref":"#/$defs/gone"}`)
	}
	switch m.IntN(8) {
	case 0:
		return `{"type":"array","items":` + m.schema(depth-1) + `}`
	case 1:
		return m.of(`{"anyOf":[`, `{"oneOf":[`, `{"description":"d","anyOf":[`) + m.schema(depth-1) + `,` + m.schema(depth-1) + `]}`
	case 2:
		return `{"allOf":[` + m.object(depth-1) + `,` + m.object(depth-1) + `]}`
	case 3:
		return `{"type":"object","additionalProperties":` + m.schema(depth-1) + `}`
	case 4:
		return `{"type":"array","prefixItems":[` + m.schema(depth-1) + `,` + m.schema(depth-1) + `],"maxItems":2}`
	case 5:
		return `{"anyOf":[` + m.schema(depth-1) + `,{"type":"null"}]}`
	}
	return m.object(depth)
}

func (m maker) object(depth int) string {
	var properties []string
	for _, name := range []string{"a", "b", "$c", "d e"} {
		if m.IntN(2) == 0 {
			properties = append(properties, string(mustJSON(name))+":"+m.schema(max(depth-1, 0)))
		}
	}
	out := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}` + m.of("", "", `,"required":["a"]`,
		`,"required":["a","$c"]`, `,"additionalProperties":false`)
	switch m.IntN(6) {
	case 0:
		out += m.of(`,"anyOf":[`, `,"oneOf":[`) + `{"required":["a"]},{"required":["b"]}]`
	case 1:
		closed := `{"type":"object","additionalProperties":false,"properties":`
		return m.of(`{"anyOf":[`, `{"type":"object","oneOf":[`) + closed + `{"a":` + m.schema(0) + `}},` + closed + `{"a":` + m.schema(0) +
			`,"b":` + m.schema(0) + `},"required":["b"]}]}`
	}
	return out + `}`
}

// root returns a schema of arguments, including the definitions to which its references point.
func (m maker) root() []byte {
	object := m.object(3)
	return []byte(strings.TrimSuffix(object, "}") + `,"$defs":{"S":` + m.of(`{"type":"string"}`,
		`{"enum":["a"]}`) + `,"O":` + m.object(1) + `}}`)
}

func (m maker) value(depth int) any {
	if depth == 0 || m.IntN(3) == 0 {
		return []any{"a", "b", "xyz", 1, 2, 0.5, true, nil}[m.IntN(8)]
	}
	if m.IntN(3) == 0 { // no lists of lists: adapted schemas for values of any type do not accept them
		return []any{m.value(0), m.arguments(depth)}[:m.IntN(3)]
	}
	return m.arguments(depth)
}

func (m maker) arguments(depth int) map[string]any {
	out := make(map[string]any)
	for _, name := range []string{"a", "b", "$c", "d e"} {
		if m.IntN(2) == 0 {
			out[name] = m.value(depth - 1)
		}
	}
	return out
}

func mustJSON(v any) []byte { data, _ := json.Marshal(v); return data }

func TestValidArgumentsStayValid(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(1, 2))}
	fitting := make(map[schemacompat.Vendor]int)
	for range 40 {
		schema := m.root()
		defined := !strings.Contains(string(schema), "#/$defs/gone") // the validator rejects references without target
		fits := func(any) bool { return false }
		if defined {
			fits = valid(t, schema)
		}
		for _, d := range vendors {
			adapted, _ := schemacompat.Adapt(d, schema)
			if why := refused(d, adapted); why != "" {
				t.Fatalf("%s: %s\n%s\n%s", d, why, schema, adapted)
			}
			if again, _ := schemacompat.Adapt(d, adapted); string(again) != string(adapted) {
				t.Fatalf("%s: adapted twice:\n%s\nadapted once:\n%s", d, again, adapted)
			}
			fitsAdapted := valid(t, adapted)
			for range 20 {
				arguments := m.arguments(3)
				if !fits(arguments) {
					continue
				}
				fitting[d]++
				if !fitsAdapted(arguments) {
					t.Errorf("%s: %s is valid for\n%s\nbut not for\n%s", d, mustJSON(arguments), schema, adapted)
				}
			}
		}
	}
	if fitting[schemacompat.Gemini] < 50 {
		t.Errorf("too few valid arguments were tried: %v", fitting)
	}
}

func TestCommonArgumentsStayValid(t *testing.T) {
	for name, row := range map[string]struct {
		schema    string
		arguments any
	}{
		"one of two": {
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			map[string]any{"b": "x"},
		},
		"a name that is gone": {
			`{"type":"object","properties":{"$f":{"type":"string"}},"required":["$f"],"additionalProperties":false}`,
			map[string]any{"$f": "x"},
		},
		"a map": {
			of(`{"type":"object","additionalProperties":{"type":"integer"}}`), map[string]any{"x": map[string]any{"k": 1, "any_name": 2}},
		},
		"a circle": {
			`{"type":"object","properties":{"x":{"$ref":"#"},"n":{"type":"integer"}}}`,
			map[string]any{"x": map[string]any{"x": map[string]any{"n": 1}}},
		},
		"null":                {of(`{"anyOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]}`), map[string]any{"x": nil}},
		"a number of an enum": {of(`{"enum":[1,2]}`), map[string]any{"x": 2}},
	} {
		for _, d := range vendors {
			adapted, _ := schemacompat.Adapt(d, json.RawMessage(row.schema))
			if !valid(t, []byte(row.schema))(row.arguments) || !valid(t, adapted)(row.arguments) {
				t.Errorf("%s, %s: %v does not fit %s", name, d, row.arguments, adapted)
			}
		}
	}
}

// hostile returns schemas whose adaptation could take long or need much memory.
func hostile() map[string]string {
	bomb := `{"type":"object","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{`
	for i := range 40 {
		bomb += fmt.Sprintf(`"a%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/a%d"},"r":{"$ref":"#/$defs/a%d"}}},`, i, i+1, i+1)
	}
	all := `{"type":"object","allOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/l"},`, 3000), ",") +
		`],"$defs":{"l":{"allOf":[` +
		strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/m"},`, 3000), ",") + `]},"m":{"properties":{"x":{"type":"string"}}}}}`
	var many, branches, parts []string
	for i := range 15000 {
		many = append(many, fmt.Sprintf(`"p%d":true`, i))
		parts = append(parts, fmt.Sprintf(`{"k%d":1}`, i))
		branches = append(branches, fmt.Sprintf(`{"required":["p%d"]}`, i))
	}
	return map[string]string{
		"references that double": bomb + `"a40":{"type":"string"}}}`,
		"references in allOf":    all,
		"a circle of references": `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#"}]}}}`,
		"many properties":        `{"type":"object","properties":{` + strings.Join(many, ",") + `}}`,
		"many parts":             `{"type":"object","allOf":[` + strings.Join(parts, ",") + `]}`,
		"many branches":          `{"type":"object","anyOf":[` + strings.Join(branches, ",") + `]}`,
		"many branches of one":   of(`{"anyOf":[` + strings.Join(parts, ",") + `]}`),
		"many required":          `{"type":"object","required":[` + strings.Join(quotedNames(25000), ",") + `]}`,
		"nested":                 strings.Repeat(`{"type":"object","properties":{"a":`, 2000) + `true` + strings.Repeat(`}}`, 2000),
		"nested lists":           `{"type":"object","x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
		"nested choices":         of(strings.Repeat(`{"anyOf":[{"type":"string"},`, 60) + `true` + strings.Repeat(`]}`, 60)),
		"nested alternatives": strings.Repeat(`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},`,
			60) + `true` + strings.Repeat(`]}`, 60),
		"one name, many meanings": `{"type":"object","anyOf":[` + meanings(2500) + `]}`,
		"a text of a megabyte":    of(`{"type":"string","description":"` + strings.Repeat("a", 1<<20) + `"}`),
		"a long text, often meant": `{"type":"object","properties":{` + strings.Join(references(2000), ",") +
			`},"$defs":{"l":{"description":"` + strings.Repeat("a", 100000) + `"}}}`,
		"references into nowhere":   of(`{"$ref":"#/` + strings.Repeat("/", 100000) + `"}`),
		"references that are names": of(`{"$ref":"https://example.org/schema"}`),
	}
}

func quotedNames(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`"p%d"`, i)
	}
	return out
}

func meanings(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`{"properties":{"a":{"minLength":%d}}}`, i)
	}
	return strings.Join(out, ",")
}

func references(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`"p%d":{"$ref":"#/$defs/l"}`, i)
	}
	return out
}

func TestHostileSchemasAreAdaptedCheaply(t *testing.T) {
	for name, schema := range hostile() {
		for _, d := range vendors {
			began := time.Now()
			adapted, _ := schemacompat.Adapt(d, json.RawMessage(schema))
			if took := time.Since(began); testing.Verbose() {
				t.Logf("%s, %s: %v, %d of %d bytes", name, d, took, len(adapted), len(schema))
			}
			if len(adapted) > 3*len(schema)+1<<18 {
				t.Errorf("%s, %s: %d bytes became %d", name, d, len(schema), len(adapted))
			}
			if again, _ := schemacompat.Adapt(d, adapted); string(again) != string(adapted) {
				t.Errorf("%s, %s: the result changes when it is adapted again", name, d)
			}
			if strings.Contains(string(adapted), strings.Repeat("[", 200)) ||
				strings.Contains(string(adapted), strings.Repeat(`{"type":"object","properties":{"a":`, 100)) {
				t.Errorf("%s, %s: the result is nested too deep", name, d)
			}
		}
	}
}

func FuzzAdapt(f *testing.F) {
	for _, row := range rows {
		f.Add([]byte(row.schema))
	}
	m := maker{rand.New(rand.NewPCG(3, 4))}
	for range 30 {
		f.Add(m.root())
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		before := string(schema)
		for _, d := range vendors {
			adapted, changes := schemacompat.Adapt(d, schema)
			if string(schema) != before {
				t.Fatal("the schema given was changed")
			}
			if (string(adapted) == before) != (len(changes) == 0) {
				t.Fatalf("%s: %q of %s: %s", d, changes, before, adapted)
			}
			if again, _ := schemacompat.Adapt(d, adapted); string(again) != string(adapted) {
				t.Fatalf("%s: adapted twice:\n%s\nadapted once:\n%s", d, again, adapted)
			}
			if d == schemacompat.Gemini {
				if why := refused(d, adapted); why != "" {
					t.Fatalf("%s: %s\n%s", d, why, adapted)
				}
			}
		}
	})
}
