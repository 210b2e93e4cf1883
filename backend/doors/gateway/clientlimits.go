package gateway

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
)

// clientLimits are a client's restrictions on tools. The zero value has none.
type clientLimits struct {
	vendor  schemacompat.Vendor
	maxName int // characters of a tool's name; 0 for no limit
}

// limitsOfEntry returns the limits of a client that connects through the entry of the editor with this id.
func limitsOfEntry(id string) clientLimits {
	e, _ := table.ByID(id)
	return limitsOf(e)
}

// limitsOf returns the limits of an editor. If e is nil, it returns no limits.
func limitsOf(e *table.Editor) clientLimits {
	if e == nil {
		return clientLimits{}
	}
	m := clientLimits{vendor: schemacompat.Vendor(e.Schemas)}
	if e.MaxName > 0 {
		prefix := strings.ReplaceAll(e.NamePrefix, "{server}", registration.Name)
		m.maxName = max(e.MaxName-utf8.RuneCountInString(prefix), names.MinLimit)
	}
	return m
}

// names returns the names under which the client is shown tools, in the order
// of tools. No two names are equal.
func (m clientLimits) names(tools []*catalog.Tool) []string {
	full := make([]string, len(tools))
	for i, t := range tools {
		full[i] = t.Proxied()
	}
	return names.Cut(full, m.maxName)
}
