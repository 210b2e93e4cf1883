package backend

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agent-discover/agent-discover/"

// rooms says what each room may import of ours. A room that is not here may
// not exist; an import that is not here may not be made. Leaves know nothing,
// nouns know leaves, verbs know nouns, doors know verbs, hub.go knows all.
var rooms = map[string][]string{
	// leaves
	"fault":    {},
	"events":   {},
	"tokens":   {},
	"dot":      {}, // it is mathematics, as is the encoder
	"encoder":  {}, // it is mathematics, and knows nothing of tools
	"secrets":  {"events", "fault", "paths"},
	"wire":     {},
	"remote":   {"fault", "wire"},
	"process":  {},
	"paths":    {"fault"},
	"instance": {"fault", "paths", "process"},
	"splice":   {"fault"},
	"swap":     {"fault", "process"}, // process: whether who left a file beside another is gone
	"dialect":  {},                   // it is about JSON, and knows no tools
	"bundle":   {"fault"},
	// nouns
	"settings": {"fault", "splice"}, // splice: a setting changes in its place
	"registry": {"events", "fault"},
	"catalog":  {"events", "tokens"},
	"clients":  {},
	"journal":  {"events", "secrets", "wire"},  // the words of a raw result
	"learning": {"catalog", "events", "fault"}, // catalog: a tool's key
	"editors":  {"fault", "splice"},            // splice: the words for where an entry stands
	"snippet":  {"editors", "fault", "splice"}, // splice: the one place that reads JSON with comments, TOML and YAML
	// verbs
	"embedding":    {"catalog", "events", "fault", "settings"},            // settings: who makes vectors; the encoder is given to it
	"search":       {"catalog", "dot", "embedding", "events", "learning"}, // embedding and learning: the words in which they tell what they know
	"upstream":     {"catalog", "events", "fault", "paths", "process", "registry", "remote", "secrets", "settings", "wire"},
	"proxy":        {"events", "fault", "journal", "registry", "secrets", "upstream", "wire"},
	"install":      {"catalog", "fault", "process", "registry", "secrets", "settings", "upstream"}, // process: it runs npm and uvx to download
	"tester":       {"events", "fault", "journal", "proxy", "registry", "secrets", "settings", "upstream", "wire"},
	"setup":        {"catalog", "fault", "install", "registry", "secrets"},                                                // catalog: an import brings tools
	"eval":         {"catalog", "embedding", "encoder", "events", "fault", "search", "settings"},                          // it asks the very searcher that the hub asks
	"contrast":     {"editors", "secrets", "splice"},                                                                      // secrets: they are covered; the others know where servers stand
	"registration": {"contrast", "editors", "events", "fault", "paths", "process", "splice", "swap"},                      // process: what runs
	"intake":       {"bundle", "editors", "fault", "install", "registration", "registry", "secrets", "snippet", "splice"}, // registration: it takes out what came in
	"checkup":      {"catalog", "dialect", "editors", "fault", "install", "intake", "registration", "registry", "tokens"}, // it looks at what the others know
	"reply":        {"catalog", "search", "tokens"},                                                                       // tokens: an estimate, which needs no vocabulary
	// doors
	"gateway": {"catalog", "clients", "dialect", "editors", "events", "fault", "install", "proxy", "registration", "registry", "reply", "search", "setup", "upstream", "wire"}, // registration: what our entry is called
	"bridge":  {"fault", "instance", "paths", "wire"},
	"api": {
		"catalog", "checkup", "editors", "embedding", "events", "fault", "gateway", "install", "instance", "intake", "journal", "learning", "process", "proxy", "registration", "registry",
		"secrets", "settings", "setup", "tester", "tokens", "upstream", "wire",
		"paths", // sessions of browsers outlive the hub in a file
	},
	"cli": {"", "api", "bridge", "checkup", "editors", "eval", "fault", "gateway", "instance", "intake", "paths", "process", "registration", "secrets", "settings", "setup", "store", "wire"},
	// adapters
	"store":   {"catalog", "clients", "embedding", "fault", "journal", "learning", "registry", "secrets", "setup", "tester"},
	"mcptest": {"wire"},
	"keytest": {},
	// composition and programs
	"": {
		"api", "bridge", "catalog", "checkup", "clients", "editors", "embedding", "encoder", "events", "fault", "gateway", "install", "instance", "intake",
		"journal", "learning", "paths", "process", "proxy", "registration", "registry", "search", "secrets", "settings", "setup", "store", "tester", "upstream",
	},
	"cmd/agent-discover": {"cli"},
}

