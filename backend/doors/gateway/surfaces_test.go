package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/meta"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// ofServers returns a gateway with the named servers, all approved. tools lists the tools of each server.
func ofServers(t *testing.T, names []string, tools map[string][]string, used usage) *Gateway {
	t.Helper()
	var servers []registry.Server
	definitions := make(map[string][]json.RawMessage)
	for i, name := range names {
		servers = append(servers, registry.Server{ID: int64(i + 1), Name: name, Command: "run", Approved: true})
		for _, tool := range tools[name] {
			definitions[name] = append(definitions[name], json.RawMessage(`{"name":"`+tool+`","inputSchema":{"type":"object"}}`))
		}
	}
	reg, err := registry.Open(t.Context(), fixedServers{servers}, &events.Bus{})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Registry: reg, Usage: used, Catalog: catalogtest.Open(t, &events.Bus{}, definitions), Bus: &events.Bus{}})
}

// realServers are the names of published servers. realTools lists the tools of some of them.
var (
	realServers = strings.Fields("github filesystem slack postgres notion linear sentry jira confluence stripe figma playwright " +
		"kubernetes grafana asana airtable hubspot salesforce zendesk intercom datadog cloudflare vercel supabase mongodb redis " +
		"elasticsearch snowflake bigquery dropbox google-drive gmail google-calendar outlook teams discord telegram twilio sendgrid " +
		"mailchimp shopify woocommerce paypal square xero quickbooks docker terraform aws azure")
	realTools = map[string][]string{
		"github":     strings.Fields("create_issue list_issues get_issue search_code get_file_contents create_pull_request"),
		"filesystem": strings.Fields("read_file write_file list_directory"), "slack": strings.Fields("post_message list_channels"),
		"postgres": {"query_table"}, "notion": strings.Fields("create_page get_page query_database"),
	}
)

func TestSurfacesAreSmallWithAnyNumberOfServers(t *testing.T) {
	random := make([]string, 50)
	for i := range random {
		random[i] = fmt.Sprintf("%x-%x", (i+1)*7919*104729, (i+3)*15485863)
	}
	limits := map[string]int{surfaces.Meta: 600, surfaces.Registry: 500}
	for name, servers := range map[string][]string{
		"none": nil, "1": realServers[:1], "5": realServers[:5], "30": realServers[:30], "50": realServers[:50], "50 random": random,
		"one long": {strings.Repeat("x7-", 60)},
	} {
		g := ofServers(t, servers, realTools, usage{})
		for surface, limit := range limits {
			own := newSession(g, Opening{Surface: surface}).surface.(*allServers).own
			listed, instructions := own.Listed(), own.Instructions()
			list, err := answer.Encode(map[string]any{"tools": listed.Tools})
			if err != nil || !jsonrpc.Valid(list) {
				t.Fatal(err)
			}
			count := tokens.Count(string(list))
			all := count + tokens.Count(instructions)
			if surface == surfaces.Meta { // for Meta, the limit does not include the instructions
				all = count
			}
			if all >= limit || tokens.Count(instructions) > 75 {
				t.Errorf("%s, %s: %d tokens, and %d of instructions", surface, name, all, tokens.Count(instructions))
			} else {
				t.Logf("%s, %s: %d tokens", surface, name, all)
			}
			if !near(listed.Tokens, count) {
				t.Errorf("%s, %s: %d tokens are reported as %d", surface, name, count, listed.Tokens)
			}
			checkInstructions(t, instructions, servers,
				map[string][]string{surfaces.Meta: {"find_tool", "call_tool"}, surfaces.Registry: {"registry"}}[surface])
		}
	}
}

// near reports whether stated differs from counted by at most 5 %.
func near(stated, counted int) bool {
	return stated >= counted-counted/20 && stated <= counted+counted/20
}

// checkInstructions checks that instructions have one line of at most 250 bytes, that the first sentence has at most
// 150 bytes and names the tools, and that the first 100 bytes name a server.
func checkInstructions(t *testing.T, text string, servers, tools []string) {
	t.Helper()
	if strings.Contains(text, "\n") || len(text) > 250 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	first, _, _ := strings.Cut(text, ". ")
	if len(first) > 150 {
		t.Errorf("the first sentence has %d bytes: %s", len(first), first)
	}
	for _, tool := range tools {
		if !strings.Contains(first, tool) {
			t.Errorf("the first sentence does not name %s: %s", tool, first)
		}
	}
	if len(servers) > 0 && len(servers[0]) < 20 && !strings.Contains(text[:min(100, len(text))], slices.Min(servers)) {
		t.Errorf("the first 100 characters do not name %s: %s", slices.Min(servers), text)
	}
}

