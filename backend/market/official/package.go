package official

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

const stdio = "stdio"

var checksum = regexp.MustCompile(`^[a-f0-9]{64}$`)

// kinds maps older names of the kinds of registries to the current ones.
var kinds = map[string]listing.Kind{
	"docker": listing.KindOCI, "docker-hub": listing.KindOCI, "crates": listing.KindCargo, "crate": listing.KindCargo,
}

// readPackage converts a package. It returns false if the identifier is missing, or if the checksum is not valid:
// without the checksum, the file would be used unchecked.
func readPackage(o object) (listing.Package, bool) {
	p := listing.Package{
		Kind:       listing.Kind(strings.ToLower(o.text("registryType", "registryName"))),
		BaseURL:    https(o.text("registryBaseUrl")),
		Identifier: o.text("identifier", "name"),
		Version:    o.text("version"),
		SHA256:     strings.ToLower(o.text("fileSha256")),
		Runtime:    o.text("runtimeHint"),
		Before:     readArguments(o, "runtimeArguments"),
		Arguments:  readArguments(o, "packageArguments"),
		Env:        readFields(o, "environmentVariables"),
		Transport:  listing.Remote{Type: stdio},
	}
	if kind, ok := kinds[string(p.Kind)]; ok {
		p.Kind = kind
	}
	if t := o.object("transport"); t != nil {
		var ok bool
		if p.Transport, ok = readRemote(t); !ok {
			return p, false
		}
	}
	if p.Kind == listing.KindOCI {
		p.Identifier, p.Version = image(p.Identifier, p.BaseURL, p.Version), ""
	}
	return p, p.Kind != "" && p.Identifier != "" && len(p.Identifier) <= maxURL && isPlain(p.Identifier) &&
		(p.Version == "" || isVersion(p.Version)) && (p.SHA256 == "" || checksum.MatchString(p.SHA256))
}

// image returns the reference of a container image. In older entries, registry, name and version are separate
// members.
func image(name, registry, version string) string {
	if u, err := url.Parse(registry); err == nil && u.Host != "" {
		if first, _, ok := strings.Cut(name, "/"); !ok || !strings.ContainsAny(first, ".:") && first != "localhost" {
			name = u.Host + "/" + name
		}
	}
	last := name[strings.LastIndexByte(name, '/')+1:]
	if version != "" && !strings.ContainsAny(last, ":@") {
		name += ":" + version
	}
	return name
}

// transports maps the names of transport types, including older ones, to the current names.
var transports = map[string]string{
	stdio: stdio, "sse": "sse", "streamable-http": "streamable-http", "streamable": "streamable-http", "http": "streamable-http",
}

// readRemote converts a transport. It returns false if its type or address is not valid.
func readRemote(o object) (listing.Remote, bool) {
	kind, known := transports[strings.ToLower(o.text("type", "transportType"))]
	r := listing.Remote{Type: kind, URL: o.text("url"), Headers: readFields(o, "headers"), Variables: readInputs(o, "variables")}
	if kind == stdio {
		return listing.Remote{Type: stdio}, true
	}
	begins := strings.HasPrefix(r.URL, "https://") || strings.HasPrefix(r.URL, "http://") || strings.HasPrefix(r.URL, "{")
	return r, known && begins && len(r.URL) <= maxURL && isPlain(r.URL)
}

func readInput(o object) listing.Input {
	in := listing.Input{
		Description: o.text("description"), Required: o.flag("isRequired"), Secret: o.flag("isSecret"), Format: o.text("format"),
		Value: o.text("value"), Default: o.text("default"), Placeholder: o.text("placeholder"), Choices: o.texts(maxItems, "choices"),
	}
	if in.Format == "file_path" {
		in.Format = "filepath"
	}
	return in
}

// readInputs converts a member of o whose value is an object of inputs by name.
func readInputs(o object, name string) map[string]listing.Input {
	var out map[string]listing.Input
	for key, raw := range o.object(name) {
		inner, ok := readObject(raw)
		if !ok || key == "" || len(key) > maxName || len(out) == maxItems {
			continue
		}
		if out == nil {
			out = make(map[string]listing.Input)
		}
		out[key] = readInput(inner)
	}
	return out
}

// readFields converts a member of o whose value is an array of named inputs. It leaves out inputs without a name.
func readFields(o object, name string) []listing.Field {
	var out []listing.Field
	for _, inner := range o.objects(maxItems, name) {
		f := listing.Field{Name: inner.text("name"), Input: readInput(inner), Variables: readInputs(inner, "variables")}
		if f.Name != "" && len(f.Name) <= maxName {
			out = append(out, f)
		}
	}
	return out
}

func readArguments(o object, name string) []listing.Argument {
	var out []listing.Argument
	for _, inner := range o.objects(maxItems, name) {
		out = append(out, listing.Argument{
			Input: readInput(inner), Named: inner.text("type") == "named", Name: inner.text("name"), Hint: inner.text("valueHint"),
			Repeated: inner.flag("isRepeated"), Variables: readInputs(inner, "variables"),
		})
	}
	return out
}
