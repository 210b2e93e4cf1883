package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacompat"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

type noClients struct{}

func (noClients) Clients(context.Context) ([]SeenClient, error) { return nil, nil }
func (noClients) KeepClient(context.Context, SeenClient) error  { return nil }

type noSlugs struct{}

func (noSlugs) Slugs(context.Context) (map[int64]string, error) { return nil, nil }
func (noSlugs) SaveSlug(context.Context, int64, string) error   { return nil }

// newGateway returns a gateway with an always listed server s that has the
// given tools.
func newGateway(t *testing.T, definitions ...string) *Gateway {
	t.Helper()
	bus := &events.Bus{}
	reg, err := registry.Open(t.Context(),
		fixedServers{
			[]registry.Server{
				{ID: 1, Name: "s", Command: "run", AlwaysListed: true, Approved: true},
				{ID: 2, Name: "other", Command: "run", Approved: true},
			},
		}, bus)
	if err != nil {
		t.Fatal(err)
	}
	tools := catalogtest.Open(t, bus, map[string][]json.RawMessage{"s": catalogtest.Definitions(definitions...)})
	return New(Options{
		Registry: reg, Catalog: tools, Usage: usage{}, Slugs: noSlugs{}, Bus: bus,
		History: NewClientHistory(noClients{}, slog.New(slog.DiscardHandler)),
	})
}

// newClient returns the initialized session of a client.
func newClient(t *testing.T, g *Gateway, client string) *Session {
	t.Helper()
	s := newSession(g, Opening{ID: client})
	if _, err := s.initialize(t.Context(), json.RawMessage(`{"clientInfo":{"name":`+string(jsonrpc.Quote(client))+`}}`)); err != nil {
		t.Fatal(err)
	}
	return s
}

