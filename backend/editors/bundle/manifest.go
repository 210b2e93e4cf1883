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

// Manifest is the content of a manifest.json, in any version of the format up to
// 0.4.
type Manifest struct {
	Name        string
	Title       string
	Version     string
	Description string
	Homepage    string
	Platforms   []string          // linux, darwin or win32; empty means all
	Runtimes    map[string]string // versions of node and python with which the server runs, such as >=18
	Options     []Option          // sorted by key

	kind   string // node, python, uv or binary
	entry  string // path of the program in the bundle
	start  start
	others map[string]start // command lines that replace start, by platform
}

// start is the command line of a server, with variables of the bundle format.
type start struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// Option is a setting that the bundle asks the user for.
type Option struct {
	Key         string
	Title       string
	Description string
	Kind        string   // string, number, boolean, file or directory
	Default     []string // may contain variables of the bundle format
	Required    bool
	Secret      bool
	Multiple    bool // each line of an answer is one value
	Min, Max    *float64
}

// manifest is the JSON of manifest.json.
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
		Platforms []string          `json:"platforms"`
		Runtimes  map[string]string `json:"runtimes"`
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

// readManifest parses a manifest.json. The error is a fault.Invalid that does
// not quote the text.
func readManifest(text []byte) (Manifest, error) {
	var m manifest
	if len(text) > maxManifest {
		return Manifest{}, fault.New(fault.Invalid, "the bundle's manifest.json is larger than %d MiB", maxManifest>>20)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &m); err != nil {
		return Manifest{}, fault.Wrap(err, fault.Invalid,
			"the bundle's manifest.json is not valid JSON, or a value in it has the wrong type")
	}
	out := Manifest{
		Name: m.Name, Title: cmp.Or(m.Title, m.Name), Version: m.Version, Description: m.Description, Homepage: m.Homepage,
		Platforms: m.Compatibility.Platforms, Runtimes: m.Compatibility.Runtimes, kind: m.Server.Type, entry: m.Server.Entry,
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
		return fault.New(fault.Invalid, "the bundle's server type is not node, python, uv or binary")
	case m.start.Command == "" && m.entry == "":
		return fault.New(fault.Invalid, "the bundle's manifest.json has neither a command nor an entry point")
	}
	return nil
}

func (o option) read(key string) (Option, error) {
	out := Option{
		Key: key, Title: cmp.Or(o.Title, key), Description: o.Description, Kind: cmp.Or(o.Type, "string"),
		Required: o.Required, Secret: o.Sensitive, Multiple: o.Multiple, Min: o.Min, Max: o.Max,
	}
	if !slices.Contains([]string{"string", "number", "boolean", "file", "directory"}, out.Kind) {
		return out, fault.New(fault.Invalid, "the bundle asks for a setting whose type is not string, number, boolean, file or directory")
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

// Folder returns the name of the folder into which the bundle is unpacked. The name contains the whole hash, so
// that a bundle with other content cannot have the same folder.
func (b *Bundle) Folder() string {
	name := strings.TrimPrefix(clean(b.Name, maxFolderName)+"-"+b.Hash, "-")
	if badOnWindows.MatchString(name) { // a name reserved for devices, such as aux.x
		name = strings.Replace(name, ".", "-", 1)
	}
	return name
}

// maxFolderName limits the readable part of a folder's name. Windows limits
// the length of paths.
const maxFolderName = 32

// IsFormerFolder reports whether name is the name that earlier versions of Agent Discover gave the folder of this
// bundle. Such a name contains only a short hash, so another bundle can have the same one; use In to compare the
// content of the folder.
func (b *Bundle) IsFormerFolder(name string) bool {
	parts := slices.DeleteFunc([]string{clean(b.Name, 40), clean(b.Version, 40), b.Hash[:8]}, func(part string) bool { return part == "" })
	return name == strings.Join(parts, "-")
}

// clean returns the first n bytes of a text without the characters that some
// system does not allow in file names.
func clean(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_') {
			return r
		}
		return '-'
	}, text[:min(len(text), n)])
	return strings.Trim(text, ".-_")
}
