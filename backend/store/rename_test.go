package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// naming returns the columns whose values contain a text, sorted.
func naming(t *testing.T, s *Store, text string) (columns []string) {
	t.Helper()
	ask := func(query string, args ...any) (values []string) {
		found, err := s.db.read.QueryContext(t.Context(), query, args...)
		must(t, err)
		defer func() { _ = found.Close() }()
		for found.Next() {
			var value string
			must(t, found.Scan(&value))
			values = append(values, value)
		}
		return values
	}
	for _, table := range ask("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'servers\\_fts%' ESCAPE '\\'") {
		for _, column := range ask("SELECT name FROM pragma_table_info(?)", table) {
			if len(ask(fmt.Sprintf("SELECT 1 FROM %s WHERE instr(CAST(%s AS TEXT), ?) > 0", table, column), text)) > 0 {
				columns = append(columns, table+"."+column)
			}
		}
	}
	slices.Sort(columns)
	return columns
}

func TestARenameReachesEveryColumnThatNamesTheServer(t *testing.T) {
	s, _ := openStore(t)
	fill(t, s, 3)
	must(t, s.Credentials.AddCredential(t.Context(),
		credentials.Credential{ID: "one", Name: "one", Hash: [32]byte{9}, Surface: "server:server-1", Created: time.Now()}))
	must(t, s.Secrets.PutSecretLink(t.Context(), vault.Link{Server: "server-2", Owner: "server-1", Name: "KEY", Runs: "x"}))
	_, err := s.Installs.SaveLeftover(t.Context(), installer.Leftover{Kind: "secret", Server: "server-1", Secret: "KEY"})
	must(t, err)
	must(t, s.Renames.Rename(t.Context(), "server-1", "other", map[string]string{"KEY": vault.InFile}))

	// fill uses the names of servers as identifiers of other things, too.
	left := []string{
		"answers.id", "audit.hash", "client_tokens.id", "client_tokens.name", "installs.install", "installs.listing", "lenses.session",
		"renames.former",
		"secrets.server", // dropped: the value is not deleted yet
	}
	if got := naming(t, s, "server-1"); !slices.Equal(got, left) {
		t.Errorf("the former name is still in %q,\nwant only %q", got, left)
	}
	records, err := s.Secrets.Secrets(t.Context(), "")
	must(t, err)
	for _, r := range records {
		if r.Server == "other" && (r.Dropped || r.Name != "KEY" || r.UpdatedAt.IsZero()) || r.Server == "server-1" && !r.Dropped {
			t.Errorf("the secrets are %+v", records)
		}
	}
	if names, err := s.Renames.Pending(t.Context()); err != nil || len(names) != 1 || names[0] != [2]string{"server-1", "other"} {
		t.Errorf("pending: %v, %v", names, err)
	}
	must(t, s.Renames.Renamed(t.Context(), "server-1", "other"))
	if names, err := s.Renames.Pending(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("pending afterwards: %v, %v", names, err)
	}
	for id, at := range map[string]int{"server-0": 1, "server-2": 1, "other": 1} {
		if found, err := s.Servers.MatchServers(t.Context(), id); err != nil || len(found) != at {
			t.Errorf("%s matches %v, %v", id, found, err)
		}
	}
}

func TestALaterServerInheritsNothingOfADeletedOne(t *testing.T) {
	s, _ := openStore(t)
	fill(t, s, 3)
	must(t, s.Credentials.AddCredential(t.Context(),
		credentials.Credential{ID: "one", Name: "one", Hash: [32]byte{9}, Surface: "server:server-1", Created: time.Now()}))
	must(t, s.Secrets.PutSecretLink(t.Context(), vault.Link{Server: "server-2", Owner: "server-1", Name: "KEY", Runs: "x"}))
	must(t, s.Secrets.PutSecretLink(t.Context(), vault.Link{Server: "server-1", Owner: "server-2", Name: "KEY", Runs: "x"}))
	must(t, s.Toolsets.SaveToolset(t.Context(), toolset.Toolset{Name: "mixed", Tools: []toolset.Reference{
		{Server: "server-2", Tool: "read", Hash: "two"}, {Server: "server-1", Tool: "read", Hash: "one", Pinned: []byte(`{"name":"read"}`)},
	}}))
	servers, err := s.Servers.Servers(t.Context())
	must(t, err)
	i := slices.IndexFunc(servers, func(s registry.Server) bool { return s.Name == "server-1" })
	must(t, s.Servers.DeleteServer(t.Context(), servers[i].ID))

	left := []string{
		"audit.hash", "calls.server", "client_tokens.id", "client_tokens.name", "lenses.lent", "lenses.session", "personas.persona",
		"presets.server", "renames.former",
		"secrets.server", // dropped: the value is not deleted yet
		"tool_history.server", "toolsets.toolset",
	}
	if got := naming(t, s, "server-1"); !slices.Equal(got, left) {
		t.Errorf("the name is still in %q,\nwant only %q", got, left)
	}
	sets, _, err := s.Toolsets.Toolsets(t.Context())
	must(t, err)
	for _, set := range sets {
		for _, tool := range set.Tools {
			if set.Name == "mixed" && (tool.Server == "server-2") != (tool.Hash != "") || tool.Server == "server-1" && tool.Pinned != nil {
				t.Errorf("the toolset has %+v", tool)
			}
		}
	}
	if names, err := s.Renames.Pending(t.Context()); err != nil || len(names) != 1 || names[0] != [2]string{"server-1", ""} {
		t.Errorf("pending: %v, %v", names, err)
	}
	must(t, s.Servers.DeleteServer(t.Context(), servers[i].ID)) // again
}

