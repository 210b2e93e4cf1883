package official

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// serve starts a registry that answers with a handler, and returns a client for it.
func serve(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return New(Options{URL: server.URL})
}

// text returns a handler that answers with a status, a content type and a body.
func text(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

// recorded returns a client for a registry that sends recorded answers.
func recorded(t *testing.T) *Client {
	t.Helper()
	folder := reference.Path(t, "registry/recorded")
	files := map[string]string{
		"/v0.1/servers?limit=2": "v01-limit2", "/v0.1/servers?limit=100": "v01-servers",
		"/v0.1/servers?limit=100&version=latest":                                                       "v01-latest",
		"/v0.1/servers?cursor=io.github.domdomegg%2Fairtable-mcp-server%3A1.7.3&limit=2":               "v01-limit2-page2",
		"/v0.1/servers?cursor=nonsense&limit=100":                                                      "v01-bad-cursor",
		"/v0.1/servers?limit=20&search=airtable&version=latest":                                        "v01-search",
		"/v0.1/servers?limit=20&search=nothing&version=latest":                                         "v01-search-none",
		"/v0.1/servers?limit=100&updated_since=2026-11-20T00%3A00%3A00Z":                               "v01-updated-since",
		"/v0.1/servers?include_deleted=true&limit=100":                                                 "v01-include-deleted",
		"/v0.1/servers/io.github.domdomegg%2Fairtable-mcp-server/versions/latest?include_deleted=true": "v01-versions-latest",
		"/v0.1/servers/io.github.domdomegg%2Fairtable-mcp-server/versions/1.7.2?include_deleted=true":  "v01-versions-172",

		"/v0.1/servers/io.github.domdomegg%2Fairtable-mcp-server/versions/9.9.9+build%2F%3B$%28%29?include_deleted=true": "v01-server-404",
	}
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		name, ok := files[r.RequestURI]
		if !ok {
			t.Errorf("unexpected request %s", r.RequestURI)
		}
		body, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err != nil {
			t.Error(err)
		}
		status := http.StatusOK
		if strings.HasSuffix(name, "404") {
			status = http.StatusNotFound
		}
		text(status, "application/json", string(body))(w, r)
	})
}

func names(entries []Entry) string {
	var out []string
	for _, e := range entries {
		_, last, _ := strings.Cut(e.Name, "/")
		mark := ""
		if e.Latest {
			mark = "*"
		}
		out = append(out, last+"@"+e.Version+mark)
	}
	return strings.Join(out, " ")
}

func TestRecordedAnswersAreRead(t *testing.T) {
	c := recorded(t)
	const all = "airtable-mcp-server@1.7.2 airtable-mcp-server@1.7.3* time-mcp-nuget@1.0.8* time-mcp-pypi@1.0.6*"
	for _, test := range []struct {
		query Query
		want  string
	}{
		{Query{}, all},
		{Query{Latest: true}, "airtable-mcp-server@1.7.3* time-mcp-nuget@1.0.8* time-mcp-pypi@1.0.6*"},
		{Query{Limit: 2}, "airtable-mcp-server@1.7.2 airtable-mcp-server@1.7.3*"},
		{Query{Limit: 2, Cursor: "io.github.domdomegg/airtable-mcp-server:1.7.3"}, "time-mcp-nuget@1.0.8* time-mcp-pypi@1.0.6*"},
		{Query{Cursor: "nonsense"}, all}, // the registry ignores it and sends the first page
		{Query{Since: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}, all},
		{Query{Deleted: true}, all},
	} {
		page, err := c.List(t.Context(), test.query)
		if err != nil || names(page.Entries) != test.want || page.Skipped != 0 {
			t.Errorf("%+v: %s, %d skipped, %v, want %s", test.query, names(page.Entries), page.Skipped, err, test.want)
		}
		if page.Date.IsZero() || (page.Next != "") != (test.query.Limit == 2) {
			t.Errorf("%+v: date %s, next %q", test.query, page.Date, page.Next)
		}
	}
	for _, version := range []string{LatestVersion, "1.7.2"} {
		if e, err := c.Version(t.Context(), "io.github.domdomegg/airtable-mcp-server", version); err != nil || e.Version == "" ||
			e.Latest != (version == LatestVersion) {
			t.Errorf("%s: got %+v, %v", version, e, err)
		}
	}
	if found, err := c.Search(t.Context(), "an Airtable", 20); err != nil || len(found) != 1 || found[0].Version != "1.7.3" {
		t.Errorf("search: got %v, %v", found, err)
	}
	if found, err := c.Search(t.Context(), "nothing", 20); err != nil || len(found) != 0 {
		t.Errorf("search for nothing: got %v, %v", found, err)
	}
	_, err := c.Version(t.Context(), "io.github.domdomegg/airtable-mcp-server", "9.9.9+build/;$()")
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(fault.MessageOf(err), "9.9.9") {
		t.Errorf("a version that does not exist: %v", err)
	}
}