func TestMetaDefinitionsWithoutServersHaveAboutTheStatedTokens(t *testing.T) {
	list, err := answer.Encode(map[string]any{"tools": OwnTools(surfaces.Meta, "", "")})
	if err != nil {
		t.Fatal(err)
	}
	if n := tokens.Count(string(list)); !near(meta.Tokens, n) {
		t.Errorf("the definitions take %d tokens, but Tokens is %d", n, meta.Tokens)
	}
}

func TestToolsForLongResultsHaveAboutTheStatedTokens(t *testing.T) {
	if n := tokens.Count(string(readMoreTool)); !near(readMoreTokens, n) {
		t.Errorf("the definition of read_more takes %d tokens, but readMoreTokens is %d", n, readMoreTokens)
	}
	if n := tokens.Count(string(saveBlockTool)); !near(saveBlockTokens, n) {
		t.Errorf("the definition of save_block takes %d tokens, but saveBlockTokens is %d", n, saveBlockTokens)
	}
	for client, want := range map[string]int{"codex": 1, "cursor": 0, "": 0} {
		if n := len(OwnTools(surfaces.Native, client, "")); n != want {
			t.Errorf("%q lists %d tools of the hub, want %d", client, n, want)
		}
	}
}

func TestMetaToolsAreFoundTogetherAndToldApart(t *testing.T) {
	definitions := metaDefinitions(ofServers(t, realServers[:5], realTools, usage{}))
	want := map[string]string{
		"find_tool": `{"readOnlyHint":true}`, "call_tool": `{"destructiveHint":true}`,
		"call_read_tool": `{"readOnlyHint":true}`, "call_write_tool": `{"destructiveHint":false}`,
		"list_mcp_servers": `{"readOnlyHint":true}`, "search_tools": `{"readOnlyHint":true}`, "list_tools": `{"readOnlyHint":true}`,
		"get_tool_details": `{"readOnlyHint":true}`, "execute_tool": "", "refresh_cache": "",
	}
	for _, definition := range definitions {
		name, description := jsonrpc.GetString(definition, "name"), jsonrpc.GetString(definition, "description")
		if got := string(jsonrpc.Get(definition, "annotations")); got != want[name] {
			t.Errorf("%s has the annotations %s", name, got)
		}
		delete(want, name)
		if jsonrpc.GetString(jsonrpc.Get(definition, "inputSchema"), "type") != "object" || description == "" {
			t.Errorf("clients refuse %s", definition)
		}
		metadata := jsonrpc.Get(definition, "_meta")
		if !slices.Contains([]string{"find_tool", "call_tool", "call_read_tool", "call_write_tool"}, name) {
			if metadata != nil {
				t.Errorf("%s has the metadata %s", name, metadata)
			}
			continue
		}
		if (string(jsonrpc.Get(metadata, "anthropic/alwaysLoad")) == "true") != (name != "call_write_tool") {
			t.Errorf("%s has the metadata %s", name, metadata)
		}
		if long := jsonrpc.Get(metadata, "anthropic/maxResultSizeChars"); (string(long) == "500000") != (name == "call_tool" ||
			name == "call_read_tool") {
			t.Errorf("%s has the metadata %s", name, metadata)
		}
		words := []string{"tool", "find_tool"}
		if name == "find_tool" {
			words = []string{"filesystem, github, notion", "issue", "file", "call_read_tool, call_write_tool or call_tool", "MCP servers"}
		}
		if name == "call_tool" {
			words = append(words, "filesystem, github, notion", "issue", "file", "MCP servers")
		}
		for _, word := range words {
			if !strings.Contains(description, word) {
				t.Errorf("the description of %s does not contain %q: %s", name, word, description)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing are %v", want)
	}
}

// metaDefinitions returns the definitions of the surface Meta.
func metaDefinitions(g *Gateway) []json.RawMessage {
	return newSession(g, Opening{Surface: surfaces.Meta}).surface.(*allServers).own.Listed().Tools
}

func TestTextsDoNotChangeWithUsage(t *testing.T) {
	used := usage{"slack": 3}
	g := ofServers(t, []string{"github", "slack"}, realTools, used)
	before := metaDefinitions(g)
	if !strings.Contains(string(before[0]), "(slack, github)") {
		t.Errorf("got %s", before[0])
	}
	used["github"] = 9
	if after := metaDefinitions(g); string(after[0]) != string(before[0]) {
		t.Errorf("after calls, the description is %s", after[0])
	}
}