func TestDecisionsHoldUnderTheNewName(t *testing.T) {
	s, _ := openStore(t)
	ctx := t.Context()
	fill(t, s, 3)
	servers, err := s.Servers.Servers(ctx)
	must(t, err)
	user := servers[slices.IndexFunc(servers, func(s registry.Server) bool { return s.Name == "server-2" })]
	user.Env = map[string]string{"KEY": "${secret:server-1/KEY}", "OTHER": "${secret:server-10/KEY}"}
	must(t, s.Servers.UpdateServer(ctx, user))
	before, after := user, user
	after.Env = map[string]string{"KEY": "${secret:other/KEY}", "OTHER": "${secret:server-10/KEY}"}
	definition := []byte(`{"name":"read","description":"Reads."}`)
	was, _ := catalog.NewTool("server-1", definition)
	now, _ := catalog.NewTool("other", definition)
	must(t, s.Tools.ReplaceTools(ctx, "server-1", []*catalog.Tool{was}, []catalog.Change{
		{Tool: "read", Kind: catalog.Updated, Previous: was.Hash, Current: was.Hash, Definition: definition},
	}))
	runs := "/" + launch.Of(before).Hash()
	must(t, s.ToolApprovals.SaveToolApproval(ctx, rules.Approval{Tool: was.Key(), Hash: was.Hash + "/abc", At: time.Now()}))
	must(t, s.ToolApprovals.SaveToolApproval(ctx,
		rules.Approval{Tool: catalog.Key{Server: "server-2", Tool: "read"}, Hash: "x" + runs, At: time.Now()}))
	must(t, s.Secrets.PutSecretLink(ctx, vault.Link{Server: "server-2", Owner: "server-1", Name: "KEY", Runs: launch.Of(before).Hash()}))
	must(t, s.Answers.SaveAnswer(ctx,
		inspector.Remembered{ID: "a", Server: "server-2", Mode: "url", Action: "decline", Launch: launch.Of(before).Hash()}))
	must(t, s.Toolsets.SaveToolset(ctx, toolset.Toolset{Name: "mixed", Tools: []toolset.Reference{
		{Server: "server-2", Tool: "read", Hash: "same"},
		{Server: "server-1", Tool: "read", Hash: was.Hash},
		{Server: "server-1", Tool: "read", Hash: was.Hash, Pinned: definition},
	}}))
	must(t, s.Renames.Rename(ctx, "server-1", "other", map[string]string{"KEY": vault.InFile}))

	servers, err = s.Servers.Servers(ctx)
	must(t, err)
	for _, one := range servers {
		if one.Name == "server-2" && !reflect.DeepEqual(one.Env, after.Env) {
			t.Errorf("the references became %v", one.Env)
		}
	}
	links, err := s.Secrets.SecretLinks(ctx)
	must(t, err)
	if !slices.Contains(links, vault.Link{Server: "server-2", Owner: "other", Name: "KEY", Runs: launch.Of(after).Hash()}) {
		t.Errorf("the links are %+v", links)
	}
	answers, err := s.Answers.Answers(ctx)
	must(t, err)
	i := slices.IndexFunc(answers, func(r inspector.Remembered) bool { return r.ID == "a" })
	if answers[i].Launch != launch.Of(after).Hash() {
		t.Error("the answer of another server does not hold for its launch with the new reference")
	}
	approvals, err := s.ToolApprovals.ToolApprovals(ctx)
	must(t, err)
	for _, a := range approvals {
		if a.Tool.Server == "other" && a.Hash != now.Hash+"/abc" || a.Tool.Server == "server-2" && a.Hash != "x/"+launch.Of(after).Hash() {
			t.Errorf("an approval is %+v", a)
		}
	}
	sets, _, err := s.Toolsets.Toolsets(ctx)
	must(t, err)
	for _, set := range sets {
		if set.Name != "mixed" {
			continue
		}
		if got := set.Tools; got[0].Hash != "same" || got[1].Hash != now.Hash || got[2].Hash != now.Hash || got[1].Server != "other" {
			t.Errorf("the toolset has %+v", got)
		}
	}
	history, err := s.Tools.ToolHistory(ctx, "other", "read")
	must(t, err)
	if text := fmt.Sprint(history); !strings.Contains(text, now.Hash) || strings.Contains(text, was.Hash) {
		t.Errorf("the history is %v", text)
	}
}

func TestARenameThatFailsChangesNothing(t *testing.T) {
	s, _ := openStore(t)
	fill(t, s, 2)
	before := naming(t, s, "server-1")
	if err := s.Renames.Rename(t.Context(), "server-1", "server-0", nil); err == nil {
		t.Fatal("the name of another server was given")
	}
	if after := naming(t, s, "server-1"); !slices.Equal(before, after) || len(naming(t, s, "server-0")) == 0 {
		t.Errorf("the name is in %q, before in %q", after, before)
	}
}