// toolsOf returns the definitions in a session's tool list.
func toolsOf(t *testing.T, s *Session) []json.RawMessage {
	t.Helper()
	result, err := s.Request(t.Context(), "tools/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(result, &list); err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

const odd = `{"name":"odd","x":9007199254740993,"_meta":{"k":1},"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"n":{"const":1},"f":{"$ref":"#/$defs/F"}},"anyOf":[{"required":["n"]}],"$defs":{"F":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"o":{"const":1}}}}`

func TestSchemasAreAdaptedToTheClient(t *testing.T) {
	g := newGateway(t, odd)
	const asItIs = `{"name":"s__odd","x":9007199254740993,"_meta":{"k":1},"inputSchema":%s,"outputSchema":{"type":"object","properties":{"o":{"const":1}}}}`
	for client, schema := range map[string]string{
		"someone":                     `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"n":{"const":1},"f":{"$ref":"#/$defs/F"}},"anyOf":[{"required":["n"]}],"$defs":{"F":{"type":"string"}}}`,
		"agent-discover-cli":          `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"n":{"const":1},"f":{"$ref":"#/$defs/F"}},"anyOf":[{"required":["n"]}],"$defs":{"F":{"type":"string"}}}`,
		"Claude-Code":                 `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"n":{"const":1},"f":{"$ref":"#/$defs/F"}},"$defs":{"F":{"type":"string"}},"required":["n"]}`,
		"gemini-cli-mcp-client-s-9.9": `{"type":"object","properties":{"n":{"type":"integer","description":"(one of 1)"},"f":{"type":"string"}},"required":["n"]}`,
		"Gemini-CLI":                  `{"type":"object","properties":{"n":{"type":"integer","description":"(one of 1)"},"f":{"type":"string"}},"required":["n"]}`,
	} {
		for range 2 { // the second result comes from the cache
			tools := toolsOf(t, newClient(t, g, client))
			if want := fmt.Sprintf(asItIs, schema); len(tools) != 2 || string(tools[1]) != want {
				t.Errorf("%s:\ngot  %s\nwant %s", client, tools[1], want)
			}
		}
	}
	if n := len(g.definitions.adapted.schemas); n != 4 { // the schemas of two tools, registry and odd, for two vendors
		t.Errorf("%d schemas are cached, want 4", n)
	}
}

func TestRegistryIsAdaptedToTheClientToo(t *testing.T) {
	g := newGateway(t)
	for client, same := range map[string]bool{"someone": true, "claude-code": true, "gemini-cli": false} {
		own := toolsOf(t, newClient(t, g, client))[0]
		if (string(own) == string(registrytool.Definition)) != same {
			t.Errorf("%s is shown %s", client, own)
		}
		if strings.Contains(string(own), `"type":"object"}`) == (client == "gemini-cli") {
			t.Errorf("%s is shown an object without properties: %s", client, own)
		}
	}
}

func TestLongNamesAreShortenedForClientsWithALimit(t *testing.T) {
	long, longer := strings.Repeat("a", 60), strings.Repeat("a", 61)
	g := newGateway(t, `{"name":"fits","inputSchema":{"type":"object"}}`, `{"name":"`+long+`","inputSchema":{"type":"object"}}`,
		`{"name":"`+longer+`","inputSchema":{"type":"object"}}`)
	for client, row := range map[string]struct {
		limit int
		short bool
	}{"someone": {1000, false}, "claude-code": {64 - len("mcp__discover__"), true}, "gemini-cli": {63 - len("mcp_discover_"), true}} {
		s := newClient(t, g, client)
		var names []string
		for _, def := range toolsOf(t, s)[1:] {
			names = append(names, jsonrpc.GetString(def, "name"))
		}
		if names[0] != "s__fits" || names[1] == names[2] {
			t.Errorf("%s is shown %q", client, names)
		}
		for i, tool := range []string{"fits", long, longer} {
			if short := names[i] != "s__"+tool; i > 0 && short != row.short || len(names[i]) > row.limit {
				t.Errorf("%s is shown %q of %d characters", client, names[i], len(names[i]))
			}
			for _, way := range []string{names[i], "mcp__" + names[i], "s__" + tool, "mcp__s__" + tool} {
				if server, name, ok := s.surface.Resolve(way); !ok || server != "s" || name != tool {
					t.Errorf("%s: %s resolves to %s of %s", client, way, name, server)
				}
			}
		}
		if _, _, ok := s.surface.Resolve("s" + names[1][1:len(names[1])-1] + "z"); ok && row.short {
			if _, name, _ := s.surface.Resolve(names[1][:len(names[1])-1] + "z"); name == long {
				t.Errorf("%s: a name that was not shown resolves to %s", client, name)
			}
		}
	}
}

func TestShortNamesAreStable(t *testing.T) {
	name := strings.Repeat("b", 80)
	g := newGateway(t, `{"name":"`+name+`"}`)
	s := newClient(t, g, "claude-code")
	const want = "s__bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb_05b1bf"
	if got := jsonrpc.GetString(toolsOf(t, s)[1], "name"); got != want {
		t.Errorf("got %s, earlier versions gave %s", got, want)
	}
	unlisted := json.RawMessage(`{"name":"` + strings.Repeat("c", 80) + `"}`)
	if _, err := g.translation.catalog.Replace(t.Context(), "other", []json.RawMessage{unlisted}); err != nil {
		t.Fatal(err)
	}
	other, _ := g.inventory.Snapshot().Lookup("other", strings.Repeat("c", 80))
	if server, tool, _ := s.surface.Resolve(s.client.limits.names([]*catalog.Tool{other})[0]); server != "other" || tool != other.Name {
		t.Errorf("the short name of an unlisted tool resolves to %s of %s", tool, server)
	}
	if server, tool, ok := newClient(t, g, "someone").surface.Resolve(want); ok && tool == name {
		t.Errorf("a client without a limit resolves a short name to %s of %s", tool, server)
	}
}

func TestShortNamesInAListAreUnique(t *testing.T) {
	m := clientLimits{maxName: 30}
	var tools []*catalog.Tool
	for i := range 20000 { // so many names that two have equal hashes of six digits
		tools = append(tools, &catalog.Tool{Server: "s", Name: strings.Repeat("c", 40) + fmt.Sprint(i)})
	}
	seen, lengthened := make(map[string]bool), 0
	for i, name := range m.names(tools) {
		if seen[name] || len(name) > 30 {
			t.Fatalf("%s is repeated or too long", name)
		}
		seen[name] = true
		if name != m.names(tools[i : i+1])[0] {
			lengthened++
		}
	}
	if lengthened == 0 {
		t.Error("no two names had equal short hashes, so the test proves nothing")
	}
}

func TestEveryEditorHasLimitsByTheClientInItsEntry(t *testing.T) {
	schemas := map[string]schemacompat.Vendor{
		"": "", "anthropic": schemacompat.Anthropic, "gemini": schemacompat.Gemini, "openai": schemacompat.OpenAI,
	}
	limited := 0
	for _, e := range table.Table() {
		vendor, known := schemas[e.Schemas]
		want := clientLimits{vendor: vendor}
		if e.MaxName > 0 {
			want.maxName = e.MaxName - len(strings.ReplaceAll(e.NamePrefix, "{server}", registration.Name))
		}
		if !known || want.maxName < 0 || e.MaxName > 0 && want.maxName < names.MinLimit {
			t.Errorf("%s has unknown limits: schemas %q, names of %d characters", e.ID, e.Schemas, want.maxName)
		}
		if want != (clientLimits{}) {
			limited++
		}
		for _, id := range append([]string{e.ID, strings.ToUpper(e.ID)}, e.Also...) {
			if got := newSession(&Gateway{}, Opening{Client: id}).client.limits; got != want {
				t.Errorf("a session of --client %s has the limits %+v, want those of %s: %+v", id, got, e.ID, want)
			}
		}
	}
	if limited < 10 {
		t.Errorf("only %d editors have limits", limited)
	}
}

func TestAnUnknownClientInAnEntryHasNoLimits(t *testing.T) {
	for _, client := range []string{"unheard-of", "two words", "claude-code-2"} {
		if got := newSession(&Gateway{}, Opening{Client: client}).client.limits; got != (clientLimits{}) {
			t.Errorf("--client %q has the limits %+v", client, got)
		}
	}
}

func TestTheEntryOfAnEditorDecidesOnLimits(t *testing.T) {
	g := newGateway(t)
	modern := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":%q},"io.modelcontextprotocol/clientCapabilities":{}}}`
	for _, row := range []struct {
		entry, client   string
		legacy, adapted bool
	}{
		{"", "gemini-cli", true, true},
		{"", "gemini-cli", false, false},
		{"gemini-cli", "someone", true, true},
		{"gemini-cli", "someone", false, true},
		{"claude-code", "gemini-cli", true, false},
		{"unheard-of", "gemini-cli", true, false},
	} {
		s := newSession(g, Opening{ID: "s", Client: row.entry})
		params := json.RawMessage(fmt.Sprintf(modern, row.client))
		if row.legacy {
			if _, err := s.initialize(t.Context(), json.RawMessage(fmt.Sprintf(`{"clientInfo":{"name":%q}}`, row.client))); err != nil {
				t.Fatal(err)
			}
			params = nil
		}
		list, err := s.Request(t.Context(), "tools/list", params)
		if err != nil {
			t.Fatal(err)
		}
		if adapted := !strings.Contains(string(list), string(registrytool.Definition)); adapted != row.adapted {
			t.Errorf("%+v: adapted is %v", row, adapted)
		}
	}
}
