//go:build linux

package cli_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// stays are the tables and columns that an export leaves out on purpose, or that the other machine decides.
var stays = []string{
	// records, tokens and saved arguments
	"calls", "audit", "audit_anchor", "metrics", "clients", "client_tokens", "lenses", "presets", "answers",
	// what servers list, and the approvals of it
	"tools", "tool_history", "listings", "slugs", "vectors", "trust_servers", "trust_items", "servers.listed", "servers.deferred",
	// the permission to use the secret of another server, which a person gives again
	"secret_links",
	// renames that are not finished
	"renames",
	// the marketplace
	"installs", "leftovers", "mirror", "mirror_state", "mirror_vectors", "probes", "updates",
	// ids and times
	"servers.id", "servers.created_at", "servers.updated_at", "servers.health_checked", "learned.id", "secrets.updated_at",
	"secrets.prints",
}

// TestEverythingThatAnExportHasIsOnTheOtherMachine moves the data of the last release, with what this version adds to it, to
// another home, and compares the databases and the settings: once with the secrets, and once without them.
func TestEverythingThatAnExportHasIsOnTheOtherMachine(t *testing.T) {
	t.Parallel()
	from := releasedHome(t)
	from.Must("servers", "disable", "remote")
	from.Must("learned", "off")
	yes := [2]string{"[y/N] ", "y"}
	typed(t, from, []string{"servers", "edit", "boxed", "--cwd", "/", "--start-timeout", "5m", "--call-timeout", "7m"}, yes)
	typed(t, from, []string{"servers", "grant", "boxed", "--write", "~/notes", "--network"}, yes)
	sealed, plain := filepath.Join(t.TempDir(), "sealed.json"), filepath.Join(t.TempDir(), "plain.json")
	typed(t, from, []string{"export", "--secrets", sealed},
		[2]string{"Choose a passphrase for the secrets in the file: ", "open sesame"},
		[2]string{"Repeat the passphrase: ", "open sesame"},
		[2]string{"encrypted with this passphrase? [y/N] ", "y"})
	from.Must("export", plain)
	from.Must("stop")
	there := readTables(t, from.Folder.Database())
	imported := func(file string, answers ...[2]string) (to *programtest.Home, screen string) {
		t.Helper()
		to = programtest.NewHome(t)
		prepareRelease(to)
		to.Set("AGENT_DISCOVER_PASSPHRASE", "another passphrase")
		screen = typed(t, to, []string{"import", file}, answers...).screen.String()
		to.Must("stop")
		if was, now := readFile(t, from.Folder.Config()), readFile(t, to.Folder.Config()); was != now {
			t.Errorf("the settings were\n%s\nand are\n%s", was, now)
		}
		return to, screen
	}

	to, screen := imported(sealed, [2]string{"Passphrase of the secrets in the file: ", "open sesame"}, yes)
	if strings.Contains(screen, "are not in the import") || strings.Contains(screen, "reviewer would be added\r\npersona reviewer") {
		t.Errorf("the import shows\n%s", screen)
	}
	compareMoved(t, there, readTables(t, to.Folder.Database()))
	to.Must("start")
	if got := to.Must("call", "notes__read", "text=x"); !strings.Contains(got, "correct-horse") {
		t.Errorf("the server answers %q, without its secret", got)
	}

	to, screen = imported(plain, yes)
	programtest.Contains(t, screen, "secrets set notes TOKEN", "secrets set remote KEY")
	here := readTables(t, to.Folder.Database())
	if n := len(here["secrets"].rows); n > 0 {
		t.Errorf("%d secrets were imported", n)
	}
	delete(there, "secrets")
	compareMoved(t, there, here)
}

// compareMoved compares the tables and columns of two databases that an export contains. A new one is among them, unless it is
// in stays.
func compareMoved(t *testing.T, there, here map[string]table) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if slices.Contains(stays, name) {
			continue
		}
		columns := slices.DeleteFunc(slices.Clone(there[name].columns), func(c string) bool { return slices.Contains(stays, name+"."+c) })
		was, now := moved(t, there[name], columns), moved(t, here[name], columns)
		if len(was) == 0 || !slices.Equal(was, now) {
			t.Errorf("the table %s was\n%s\nand is\n%s", name, strings.Join(was, "\n"), strings.Join(now, "\n"))
		}
	}
}

// moved returns the rows of a table with some columns only. Empty lists and objects are null, and JSON objects lack what an
// import sets: times, ids, the path of a persona, and the definitions of tools, which are not exported.
func moved(t *testing.T, from table, columns []string) []string {
	t.Helper()
	for _, row := range from.rows {
		for column, value := range row {
			var object map[string]any
			text, ok := value.(string)
			if text == "{}" || text == "[]" {
				row[column] = "null"
			}
			if !ok || json.Unmarshal([]byte(text), &object) != nil || object["name"] == nil {
				continue
			}
			without(object, "created", "updated", "pinned", "path", "id")
			normal, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			row[column] = string(normal)
		}
	}
	return from.texts(columns)
}

// without removes members from an object and from those in it.
func without(value any, members ...string) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if without(inner, members...); slices.Contains(members, name) {
				delete(value, name)
			}
		}
	case []any:
		for _, inner := range value {
			without(inner, members...)
		}
	}
}
