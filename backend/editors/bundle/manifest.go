package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Manifest is what a bundle says of itself, in any version of its format up to
// 0.4.
type Manifest struct {
	Name        string
	Title       string
	Version     string
	Description string
	Homepage    string
	Platforms   []string // linux, darwin, win32; none: all
	Options     []Option // sorted by key

	kind   string // node, python, uv or binary
	entry  string // the path of the program in the bundle
	start  start
	others map[string]start // by platform
}

// start is how a server is started, with variables of the bundle's.
type start struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// Option is a question that the bundle has for its user.
type Option struct {
	Key         string
	Title       string
	Description string
	Kind        string   // string, number, boolean, file or directory
	Default     []string // with the bundle's variables
	Required    bool
	Secret      bool
	Multiple    bool // each line of an answer is one
	Min, Max    *float64
}

// manifest is manifest.json as it is written.
type manifest struct {
	Name        string `json:"name"`
	Title       string `json:"display_name"`
	Version     string `json:"version"`
	Description string `json:"description"`
	Homepage    string `json:"homepage"`
	Server      struct {
		Type   string `json:"type"`
		Entry  string `json:"entry_point"`
		Config *struct {
			start
			Others map[string]start `json:"platform_overrides"`
		} `json:"mcp_config"`
	} `json:"server"`
	Compatibility struct {
		Platforms []string `json:"platforms"`
	} `json:"compatibility"`
	Options map[string]option `json:"user_config"`
}

type option struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Required    bool     `json:"required"`
	Default     any      `json:"default"`
	Multiple    bool     `json:"multiple"`
	Sensitive   bool     `json:"sensitive"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
}

// ReadManifest reads the text of a manifest.json. The error is a fault.Invalid
// that shows nothing of it.
func ReadManifest(text []byte) (Manifest, error) {
	var m manifest
	if len(text) > maxManifest {
		return Manifest{}, fault.New(fault.Invalid, "the bundle's manifest.json is over %d MiB", maxManifest>>20)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &m); err != nil {
		return Manifest{}, fault.Wrap(err, fault.Invalid, "the bundle's manifest.json is not valid JSON, or a value in it has the wrong type")
	}
	out := Manifest{
		Name: m.Name, Title: cmp.Or(m.Title, m.Name), Version: m.Version, Description: m.Description, Homepage: m.Homepage,
		Platforms: m.Compatibility.Platforms, kind: m.Server.Type, entry: m.Server.Entry,
	}
	if m.Server.Config != nil {
		out.start, out.others = m.Server.Config.start, m.Server.Config.Others
	}
	for _, key := range slices.Sorted(maps.Keys(m.Options)) {
		o, err := m.Options[key].read(key)
		if err != nil {
			return Manifest{}, err
		}
		out.Options = append(out.Options, o)
	}
	return out, out.check()
}

func (m Manifest) check() error {
	switch {
	case m.Name == "":
		return fault.New(fault.Invalid, "the bundle's manifest.json has no name")
	case !slices.Contains([]string{"node", "python", "uv", "binary"}, m.kind):
		return fault.New(fault.Invalid, "the bundle has a server of a type that is none of node, python, uv and binary")
	case m.start.Command == "" && m.entry == "":
		return fault.New(fault.Invalid, "the bundle's manifest.json does not say how its server is started")
	}
	return nil
}

func (o option) read(key string) (Option, error) {
	out := Option{
		Key: key, Title: cmp.Or(o.Title, key), Description: o.Description, Kind: cmp.Or(o.Type, "string"),
		Required: o.Required, Secret: o.Sensitive, Multiple: o.Multiple, Min: o.Min, Max: o.Max,
	}
	if !slices.Contains([]string{"string", "number", "boolean", "file", "directory"}, out.Kind) {
		return out, fault.New(fault.Invalid, "the bundle asks for something of a type that is none of string, number, boolean, file and directory")
	}
	values, isList := o.Default.([]any)
	if !isList && o.Default != nil {
		values = []any{o.Default}
	}
	for _, value := range values {
		switch v := value.(type) {
		case string:
			out.Default = append(out.Default, v)
		case float64:
			out.Default = append(out.Default, strconv.FormatFloat(v, 'f', -1, 64))
		case bool:
			out.Default = append(out.Default, fmt.Sprint(v))
		}
	}
	return out, nil
}

// Folder is the name of the folder that a bundle is unpacked into: another
// content has another one.
func (b *Bundle) Folder() string {
	clean := func(text string) string {
		text = strings.Map(func(r rune) rune {
			if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_') {
				return r
			}
			return '-'
		}, text[:min(len(text), 40)])
		return strings.Trim(text, ".-_")
	}
	parts := slices.DeleteFunc([]string{clean(b.Name), clean(b.Version), b.Hash[:8]}, func(part string) bool { return part == "" })
	return strings.Join(parts, "-")
}
