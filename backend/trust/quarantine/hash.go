package quarantine

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"
)

// hashPrefix is the version of the rules by which a Hash is computed. A new version must come with a migration; without
// one, the hub would hold all items that were approved before.
const hashPrefix = "1:"

// covered lists the members of definitions that hashes cover besides _meta. A change of
// another member, such as the size of a resource, has no effect: sessions get the whole
// approved text, with the former value.
var covered = map[Kind][]string{
	Tool:     {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution", "icons"},
	Prompt:   {"name", "title", "description", "arguments", "icons"},
	Resource: {"uri", "name", "title", "description", "mimeType", "annotations", "icons"},
	Template: {"uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons"},
}

// HashOf returns the hash of a definition: the SHA-256 of its kind and of the covered members as canonical JSON, with
// sorted keys and numbers as written. Of _meta it covers the members that a client acts on: keys that begin with ui, and
// output templates. It does not cover other keys of _meta, because some servers change them from one list to the next.
func HashOf(kind Kind, definition json.RawMessage) Hash {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(definition))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // JSON that cannot be read has the hash of null
	if names := covered[kind]; names != nil {
		all, _ := value.(map[string]any)
		some := make(map[string]any, len(names)+1)
		for _, name := range names {
			if member, ok := all[name]; ok {
				some[name] = member
			}
		}
		if meta := actedOn(all["_meta"]); len(meta) > 0 {
			some["_meta"] = meta
		}
		value = some
	}
	canonical, _ := json.Marshal(value) // sorts keys; decoded JSON can be encoded
	sum := sha256.New()
	sum.Write([]byte("agent-discover approval " + hashPrefix + string(kind) + "\n"))
	sum.Write(canonical)
	return Hash(sum.Sum(nil))
}

// actedOn returns the members of _meta that hashes cover.
func actedOn(meta any) map[string]any {
	all, _ := meta.(map[string]any)
	some := make(map[string]any)
	for key, value := range all {
		name := strings.ToLower(key[strings.LastIndexByte(key, '/')+1:])
		if strings.HasPrefix(strings.ToLower(key), "ui") || strings.HasPrefix(name, "ui") || strings.Contains(name, "outputtemplate") {
			some[key] = value
		}
	}
	return some
}

// nameOf returns the name of an item from its definition, and false if it has none.
func nameOf(kind Kind, definition json.RawMessage) (string, bool) {
	if kind == Instructions {
		return "", true
	}
	var d struct {
		Name        string `json:"name"`
		URI         string `json:"uri"`
		URITemplate string `json:"uriTemplate"`
	}
	if json.Unmarshal(definition, &d) != nil {
		return "", false
	}
	name := map[Kind]string{Tool: d.Name, Prompt: d.Name, Resource: d.URI, Template: d.URITemplate}[kind]
	return name, name != ""
}