func TestAnEntryBecomesAListing(t *testing.T) {
	page, err := recorded(t).List(t.Context(), Query{Latest: true})
	if err != nil {
		t.Fatal(err)
	}

	at := page.Entries[0].Published
	want := listing.Listing{
		Source: "official", Name: "io.github.domdomegg/airtable-mcp-server", Version: "1.7.3",
		Description: "Read and write access to Airtable database schemas, tables, and records.",
		Repository:  "https://github.com/domdomegg/airtable-mcp-server.git", Published: at, Updated: at, Status: listing.Active,
		Verified: true, Packages: []listing.Package{
			{Kind: "npm", Identifier: "airtable-mcp-server", Version: "1.7.3", Runtime: "npx", Transport: listing.Remote{Type: "stdio"}},
			{
				Kind: "oci", Identifier: "docker.io/domdomegg/airtable-mcp-server:1.7.3",
				Runtime: "docker", Transport: listing.Remote{Type: "stdio"},
			},
			{
				Kind:       "mcpb",
				Identifier: "https://github.com/domdomegg/airtable-mcp-server/releases/download/v1.7.3/airtable-mcp-server.mcpb",
				SHA256:     "0f28a9129cfebd262dfb77854c872355d21401bb3e056575b3027081f5d570ca", Transport: listing.Remote{Type: "stdio"},
			},
		},
	}
	for i := range 2 {
		want.Packages[i].Env = []listing.Field{{Name: "AIRTABLE_API_KEY", Input: listing.Input{
			Required: true, Secret: true,
			Description: "Airtable personal access token (e.g., pat123.abc123). Create at https://airtable.com/create/tokens/new with " +
				"scopes: schema.bases:read, data.records:read, and optionally schema.bases:write and data.records:write.",
		}}}
	}
	if got := page.Entries[0].Listing; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if at.Format(time.RFC3339) != "2026-11-20T23:30:15Z" {
		t.Errorf("published %s", at)
	}
}

