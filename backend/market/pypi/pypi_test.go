package pypi

import (
	"archive/zip"
	"bytes"
	"context"
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
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// packageIndex is an index on loopback that sends recorded answers.
type packageIndex struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // by path; ADDRESS is replaced by the address of the server
	asked   []string          // paths, each with the Authorization header
}

func newIndex(t *testing.T, answers map[string]string) *packageIndex {
	t.Helper()
	x := &packageIndex{answers: answers}
	x.Server = httptest.NewServer(http.HandlerFunc(x.serve))
	t.Cleanup(x.Close)
	return x
}

func (x *packageIndex) serve(w http.ResponseWriter, r *http.Request) {
	x.mu.Lock()
	x.asked = append(x.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Authorization")))
	answer, ok := x.answers[r.URL.Path]
	x.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(answer, "<") {
		w.Header().Set("Content-Type", "text/html")
	}
	_, _ = w.Write([]byte(strings.ReplaceAll(answer, "ADDRESS", x.URL)))
}

// source returns a source that uses an index at /simple.
func source(t *testing.T, address string, env ...string) *Source {
	t.Helper()
	all := append(process.Env{
		"HOME=" + t.TempDir(), "PATH=", "PIP_CONFIG_FILE=" + os.DevNull, "UV_NO_CONFIG=1", "UV_DEFAULT_INDEX=" + address + "/simple",
	}, env...)
	return New(Options{Environment: func(context.Context) process.Env { return all }})
}

// document returns the JSON document of a package.
func document(name, version string, more string) string {
	return fmt.Sprintf(`{"info":{"name":%q,"version":%q,"summary":"An MCP server for weather","license":"MIT","requires_python":">=3.10","keywords":"mcp,weather",
		"project_urls":{"Source Code":"https://github.com/x/y.git","Homepage":"https://x.example"},"requires_dist":["mcp>=1.0","httpx ; extra == 'x'"],
		"description":"# Weather\n- `+"`WEATHER_API_KEY`"+` (required): the key\n<!-- mcp-name: io.github.x/weather -->"%s},
		"releases":{"0.1":[{"upload_time_iso_8601":"2025-01-01T00:00:00Z"}]},
		"urls":[{"packagetype":"bdist_wheel","url":"ADDRESS/files/x.whl","size":1000,"upload_time_iso_8601":"2026-02-03T04:05:06.789Z"}]}`,
		name, version, more)
}

// wheel returns a wheel with programs.
func wheel(t *testing.T, programs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("x-1.0.dist-info/entry_points.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte("[other]\nfake = x:y\n[console_scripts]\n; comment\n$(id) = x:y\n" + strings.Join(programs,
		" = x:main\n") + " = x:main\n"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWellKnownServersAreFoundWithoutAnIndex(t *testing.T) {
	s := source(t, "http://127.0.0.1:1")
	for text, want := range map[string]string{
		"postgres": "postgres-mcp", "I need something for databases": "postgres-mcp",
		"time zone": "mcp-server-time", "Jira tickets": "mcp-atlassian", "excel": "excel-mcp-server",
	} {
		found, err := s.Search(t.Context(), text, 50)
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: the error is %v", text, err)
		}
		if !slices.ContainsFunc(found, func(l listing.Listing) bool {
			return l.Name == want && l.Source == listing.PyPI && len(l.Packages) == 1
		}) {
			t.Errorf("%s: got %+v", text, found)
		}
	}
	if found, _ := s.Search(t.Context(), "xyzzy", 50); len(found) != 0 {
		t.Errorf("got %+v", found)
	}
	if found, _ := s.Search(t.Context(), "", 100); len(found) != len(entries) {
		t.Errorf("got %d of %d", len(found), len(entries))
	}
}

func TestTheListIsComplete(t *testing.T) {
	if len(entries) < 40 || len(curated) != len(entries) {
		t.Errorf("the list has %d entries, %d of them distinct", len(entries), len(curated))
	}
	for _, e := range entries {
		l, ok := curated[Normalize(e.name)]
		if !ok || !isName(e.name) || e.title == "" || len(e.purpose) < 15 || len(e.purpose) > 100 ||
			strings.ContainsAny(e.purpose, "\n.") {
			t.Errorf("%s: %+v", e.name, e)
		}
		for _, f := range l.Packages[0].Env {
			if f.Description == "" || f.Value != "" || f.From != "" {
				t.Errorf("%s: %+v", e.name, f)
			}
		}
		for _, a := range l.Packages[0].Arguments {
			if a.Value == "" && (a.Description == "" || !a.Named && a.Hint == "") {
				t.Errorf("%s: %+v", e.name, a)
			}
		}
	}
}

func TestSearchAddsWhatTheIndexKnowsAndRemembersIt(t *testing.T) {
	x := newIndex(t, map[string]string{"/pypi/postgres-mcp/json": document("postgres-mcp", "0.3.0", "")})
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := source(t, x.URL)
	s.options.Now = func() time.Time { return now }
	for range 2 {
		found, err := s.Search(t.Context(), "postgres", 1)
		if err != nil || len(found) != 1 {
			t.Fatalf("got %+v, %v", found, err)
		}
		l := found[0]
		if l.Version != "0.3.0" || l.License != "MIT" || l.Repository != "https://github.com/x/y" || l.Published.Year() != 2025 ||
			l.Updated.Year() != 2026 ||
			l.Packages[0].Version != "0.3.0" || l.Packages[0].Requires != ">=3.10" || l.Packages[0].Env[0].Name != "DATABASE_URI" ||
			!strings.Contains(l.Description, "PostgreSQL") {
			t.Errorf("got %+v", l)
		}
	}
	if len(x.asked) != 1 {
		t.Errorf("the index was asked %q", x.asked)
	}
	if curated["postgres-mcp"].Packages[0].Version != "" {
		t.Error("the list has changed")
	}
	now = now.Add(2 * currentFor)
	if _, err := s.Search(t.Context(), "postgres", 1); err != nil || len(x.asked) != 2 {
		t.Errorf("later, the index was asked %q, %v", x.asked, err)
	}
}

func TestAnExactNameIsLookedUp(t *testing.T) {
	x := newIndex(t, map[string]string{
		"/pypi/weather-mcp/json": document("Weather_MCP", "1.0", ""),
		"/pypi/qqq-zzz/json":     `{"info":{"name":"qqq-zzz","version":"1.0","summary":"x"}}`,
		"/pypi/qqq-www/json":     document("evil", "1.0", ""),
	})
	s := source(t, x.URL)
	if found, err := s.Search(t.Context(), "Weather.mcp", 5); err != nil || len(found) != 1 || found[0].ID() != "pypi:weather-mcp" ||
		found[0].Packages[0].Env[0].From != listing.FromReadme {
		t.Errorf("got %+v, %v", found, err)
	}
	for name, kind := range map[string]fault.Kind{"qqq-zzz": fault.Internal, "qqq-www": fault.Failed, "qqq-yyy": fault.Internal} {
		if found, err := s.Search(t.Context(), name, 5); len(found) != 0 || fault.KindOf(err) != kind {
			t.Errorf("%s: got %+v, %v", name, found, err)
		}
	}
}

func TestGetFindsTheProgramToStart(t *testing.T) {
	for want, programs := range map[string][]string{
		"": {"weather-mcp", "other"}, "weather": {"weather"}, "run_mcp": {"run_mcp", "convert"}, "none": {"a", "b"},
	} {
		x := newIndex(t, map[string]string{
			"/pypi/weather-mcp/json": document("weather-mcp", "1.0", ""), "/files/x.whl": wheel(t, programs...),
		})
		d, err := source(t, x.URL).Get(t.Context(), "weather-mcp")
		if err != nil || !d.Server || d.License != "MIT" || !strings.HasPrefix(d.Readme, "# Weather") ||
			!slices.Contains(d.Signs, "declares the registry name io.github.x/weather") {
			t.Fatalf("got %+v, %v", d, err)
		}
		if want == "none" {
			if len(d.Packages) != 0 {
				t.Errorf("%q: got %+v", programs, d.Packages)
			}
			continue
		}
		if p := d.Packages[0]; p.Program != want || p.Identifier != "weather-mcp" || p.Version != "1.0" || !p.Env[0].Required ||
			!p.Env[0].Secret {
			t.Errorf("%q: got %+v", programs, p)
		}
	}
}

func TestAYankedVersionIsDeprecated(t *testing.T) {
	x := newIndex(t, map[string]string{
		"/pypi/weather-mcp/json": document("weather-mcp", "1.0", `,"yanked":true,"yanked_reason":"Leaks keys"`),
	})
	if d, err := source(t, x.URL).Get(t.Context(), "weather-mcp"); err != nil || d.Status != listing.Deprecated ||
		d.Message != "Leaks keys" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestTheSimpleIndexIsReadWhereThereIsNoDocument(t *testing.T) {
	const page = `{"meta":{"api-version":"1.1"},"name":"weather-mcp","files":[
		{"filename":"weather_mcp-0.9.0-py3-none-any.whl","url":"../../files/old.whl","yanked":false},
		{"filename":"weather_mcp-0.10.0-py3-none-any.whl","url":"../../files/new.whl#sha256=x","requires-python":">=3.11","upload-time":"2026-01-02T03:04:05Z","core-metadata":{"sha256":"x"},"size":10},
		{"filename":"weather_mcp-1.0.0rc1-py3-none-any.whl","url":"x"},
		{"filename":"weather_mcp-2.0.0-py3-none-any.whl","url":"x","yanked":"broken"},
		{"filename":"evil-9.0.0-py3-none-any.whl","url":"x"},{"filename":"weather_mcp-9;id-py3-none-any.whl","url":"x"},{"filename":7}]}`
	const metadata = "Metadata-Version: 2.4\nName: weather-mcp\nVersion: 0.10.0\nSummary: An MCP server\nLicense-Expression: Apache-2.0\nRequires-Dist: mcp>=1\nProject-URL: Repository, https://github.com/x/y\n\n# Readme\n"
	x := newIndex(t, map[string]string{
		"/corp/simple/weather-mcp/": page, "/corp/files/new.whl.metadata": metadata, "/flat/weather-mcp/": page,
	})
	s := source(t, x.URL, "UV_DEFAULT_INDEX="+x.URL+"/corp/simple/")
	d, err := s.Get(t.Context(), "weather-mcp")
	if err != nil || d.Version != "0.10.0" || d.License != "Apache-2.0" || d.Repository != "https://github.com/x/y" ||
		d.Packages[0].Requires != ">=3.11" || d.Updated.Year() != 2026 || !strings.Contains(d.Readme, "# Readme") || !d.Server {
		t.Errorf("got %+v, %v", d, err)
	}
	if d, err = source(t, x.URL, "UV_DEFAULT_INDEX="+x.URL+"/flat").Get(t.Context(), "weather-mcp"); err != nil || d.Version != "0.10.0" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestAVersionIsResolved(t *testing.T) {
	x := newIndex(t, map[string]string{
		"/pypi/weather-mcp/json": document("weather-mcp", "2.0", ""), "/pypi/weather-mcp/1.0/json": document("weather-mcp", "1.0",
			`,"yanked":true`),
		"/pypi/weather-mcp/3.0/json": document("weather-mcp", "2.0", ""), "/files/x.whl": wheel(t, "weather"),
		"/flat/weather-mcp/": `{"files":[{"filename":"weather_mcp-1.0.tar.gz","url":"x"},{"filename":"weather_mcp-2.0.tar.gz","url":"x"}]}`,
	})
	s := source(t, x.URL)
	for version, want := range map[string]string{"": "2.0", "latest": "2.0", "1.0": "1.0"} {
		got, err := s.Release(t.Context(), "weather-mcp", version)
		if err != nil || got.Version != want || got.Program != "weather" || got.Requires != ">=3.10" ||
			(got.Deprecated != "") != (want == "1.0") {
			t.Errorf("%q: got %+v, %v", version, got, err)
		}
	}
	for version, kind := range map[string]fault.Kind{
		"9.9": fault.NotFound, "3.0": fault.Failed, "1.0; id": fault.Invalid, "../x": fault.Invalid, ">=1": fault.Invalid,
	} {
		if got, err := s.Release(t.Context(), "weather-mcp", version); fault.KindOf(err) != kind {
			t.Errorf("%q: got %+v, %v", version, got, err)
		}
	}
	if got, err := source(t, x.URL, "UV_DEFAULT_INDEX="+x.URL+"/flat").Release(t.Context(), "weather-mcp", "1.0"); err != nil ||
		got.Version != "1.0" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := source(t, "", "UV_DEFAULT_INDEX=https://user:pass@pypi.example/simple/").Index(t.Context()); err != nil ||
		got != "https://pypi.example/simple" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAVersionHasAnOrigin(t *testing.T) {
	about := `,"author":"Carol"},"ownership":{"organization":"Acme","roles":[{"role":"Owner","user":"alice"},{"role":"Maintainer","user":"bob"}]},
		"vulnerabilities":[{"id":"PYSEC-1"},{"id":"PYSEC-2","withdrawn":"2026-01-01T00:00:00Z"}],"old":{`
	x := newIndex(t, map[string]string{
		"/pypi/x-mcp/1.0/json": strings.Replace(document("x-mcp", "1.0", about), `"releases"`, `"none"`, 1),
		"/pypi/x-mcp/json":     document("x-mcp", "2.0", ""),
	})
	got, err := source(t, x.URL).Origin(t.Context(), "x-mcp", "1.0")
	if err != nil || got.Published.Year() != 2026 || got.First.Year() != 2025 || strings.Join(got.Publishers, " ") != "Acme alice bob" ||
		got.Author != "Carol" || strings.Join(got.Known, " ") != "PYSEC-1" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := source(t, x.URL).Origin(t.Context(), "x-mcp", "9.0"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a missing version: %v", err)
	}
}

func TestBadAnswersOfAnIndexAreErrors(t *testing.T) {
	for name, answer := range map[string]string{
		"a page": "<html>", "broken JSON": `{"info":`, "a list": `[]`, "nothing": `{}`, "wrong types": `{"info":7,"urls":{}}`,
		"a bad version": document("weather-mcp", "1.0; id", ""),
	} {
		x := newIndex(t, map[string]string{"/pypi/weather-mcp/json": answer, "/simple/weather-mcp/": answer})
		if _, err := source(t, x.URL).Get(t.Context(), "weather-mcp"); fault.KindOf(err) != fault.Failed {
			t.Errorf("%s: got %v", name, err)
		}
	}
	x := newIndex(t, nil)
	if _, err := source(t, x.URL).Get(t.Context(), "weather-mcp"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("missing: got %v", err)
	}
}

func TestHostileNamesAreRefused(t *testing.T) {
	x := newIndex(t, nil)
	s := source(t, x.URL)
	for _, name := range []string{
		"a;rm -rf ~", "$(id)-mcp", "../mcp-x", "..", "a b-c", "mcp-ü", "-mcp", "a/b-c", "mcp-x\u202e", "", strings.Repeat("a-", 150),
	} {
		if _, err := s.Get(t.Context(), name); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if len(x.asked) != 0 {
		t.Errorf("the index was asked %q", x.asked)
	}
}

func TestIndexesAreAskedInTurnWithTheirCredentials(t *testing.T) {
	other := newIndex(t, nil)
	x := newIndex(t, map[string]string{"/pypi/weather-mcp/json": document("weather-mcp", "1.0", "")})
	s := source(t, "", "UV_INDEX=corp="+other.URL+"/simple", "UV_INDEX_CORP_USERNAME=me", "UV_INDEX_CORP_PASSWORD=s3cr3t",
		"UV_DEFAULT_INDEX="+strings.Replace(x.URL, "//", "//user:pass@", 1)+"/simple")
	d, err := s.Get(t.Context(), "weather-mcp")
	if err != nil || d.Version != "1.0" {
		t.Fatalf("got %+v, %v", d, err)
	}
	if want := basic("me", "s3cr3t"); len(other.asked) == 0 || !strings.HasSuffix(other.asked[0], want) {
		t.Errorf("the first index was asked %q", other.asked)
	}
	if want := "/pypi/weather-mcp/json " + basic("user", "pass"); x.asked[0] != want {
		t.Errorf("the second index was asked %q, want %q", x.asked, want)
	}
	x.answers = nil
	if _, err := s.Get(t.Context(), "weather-mcp"); err == nil || strings.Contains(err.Error(), "pass") ||
		strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("got %v", err)
	}
}

func TestWithoutASettingUVIsAskedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for uvx is a shell script")
	}
	x := newIndex(t, map[string]string{"/pypi/weather-mcp/json": document("weather-mcp", "1.0", "")})
	bin := t.TempDir()
	script := "#!/bin/sh\necho x >> " + bin +
		"/calls\ncat <<'END'\n  --default-index <DEFAULT_INDEX>\n    The default package index (by\n    default: <" + x.URL +
		"/simple>) [env: UV_DEFAULT_INDEX]\nEND\n"
	if err := os.WriteFile(filepath.Join(bin, "uvx"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := source(t, "", "UV_DEFAULT_INDEX=", "PATH="+bin+":/bin:/usr/bin")
	for range 2 {
		if d, err := s.Get(t.Context(), "weather-mcp"); err != nil || d.Version != "1.0" {
			t.Fatalf("got %+v, %v", d, err)
		}
	}
	if calls, _ := os.ReadFile(filepath.Join(bin, "calls")); string(calls) != "x\n" {
		t.Errorf("uvx was started: %q", calls)
	}
	if _, err := source(t, "", "UV_DEFAULT_INDEX=").Get(t.Context(), "weather-mcp"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without uv and pip: got %v", err)
	}
}
