package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Document holds the searchable texts of a listing.
type Document struct {
	Publisher   string // words, such as "modelcontextprotocol"
	Name        string // without the namespace
	Title       string
	Description string
	Terms       string // keywords and names of packages
	Hash        string // SHA-256 of all other fields, in hex
}

// deprecation is prepended to the description of a deprecated listing, so that the search ranks the listing lower.
const deprecation = "DEPRECATED. "

// documentOf returns the document of a listing.
func documentOf(l *listing.Listing) Document {
	space, name, ok := strings.Cut(l.Name, "/")
	if !ok { // a package without a scope
		space, name = "", l.Name
	}
	d := Document{Publisher: publisher(space), Name: name, Title: l.Title, Description: l.Description}
	if l.Status == listing.Deprecated {
		d.Description = deprecation + d.Description
	}
	terms := slices.Clone(l.Keywords)
	for _, p := range l.Packages {
		if p.Kind == listing.KindMCPB { // its identifier is a URL
			continue
		}
		id, _, _ := strings.Cut(p.Identifier, "@sha256:")
		id = id[strings.LastIndexByte(id, '/')+1:]
		if !slices.Contains(terms, id) && id != name {
			terms = append(terms, id)
		}
	}
	d.Terms = strings.Join(terms, " ")
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Publisher, d.Name, d.Title, d.Description, d.Terms}, "\x00")))
	d.Hash = hex.EncodeToString(sum[:])
	return d
}

// hosts are the beginnings of the namespaces of sites where anybody can publish.
var hosts = []string{"io.github.", "com.github.", "io.gitlab.", "com.gitlab."}

// publisher returns a namespace without the part that most publishers share: io.github.user and com.user are "user".
func publisher(space string) string {
	for _, host := range hosts {
		if rest, ok := strings.CutPrefix(space, host); ok {
			return rest
		}
	}
	if _, rest, ok := strings.Cut(space, "."); ok {
		return strings.ReplaceAll(rest, ".", " ")
	}
	return space
}

// Tool converts a listing to a tool, the form that the search for tools reads. id is the ID of the tool.
func Tool(l *listing.Listing, id int64) *catalog.Tool { return documentOf(l).tool(id) }

// tool converts a document to a tool, which the search reads. The server of the tool is the publisher, and the terms
// are the name of its only parameter.
func (d Document) tool(id int64) *catalog.Tool {
	t := &catalog.Tool{ID: id, Server: d.Publisher, Name: d.Name, Title: d.Title, Description: d.Description, Hash: d.Hash}
	if d.Terms != "" {
		quoted, _ := json.Marshal(d.Terms) // encoding a string cannot fail
		t.Definition = slices.Concat([]byte(`{"inputSchema":{"properties":{`), quoted, []byte(`:{}}}}`))
	} else {
		t.Definition = noTerms
	}
	return t
}

var noTerms = json.RawMessage(`{}`)