func TestEntriesOfEarlierVersionsAreRead(t *testing.T) {
	body, err := os.ReadFile("testdata/2025-07.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := serve(t, text(200, "application/json", string(body))).List(t.Context(), Query{})
	if err != nil || len(page.Entries) != 2 || page.Next != "4e9cf4cf" {
		t.Fatalf("got %d entries, next %q, %v", len(page.Entries), page.Next, err)
	}
	released := time.Date(2025, 7, 1, 10, 0, 0, 0, time.UTC)
	want := Entry{Latest: true, Listing: listing.Listing{
		Source: "official", Name: "io.github.example/weather", Description: "Weather by city", Version: "0.3.1", Status: listing.Deprecated,
		Repository: "https://github.com/example/weather", Published: released, Updated: released,
		Packages: []listing.Package{
			{
				Kind: "npm", Identifier: "@example/weather", Version: "0.3.1", Runtime: "npx", Transport: listing.Remote{Type: "stdio"},
				Before: []listing.Argument{{Hint: "flag", Input: listing.Input{Value: "-y", Required: true}}},
				Arguments: []listing.Argument{{
					Named: true, Name: "--port", Repeated: true,
					Input: listing.Input{Default: "8080", Format: "number", Choices: []string{"8080", "9090"}},
				}, {Hint: "cities", Input: listing.Input{Format: "filepath"}}},
				Env: []listing.Field{
					{Name: "WEATHER_KEY", Input: listing.Input{Description: "Key of the service", Required: true, Secret: true}},
				},
			},
			{
				Kind: "oci", BaseURL: "https://docker.io", Identifier: "docker.io/example/weather:0.3.1",
				Transport: listing.Remote{Type: "stdio"},
			},
		},
		Remotes: []listing.Remote{{
			Type: "sse", URL: "https://{city}.example.com/sse", Variables: map[string]listing.Input{"city": {Required: true}},
			Headers: []listing.Field{
				{Name: "X-Key", Input: listing.Input{Value: "{key}"}, Variables: map[string]listing.Input{"key": {Secret: true}}},
			},
		}},
	}}
	if !reflect.DeepEqual(page.Entries[0], want) {
		t.Errorf("got  %+v\nwant %+v", page.Entries[0], want)
	}
	if e := page.Entries[1]; e.Latest || !e.Verified || e.Version != "1.0.0" || e.Updated.Day() != 21 ||
		e.Website != "https://example.com/clock" {
		t.Errorf("got %+v", e)
	}
}

func TestHostileEntriesAreLeftOut(t *testing.T) {
	entry := func(members string) string { return `{"server":{"description":"x",` + members + `}}` }
	bad := []string{
		entry(`"name":"io.github.a/b; rm -rf ~","version":"1"`), entry(`"name":"io.github.a/$(id)","version":"1"`),
		entry(`"name":"../../etc/passwd","version":"1"`), entry(`"name":"a/..","version":"1"`),
		entry(`"name":"io.github.a/ünïcode","version":"1"`), entry(`"name":"io.github.a/b\u202e","version":"1"`),
		entry(`"name":"` + strings.Repeat("a", 200) + `/b","version":"1"`), entry(`"name":"io.github.a/b","version":""`),
		entry(`"name":"io.github.a/b"`), entry(`"name":"io.github.a/b","version":"1 && id"`),
		entry(`"name":"io.github.a/b","version":".."`), entry(`"name":"io.github.a/b","version":"1\n2"`),
		entry(`"name":["io.github.a/b"],"version":"1"`),
		entry(`"name":"io.github.a/b","version":"1","title":"` + strings.Repeat("x", maxEntry) + `"`), `"text"`, `[]`, `null`, `7`, `{}`,
	}
	good := entry(`"name":"io.github.a/b","version":"1","title":{},"packages":"none","remotes":[{"type":"sse","url":"file:///etc/passwd"},{"type":"sse","url":"https://a b"},7],` +
		`"repository":{"url":"javascript:alert(1)"},"websiteUrl":"http://plain.example.com"`)
	body := `{"servers":[` + strings.Join(bad, ",") + "," + good + `]}`
	page, err := serve(t, text(200, "application/json", body)).List(t.Context(), Query{})
	if err != nil || page.Skipped != len(bad) || len(page.Entries) != 1 {
		t.Fatalf("%d entries, %d skipped of %d, %v: %s", len(page.Entries), page.Skipped, len(bad), err, names(page.Entries))
	}
	if l := page.Entries[0].Listing; len(l.Remotes)+len(l.Packages) > 0 || l.Repository+l.Website+l.Title != "" || l.Verified {
		t.Errorf("got %+v", l)
	}
	other := serve(t, text(200, "application/json", good))
	if _, err := other.Version(t.Context(), "io.github.a/c", "1"); fault.KindOf(err) != fault.Failed {
		t.Errorf("the entry of another server: %v", err)
	}
	for _, name := range []string{"", "..", "a/../b", "a/b?x=1", "a b/c"} {
		if _, err := New(Options{URL: "http://127.0.0.1:1"}).Version(t.Context(), name, "1"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestFaultsNameTheRegistryAndSayWhatToDo(t *testing.T) {
	const list = `{"servers":[],"metadata":{}}`
	huge := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"servers":["`)
		for chunk := strings.Repeat("x", 1<<20); ; { // ends when the client closes the connection
			if _, err := fmt.Fprint(w, chunk); err != nil {
				return
			}
		}
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		kind   fault.Kind
		says   string
	}{
		"500": {
			text(500, "application/problem+json", `{"detail":"Failed to get registry list"}`),
			fault.Unavailable, "(500): Failed to get registry list; try again later",
		},
		"503 as a page": {text(503, "text/html", "<html>down</html>"), fault.Unavailable, "(503); try again later"},
		"429":           {text(429, "text/plain", "slow down"), fault.Busy, "too many requests"},
		"401":           {text(401, "application/json", `{}`), fault.Denied, "without credentials"},
		"404":           {text(404, "text/html", "<html>"), fault.Failed, "is not a registry"},
		"422": {
			text(422, "application/problem+json", `{"detail":"validation failed\u202e"}`), fault.Failed, "(422): validation failed",
		},
		"a web page":      {text(200, "text/html; charset=utf-8", list), fault.Failed, "does not answer like a registry"},
		"a disguised one": {text(200, "application/json", "<!doctype html>"), fault.Failed, "does not answer like a registry"},
		"an array":        {text(200, "application/json", `[]`), fault.Failed, "does not answer like a registry"},
		"no list":         {text(200, "application/json", `{}`), fault.Failed, "does not answer like a registry"},
		"a wrong type":    {text(200, "application/json", `{"servers":{"a":1}}`), fault.Failed, "does not answer like a registry"},
		"half an answer":  {text(200, "application/json", list[:20]), fault.Failed, "does not answer like a registry"},
		"50 MB":           {huge, fault.Failed, "more than 16 MB"},
		"a redirect loop": {
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
			fault.Failed, "redirected the request",
		},
		"a closed connection": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.Close()
		}, fault.Unavailable, "could not reach"},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, test.answer)
			_, err := c.List(t.Context(), Query{})
			message := fault.MessageOf(err)
			if fault.KindOf(err) != test.kind || !strings.Contains(message, test.says) ||
				!strings.Contains(message, strings.TrimPrefix(c.URL(), "http://")) || strings.Contains(message, "\u202e") {
				t.Errorf("got %v: %s", fault.KindOf(err), message)
			}
		})
	}
	if page, err := serve(t, text(200, "text/plain", list)).List(t.Context(), Query{}); err != nil || len(page.Entries) != 0 {
		t.Errorf("JSON sent as text: %v", err)
	}
}

func TestASlowRegistryEndsWithATimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close() // waits for the end of the request
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := New(Options{URL: server.URL}).List(ctx, Query{})
	if fault.KindOf(err) != fault.Timeout || !strings.Contains(fault.MessageOf(err), "did not answer in time") {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := New(Options{URL: server.URL}).List(ctx, Query{}); err != context.Canceled { //nolint:errorlint // the error itself
		t.Errorf("a cancelled request: got %v", err)
	}
}

func TestARepeatedPageIsAnError(t *testing.T) {
	c := serve(t, text(200, "application/json", `{"servers":[],"metadata":{"nextCursor":"again"}}`))
	if page, err := c.List(t.Context(), Query{Cursor: "other"}); err != nil || page.Next != "again" {
		t.Errorf("got %+v, %v", page, err)
	}
	if _, err := c.List(t.Context(), Query{Cursor: "again"}); fault.KindOf(err) != fault.Failed ||
		!strings.Contains(fault.MessageOf(err), "same page") {
		t.Errorf("got %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"https://registry.example.com":             "https://registry.example.com",
		" https://registry.example.com/ ":          "https://registry.example.com",
		"https://example.com/mcp/v0.1/servers":     "https://example.com/mcp",
		"https://example.com/v0/":                  "https://example.com",
		"":                                         "", // not configured
		"registry.example.com":                     "",
		"https://user:secret@registry.example.com": "",
		"https://registry.example.com?key=secret":  "",
		"file:///etc/passwd":                       "",
	} {
		c := New(Options{URL: in})
		_, err := c.List(canceled(t), Query{})
		switch {
		case c.URL() != want:
			t.Errorf("%q: got %q", in, c.URL())
		case want == "" && (c.Check() == nil || fault.MessageOf(err) != fault.MessageOf(c.Check()) || !strings.Contains(err.Error(),
			"market.registry_url") || strings.Contains(err.Error(), "secret")):
			t.Errorf("%q: got %v", in, err)
		case want != "" && c.Check() != nil:
			t.Errorf("%q: %v", in, c.Check())
		}
	}
}

// canceled returns a cancelled context, with which no request can be sent.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func FuzzAnyAnswerIsRead(f *testing.F) {
	body, err := os.ReadFile("testdata/2025-07.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte(`{"servers":[{"server":{"name":"a/b","version":"1"},"_meta":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		page, _ := readPage(data)
		for _, e := range page.Entries {
			if checkName(e.Name) != nil || !isVersion(e.Version) {
				t.Errorf("accepted %q %q", e.Name, e.Version)
			}
		}
	})
}
