package npm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// registry is a registry on loopback that sends recorded answers.
type registry struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // by path, or by the text of a search
	asked   []string          // paths and texts, each with the Authorization header
}

func newRegistry(t *testing.T, answers map[string]string) *registry {
	t.Helper()
	r := &registry{answers: answers}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *registry) serve(w http.ResponseWriter, q *http.Request) {
	key := q.URL.EscapedPath()
	if key == "/-/v1/search" {
		key = q.URL.Query().Get("text")
	}
	r.mu.Lock()
	r.asked = append(r.asked, key+" "+q.Header.Get("Authorization"))
	answer, ok := r.answers[key]
	r.mu.Unlock()
	if !ok {
		http.Error(w, `{"error":"Not found"}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(answer))
}

// source returns a source for a home folder with an .npmrc.
func source(t *testing.T, npmrc string, env ...string) *Source {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte(npmrc), 0o600); err != nil {
		t.Fatal(err)
	}
	all := append(process.Env{"HOME=" + home, "USERPROFILE=" + home, "PATH="}, env...)
	return New(Options{Environment: func(context.Context) process.Env { return all }})
}

// result returns a result of a search in the form of npm's registry.
func result(name, description string, keywords ...string) string {
	words, _ := json.Marshal(keywords)
	return fmt.Sprintf(`{"package":{"name":%q,"version":"1.2.3","description":%q,"keywords":%s,"date":"2026-05-06T07:08:09.123Z","license":"MIT",
		"links":{"npm":"https://npm.example/x","homepage":"https://x.example","repository":"git+https://github.com/x/y.git"},"publisher":{"username":"x"}},
		"downloads":{"monthly":4000,"weekly":1000},"score":{"final":0.5},"searchScore":1.5,"flags":{"insecure":0}}`, name,
		description, words)
}

func results(all ...string) string {
	return `{"objects":[` + strings.Join(all, ",") + `],"total":9,"time":"now"}`
}

func names(all []listing.Listing) string {
	var out []string
	for _, l := range all {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

func TestSearchAsksByKeywordAndByWordAndMerges(t *testing.T) {
	r := newRegistry(t, map[string]string{
		"postgres keywords:mcp-server": results(result("pg-server", "Postgres", "mcp-server"), result("@x/mcp-pg", "An MCP server")),
		"postgres keywords:mcp":        results(result("@x/mcp-pg", "An MCP server"), result("postgres-driver", "A driver")),
		"postgres mcp": results(result("mcp-server-postgres", "Postgres"),
			`{"package":null}`, `7`, result("pg-mcp-client", "A client")),
	})
	found, err := source(t, "registry="+r.URL+"/").Search(t.Context(), "  postgres ", 10)
	if err != nil || names(found) != "pg-server @x/mcp-pg mcp-server-postgres @supabase/mcp-server-supabase" {
		t.Fatalf("got %q, %v", names(found), err)
	}
	l := found[0]
	if l.ID() != "npm:pg-server" || l.Version != "1.2.3" || l.License != "MIT" || l.Repository != "https://github.com/x/y" ||
		l.Website != "https://x.example" ||
		l.Downloads != 4000 || l.Updated.Year() != 2026 || l.Status != listing.Active || l.Verified {
		t.Errorf("got %+v", l)
	}
	if p := l.Packages[0]; len(l.Packages) != 1 || p.Kind != listing.KindNPM || p.Identifier != "pg-server" || p.Version != "1.2.3" ||
		p.Runtime != "npx" || p.Transport.Type != "stdio" {
		t.Errorf("got %+v", l.Packages)
	}
	if found, err = source(t, "registry="+r.URL).Search(t.Context(), "postgres", 2); err != nil || len(found) != 2 {
		t.Errorf("with a limit: %q, %v", names(found), err)
	}
}

func TestTheExactNameOfAPackageIsLookedUp(t *testing.T) {
	r := newRegistry(t, map[string]string{
		"/@corp%2Ftool/latest": `{"name":"@corp/tool","version":"2.0.0","bin":{"tool":"x.js"},"keywords":["mcp-server"],"deprecated":"Use @corp/new"}`,
		"/nil-one/latest":      `{"name":"nil-one","version":"2.0.0","bin":"x.js"}`,
		"/other-name/latest":   `{"name":"evil","version":"2.0.0","bin":"x.js","keywords":["mcp-server"]}`,
		"nil-one mcp":          results(), "other-name mcp": results(),
	})
	s := source(t, "registry=http://127.0.0.1:1\n@corp:registry="+r.URL+"\n")
	found, err := s.Search(t.Context(), "@corp/tool", 10)
	if err != nil || names(found) != "@corp/tool" || found[0].Status != listing.Deprecated || found[0].Message != "Use @corp/new" {
		t.Errorf("got %+v, %v", found, err)
	}
	s = source(t, "registry="+r.URL)
	for _, name := range []string{"nil-one", "other-name"} {
		if found, err := s.Search(t.Context(), name, 10); err != nil || len(found) != 0 {
			t.Errorf("%s: got %q, %v", name, names(found), err)
		}
	}
}

func TestHostileNamesAndVersionsAreLeftOut(t *testing.T) {
	hostile := []string{
		"a;rm -rf ~", "$(id)-mcp-server", "`id`", "../mcp-server", "..", "mcp server", "@a/../b", "@a/b/c", "мcp-server",
		"mcp-server\u202e", "-mcp-server", "--registry=x", "@a/-mcp", ".mcp", "a|b", "a\nb", strings.Repeat("a", 215), "",
	}
	var all []string
	for _, name := range hostile {
		if ValidName(name) {
			t.Errorf("%q is valid", name)
		}
		all = append(all, result(name, "An MCP server", "mcp-server"))
	}
	all = append(all, strings.Replace(result("bad-version", "x", "mcp-server"), "1.2.3", "1.2.3; id", 1),
		strings.Replace(result("git-version", "x", "mcp-server"), "1.2.3", "git+ssh://x", 1), result("good-one", "x", "mcp-server"))
	r := newRegistry(t, map[string]string{"keywords:mcp-server": results(all...), "keywords:mcp": results()})
	s := source(t, "registry="+r.URL)
	if found, err := s.Search(t.Context(), "", 100); err != nil || names(found) != "good-one" {
		t.Errorf("got %q, %v", names(found), err)
	}
	for _, name := range hostile {
		if _, err := s.Get(t.Context(), name); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v", name, err)
		}
	}
	for _, path := range r.asked {
		if !strings.HasPrefix(path, "keywords:") {
			t.Errorf("the registry was asked for %q", path)
		}
	}
}

// document is the whole document of a package.
const document = `{"name":"@x/mcp-pg","dist-tags":{"latest":"2.0.0","beta":"3.0.0-beta.1"},
	"versions":{"1.0.0":{"name":"@x/mcp-pg","version":"1.0.0"},
		"2.0.0":{"name":"@x/mcp-pg","version":"2.0.0","description":"Postgres","license":{"type":"MIT"},"repository":{"type":"git","url":"git+ssh://git@github.com/x/y.git"},"homepage":"javascript:alert(1)",
			"bin":{"mcp-pg":"dist/x.js"},"engines":{"node":">=18"},"dependencies":{"@modelcontextprotocol/sdk":"^1.0.0"},"keywords":["mcp"],"mcpName":"io.github.x/pg","dist":{"integrity":"sha512-x"}}},
	"time":{"1.0.0":"2025-01-02T03:04:05.000Z","modified":"2026-01-02T03:04:05.000Z","2.0.0":"2025-06-07T08:09:10.000Z"},
	"readme":"# Postgres\n| Variable | Required | Description |\n|---|---|---|\n| PG_PASSWORD | yes | The password |\n"}`

func TestGetReadsTheWholeDocument(t *testing.T) {
	r := newRegistry(t, map[string]string{"/@x%2Fmcp-pg": document})
	d, err := source(t, "registry="+r.URL).Get(t.Context(), "@x/mcp-pg")
	if err != nil {
		t.Fatal(err)
	}
	if d.Version != "2.0.0" || d.License != "MIT" || d.Repository != "https://github.com/x/y" || d.Website != "" ||
		d.Published.Year() != 2025 ||
		d.Updated.Month() != 6 || !d.Server || len(d.Signs) < 3 || !strings.Contains(d.Readme, "# Postgres") || len(d.Packages) != 1 {
		t.Errorf("got %+v", d)
	}
	p := d.Packages[0]
	if p.Requires != ">=18" || len(p.Env) != 1 || p.Env[0].Name != "PG_PASSWORD" || !p.Env[0].Required || !p.Env[0].Secret ||
		p.Env[0].From != listing.FromReadme {
		t.Errorf("got %+v", p)
	}
}

func TestAVersionIsResolved(t *testing.T) {
	r := newRegistry(t, map[string]string{
		"/@x%2Fmcp-pg": document,
		"/many": `{"name":"many","dist-tags":{"latest":"2.0.0","next":"3.0.0-rc.1","odd":"../x"},"versions":{"1.2.0":{},"1.10.0":{},"1.11.0-beta.1":{},"10.0.0":{},
			"2.0.0":{"deprecated":true,"bin":{"many-mcp":"a","tool":"b"}},"3.0.0-rc.1":{}}}`,
		"/gone":     `{"name":"gone","time":{"unpublished":{}}}`,
		"/untagged": `{"name":"untagged","versions":{"1.0.0":{}}}`,
	})
	s := source(t, "registry="+r.URL)
	if got, err := s.Release(t.Context(), "@x/mcp-pg", ""); err != nil || got != (listing.Release{Version: "2.0.0", Requires: ">=18"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for wanted, want := range map[string]string{
		"": "2.0.0", "latest": "2.0.0", "next": "3.0.0-rc.1", "1.x": "1.10.0", "1.2.X": "1.2.0", "1.x.x": "1.10.0", "1.2.0": "1.2.0",
	} {
		if got, err := s.Release(t.Context(), "many", wanted); err != nil || got.Version != want {
			t.Errorf("%q: got %+v, %v", wanted, got, err)
		}
	}
	if got, err := s.Release(t.Context(), "many", ""); err != nil || got.Deprecated == "" || got.Program != "many-mcp" {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, wanted := range map[string]string{"gone": "", "untagged": "", "missing": "", "many": "odd", "@x/mcp-pg": "^1.0.0"} {
		if got, err := s.Release(t.Context(), name, wanted); fault.KindOf(err) != fault.NotFound ||
			wanted != "" && !strings.Contains(fault.MessageOf(err), "no version "+wanted) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	if got, err := source(t, "@x:registry=https://user:pass@npm.example/x/\nregistry=https://npm.example").Registry(t.Context(),
		"@x/y"); err != nil || got != "https://npm.example/x" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAVersionHasAnOrigin(t *testing.T) {
	const owners = `"maintainers":[{"name":"alice","email":"a@x.example"},{"name":""},{"name":"bob"}]`
	r := newRegistry(t, map[string]string{
		"/x-mcp": `{"name":"x-mcp",` + owners + `,"time":{"created":"2025-01-02T03:04:05Z","1.0.0":"2025-01-02T03:04:05Z",
			"2.0.0":"2026-01-02T03:04:05.678Z"},"versions":{"2.0.0":{"name":"x-mcp","version":"2.0.0","deprecated":"old",
			"author":{"name":"Carol"}}}}`,
		"/bare": `{"name":"bare","versions":{"1.0.0":{"name":"bare","version":"1.0.0",` + owners + `,"author":"Carol <c@x.example>"}}}`,
		"/huge": `{"name":"huge","readme":"` + strings.Repeat("x", maxDocument) + `"}`, "/huge/1.0.0": `{"name":"huge","version":"1.0.0",` +
			owners + `}`,
		"/built/1.0.0": `{"name":"built","version":"1.0.0","scripts":{"postinstall":"c","install":"b","preinstall":"a","test":"d"}}`,
		"/gyp/1.0.0":   `{"name":"gyp","version":"1.0.0","gypfile":true,"scripts":{"postinstall":"c"}}`,
		"/other/1.0.0": `{"name":"another","version":"1.0.0","scripts":{"install":"b"}}`,
	})
	s := source(t, "registry="+r.URL)
	got, err := s.Origin(t.Context(), "x-mcp", "2.0.0")
	if err != nil || got.Published.Year() != 2026 || got.First.Year() != 2025 || strings.Join(got.Publishers, " ") != "alice bob" ||
		got.Author != "Carol" || got.Deprecated != "old" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, name := range []string{"bare", "huge"} {
		got, err := s.Origin(t.Context(), name, "1.0.0")
		if err != nil || strings.Join(got.Publishers, " ") != "alice bob" || !got.Published.IsZero() ||
			name == "bare" && got.Author != "Carol" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	if _, err := s.Origin(t.Context(), "x-mcp", "3.0.0"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing version: %v", err)
	}
	for name, want := range map[string]string{"built": "a, b, c", "gyp": "node-gyp rebuild, c", "other": "", "absent": ""} {
		got, err := s.InstallScripts(t.Context(), name, "1.0.0")
		if strings.Join(got, ", ") != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestAPackageWithoutAProgramCannotBeStarted(t *testing.T) {
	const manifest = `{"name":"x-mcp","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"x-mcp","version":"1.0.0","keywords":["mcp-server"],"bin":%s}}}`
	for bin, want := range map[string]bool{
		`"x.js"`: true, `{"other":"x.js"}`: true, `{"a":"x.js","x-mcp":"y.js"}`: true, `{"a":"x.js","b":"x.js"}`: true,
		`{"a":"x.js","run-mcp":"y.js"}`: true, `{"a":"x.js","b":"y.js"}`: false, `{}`: false, `null`: false, `7`: false, `["x"]`: false,
	} {
		r := newRegistry(t, map[string]string{"/x-mcp": fmt.Sprintf(manifest, bin)})
		d, err := source(t, "registry="+r.URL).Get(t.Context(), "x-mcp")
		if err != nil || (len(d.Packages) == 1) != want {
			t.Errorf("%s: got %+v, %v", bin, d.Packages, err)
		}
	}
}

func TestADocumentThatIsTooLargeIsReplacedByTheLatestVersion(t *testing.T) {
	r := newRegistry(t, map[string]string{
		"/big-mcp":        `{"x":"` + strings.Repeat("x", maxDocument) + `"}`,
		"/big-mcp/latest": `{"name":"big-mcp","version":"1.0.0","bin":"x","keywords":["mcp-server"]}`,
	})
	if d, err := source(t, "registry="+r.URL).Get(t.Context(), "big-mcp"); err != nil || d.Version != "1.0.0" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestBadAnswersOfARegistryAreErrors(t *testing.T) {
	for name, answer := range map[string]string{
		"broken JSON": `{"objects":[`, "a list": `[]`, "another type": `{"objects":{"a":1}}`, "an error": `{"error":"x"}`,
		"a page": "<!DOCTYPE html><html>", "null": `null`, "too large": strings.Repeat(" ", maxSearch+1),
	} {
		r := newRegistry(t, map[string]string{"x keywords:mcp-server": answer, "x keywords:mcp": answer, "x mcp": answer})
		found, err := source(t, "registry="+r.URL).Search(t.Context(), "x", 10)
		if name == "another type" {
			if err != nil || len(found) != 0 {
				t.Errorf("%s: got %v, %v", name, found, err)
			}
			continue
		}
		if fault.KindOf(err) != fault.Failed {
			t.Errorf("%s: got %v", name, err)
		}
	}
	r := newRegistry(t, nil)
	if _, err := source(t, "registry="+r.URL).Search(t.Context(), "x", 10); !strings.Contains(fault.MessageOf(err), "offers no search") {
		t.Errorf("without a search: got %v", err)
	}
	r.answers = map[string]string{"x mcp": results(result("mcp-server-x", "x"))}
	if found, err := source(t, "registry="+r.URL).Search(t.Context(), "x", 10); err != nil || len(found) != 1 {
		t.Errorf("with one of three queries: got %v, %v", found, err)
	}
}

func TestAnUnreachableRegistryIsUnavailable(t *testing.T) {
	r := newRegistry(t, nil)
	r.Close()
	if _, err := source(t, "registry="+r.URL).Search(t.Context(), "x", 10); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestWithoutASettingNPMIsAskedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for npm is a shell script")
	}
	r := newRegistry(t, map[string]string{"keywords:mcp-server": results(), "keywords:mcp": results()})
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$*\" >> " + bin + "/calls\necho warn: something\necho " + r.URL + "/\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := source(t, "", "PATH="+bin+":/bin:/usr/bin")
	for range 3 {
		if _, err := s.Search(t.Context(), "", 10); err != nil {
			t.Fatal(err)
		}
	}
	if calls, _ := os.ReadFile(filepath.Join(bin, "calls")); string(calls) != "config get registry\n" {
		t.Errorf("npm was started with %q", calls)
	}
	if _, err := source(t, "").Search(t.Context(), "", 10); fault.KindOf(err) != fault.Unavailable ||
		!strings.Contains(fault.MessageOf(err), "install Node.js") {
		t.Errorf("without npm: got %v", err)
	}
}

func TestCredentialsAreSentOnlyToTheirRegistryAndNeverShown(t *testing.T) {
	r := newRegistry(t, map[string]string{"keywords:mcp-server": results(), "keywords:mcp": results()})
	host := strings.TrimPrefix(r.URL, "http:")
	if _, err := source(t, "registry="+r.URL+"\n"+host+"/:_authToken=${TOKEN}\n//other.example/:_authToken=wrong\n",
		"TOKEN=s3cr3t-value").Search(t.Context(), "", 10); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.asked, "keywords:mcp Bearer s3cr3t-value") {
		t.Errorf("the registry was asked %q", r.asked)
	}
	r.answers = nil
	_, err := source(t, "registry="+r.URL+"\n"+host+"/:_authToken=s3cr3t-value\n").Get(t.Context(), "x")
	if err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("got %v", err)
	}
}

func TestWellKnownServersAreFoundWhereNPMCannotSearch(t *testing.T) {
	r := newRegistry(t, map[string]string{}) // a registry that offers no search
	for text, want := range map[string]string{
		"filesystem": "@modelcontextprotocol/server-filesystem", "memory": "@modelcontextprotocol/server-memory",
		"github": "@modelcontextprotocol/server-github", "playwright": "@playwright/mcp", "Notion pages": "@notionhq/notion-mcp-server",
	} {
		found, err := source(t, "registry="+r.URL).Search(t.Context(), text, 10)
		if err == nil || len(found) == 0 || found[0].Name != want || found[0].Packages[0].Identifier != want {
			t.Errorf("%s: got %q, %v", text, names(found), err)
		}
	}
	if found, err := source(t, "registry="+r.URL).Search(t.Context(), "", 10); err == nil || len(found) > 0 {
		t.Errorf("an empty text: got %q, %v", names(found), err)
	}
}

func TestWellKnownServersAreListedOnceAndAfterWhatNPMFinds(t *testing.T) {
	r := newRegistry(t, map[string]string{
		"memory keywords:mcp": results(result("memory-mcp", "Memory", "mcp"),
			result("@modelcontextprotocol/server-memory", "Memory", "mcp")),
	})
	found, err := source(t, "registry="+r.URL).Search(t.Context(), "memory", 10)
	if err != nil || names(found) != "memory-mcp @modelcontextprotocol/server-memory" || found[1].Version != "1.2.3" {
		t.Errorf("got %q, %v", names(found), err)
	}
	for _, l := range curated {
		if !ValidName(l.Name) || l.Title == "" || l.Description == "" {
			t.Errorf("%+v is incomplete", l)
		}
	}
}