// homes says who alone may import a package from outside, and why.
var homes = []struct {
	prefix string
	in     []string
	why    string
}{
	{"github.com/wailsapp/wails", []string{"app", "."}, "the hub must run where there is no desktop"},
	{"github.com/getlantern/systray", []string{"app/tray"}, "it takes the main thread and needs a desktop"},
	{"database/sql", []string{"backend/store", "build/eval"}, "one place knows SQL; a baseline searches with it"},
	{"modernc.org/sqlite", []string{"backend/store", "build/eval"}, "one place knows SQLite; a baseline searches with it"},
	{"github.com/blevesearch/bleve", []string{"build/eval"}, "it is how another program searches, for comparison"},
	{"github.com/blevesearch/snowballstem", []string{"backend/search"}, "words are cut to stems in one place"},
	{"github.com/pressly/goose", []string{"backend/store"}, "one place changes the schema"},
	{"github.com/zalando/go-keyring", []string{"backend/secrets"}, "one place touches the keychain"},
	{"github.com/godbus/dbus", []string{"backend/secrets", "backend/keytest", "app", "app/tray", "app/xtest", "build/bench"}, "it looks at a keychain without a question to the user, ends an operation that hangs, and asks a desktop what it has"},
	{"filippo.io/age", []string{"backend/secrets"}, "one place seals values"},
	{"github.com/coder/websocket", []string{"backend/api", "backend/cli", "build/bench", "app/tray"}, "events go to clients through one door; the tray and a command that watches listen"},
	{module + "build/icons", []string{"app", "app/tray"}, "pictures are for what a person sees"},
	{"text/template", nil, "a program that links it keeps every method of every type: megabytes in each companion"},
	{"html/template", nil, "it links text/template"},
	{"github.com/danielgtaylor/huma", []string{"backend/api"}, "REST is one door"},
	{"github.com/tailscale/hujson", []string{"backend/setup", "backend/splice"}, "files that people write by hand are read in two places"},
	{"github.com/pelletier/go-toml/v2", []string{"backend/splice"}, "entries in files of others are found in one place"},
	{"go.yaml.in/yaml/v3", []string{"backend/splice", "backend/editors"}, "entries in files of others are found in one place; the table of editors is written by people"},
	{"github.com/spf13/cobra", []string{"backend/cli"}, "the command line is one door"},
	{"golang.org/x/term", []string{"backend/cli"}, "who hides what is typed has a terminal"},
	{"github.com/tiktoken-go", []string{"backend/tokens"}, "its vocabulary takes memory once it is used"},
	{
		"github.com/modelcontextprotocol/go-sdk",
		[]string{"backend/wire", "backend/remote", "backend/upstream", "backend/gateway", "backend/cli", "backend/mcptest", "build/demo", "build/bench"},
		"typed results lose what they do not know: proxied traffic never passes through them",
	},
}

func TestImportsFollowTheTable(t *testing.T) {
	visitGo(t, "..", func(file, dir string, imports []string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, imported := range imports {
			checkHome(t, file, dir, imported)
			if rest, ours := strings.CutPrefix(imported+"/", module+"backend/"); ours && inBackend(dir) {
				checkRoom(t, file, dir, strings.TrimSuffix(rest, "/"))
			}
			if strings.HasPrefix(imported, module+"app") && inBackend(dir) {
				t.Errorf("%s imports %s: backend must never need a desktop", file, imported)
			}
		}
	})
}

func TestEveryRoomIsInTheTable(t *testing.T) {
	seen := make(map[string]bool)
	visitGo(t, ".", func(_, dir string, _ []string) { seen[strings.TrimPrefix(dir, "./")] = true })
	for dir := range seen {
		if dir == "." {
			dir = ""
		}
		if _, ok := rooms[dir]; !ok {
			t.Errorf("the room backend/%s is not in the table: say what it may import", dir)
		}
	}
}

func inBackend(dir string) bool { return dir == "backend" || strings.HasPrefix(dir, "backend/") }

func checkRoom(t *testing.T, file, dir, imported string) {
	t.Helper()
	room := strings.TrimPrefix(strings.TrimPrefix(dir, "backend"), "/")
	allowed, ok := rooms[room]
	if ok && !slices.Contains(allowed, imported) {
		t.Errorf("%s imports backend/%s; %q may import only %v", file, imported, room, allowed)
	}
}

func checkHome(t *testing.T, file, dir, imported string) {
	t.Helper()
	for _, home := range homes {
		if (imported == home.prefix || strings.HasPrefix(imported, home.prefix+"/")) && !slices.Contains(home.in, dir) {
			t.Errorf("%s imports %s, whose home is %v: %s", file, imported, home.in, home.why)
		}
	}
}

// visitGo shows every Go file under root with its folder, both slash-separated
// and relative to root, and what it imports.
func visitGo(t *testing.T, root string, visit func(file, dir string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && name != "." && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, name)
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		visit(relative, path.Dir(relative), imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
