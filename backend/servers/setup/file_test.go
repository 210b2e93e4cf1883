package setup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestSetupFilesMayHaveCommentsAndTrailingCommas(t *testing.T) {
	entries, err := parse([]byte("\ufeff" + `{
		// what I use everywhere
		"$schema": "https://example.com/x",
		"servers": [
			{"name": "one", "command": "npx", "args": ["-y", "a"], "env": {"A": "1",}, "tags": null, "later": [1]},
			/* remote */ {"name": "two", "url": "https://example.com/mcp", "headers": {"X": "y"}},
			{"name": "three", "url": "https://example.com/mcp", "transport": "sse"},
			{"name": "four", "url": "https://example.com/mcp", "transport": "http", "auto_activate": true},
			{"name": "five", "url": "https://example.com/sse?key=x"},
			{"name": "six", "command": "x", "url": "https://example.com/sse"},
		],
	}`))
	if err != nil || len(entries) != 6 {
		t.Fatalf("got %+v, %v", entries, err)
	}
	for i, want := range []string{"stdio", "streamable-http", "sse", "streamable-http", "sse", "stdio"} {
		if e := entries[i]; e.err != nil || e.Transport != want {
			t.Errorf("%s has the transport %q, want %q; %v", e.Name, e.Transport, want, e.err)
		}
	}
	if e := entries[0]; e.Env["A"] != "1" || strings.Join(e.Args, " ") != "-y a" || !entries[3].AutoActivate {
		t.Errorf("got %+v", e)
	}
}

func TestInvalidEntriesAreReportedOneByOne(t *testing.T) {
	for text, want := range map[string][2]string{
		`{}`:                             {unnamed, "missing name field"},
		`{"name":""}`:                    {unnamed, "missing name field"},
		`{"name":7,"command":"x"}`:       {unnamed, "name has a value of type number, expected string"},
		`"one"`:                          {unnamed, "it has a value of type string, expected object"},
		`[]`:                             {unnamed, "it has a value of type array, expected object"},
		`{"name":"a","args":"x y"}`:      {"a", "args has a value of type string, expected array"},
		`{"args":["x",1.5],"name":"a"}`:  {"a", "args has a value of type number, expected string"},
		`{"name":"a","env":{"PORT":80}}`: {"a", "env has a value of type number, expected string"},
		`{"name":"a","env":["A=1"]}`:     {"a", "env has a value of type array, expected object"},
		`{"name":"a","secrets":{"T":{"x":"no"}}}`: {"a", "secrets has a value of type object, expected string"},
		`{"name":"a","auto_activate":"yes"}`:      {"a", "auto_activate has a value of type string, expected boolean"},
		`{"name":"a","start_timeout":"soon"}`: {"a", `invalid time limit "soon": use a number with a unit, such as 90s or 5m, up to 24h; ` +
			"leave it empty for the limit of the settings"},
		`{"name":"a","transport":"carrier"}`: {"a", `unknown transport "carrier": use stdio, streamable-http or sse`},
	} {
		entries, err := parse([]byte(`{"servers":[` + text + `,{"name":"good"}]}`))
		if err != nil || len(entries) != 2 || entries[1].err != nil {
			t.Fatalf("%s: got %+v, %v", text, entries, err)
		}
		got := fault.MessageOf(entries[0].err)
		// Remove the names of inner members, which differ between versions of
		// Go.
		if before, after, found := strings.Cut(got, " has a value"); found {
			field, _, _ := strings.Cut(before, ".")
			got = field + " has a value" + after
		}
		if entries[0].Name != want[0] || got != want[1] {
			t.Errorf("%s: got %q, %q", text, entries[0].Name, got)
		}
	}
}

func TestErrorsDoNotQuoteTheFile(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		file := filepath.Join(dir, "setup.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for text, want := range map[string]string{
		"":                            "it is not valid JSON: line 1, column 1",
		"root:hunter2:0:0":            "it is not valid JSON: line 1, column 1",
		"hunter2":                     "it is not valid JSON: line 1, column 1",
		"{\n\"servers\": [,]}":        "it is not valid JSON: line 2, column 13",
		"{\"servers\": [hunter2]}":    "it is not valid JSON: line 1, column 14",
		"{\"servers\": [\"\\hunter2":  "it is not valid JSON: line 1, column 23",
		`{"hunter2":1 "hunter2"}`:     "it is not valid JSON: line 1, column 14",
		`[]`:                          "array, expected object",
		`{}`:                          `no list "servers"`,
		`{"servers":null}`:            `no list "servers"`,
		`{"servers":{"hunter2":{}}}`:  "servers has a value of type object, expected array",
		strings.Repeat(" ", 4<<20+10): "larger than 4 MiB",
	} {
		entries, err := readFile(write(text))
		message := fault.MessageOf(err)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(message, want) || strings.Contains(message, "hunter2") ||
			len(entries) > 0 {
			t.Errorf("%.30q: got %v", text, err)
		}
	}
	if entries, err := readFile(filepath.Join(dir, "none.json")); err != nil || len(entries) > 0 {
		t.Errorf("missing file: %v, %v", entries, err)
	}
	if _, err := readFile(dir); !strings.Contains(fault.MessageOf(err), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if got := local("/x/setup.json"); got != "/x/setup.local.json" {
		t.Errorf("the local file is %s", got)
	}
	if got := local("/x/setup"); got != "" {
		t.Errorf("the local file of /x/setup is %q", got)
	}
}

func TestVariablesAreExpanded(t *testing.T) {
	known := map[string]string{"TOKEN": "t", "A_1": "a", "lower": "l", "LOOP": "$TOKEN", "A": "x"}
	s := New(Options{Variable: func(_ context.Context, name string) string { return known[name] }})
	for value, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"$TOKEN":                  "t",
		"Bearer $TOKEN!":          "Bearer t!",
		"$TOKEN$A_1-${lower}":     "ta-l",
		"${TOKEN}x $TOKEN.json":   "tx t.json",
		"$UNSET|${UNSET}|":        "||",
		"$LOOP":                   "$TOKEN",
		"$$TOKEN $$$TOKEN $$":     "$TOKEN $t $",
		"${secret:TOKEN}":         "${secret:TOKEN}",
		"${TOKEN:-x} ${} ${TOKEN": "${TOKEN:-x} ${} ${TOKEN",
		"pa$sword $5 $ $Apple $-": "pa$sword $5 $ $Apple $-",
		"%TOKEN% {TOKEN}":         "%TOKEN% {TOKEN}",
	} {
		if got := s.expand(t.Context(), value); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func TestRowsOfServersAreConverted(t *testing.T) {
	for name, row := range map[string]struct {
		row  Row
		want registry.Server
	}{
		"nothing but a name": {
			Row{"name": "a"},
			registry.Server{
				Name: "a", Source: "local", Transport: "stdio", Args: []string{}, Env: map[string]string{}, Headers: map[string]string{},
				Tags: []string{},
			},
		},
		"numbers instead of strings, and invalid tags": {
			Row{
				"name": "a", "args": `["-p",8080,true,12345678901234567890]`, "env": `{"PORT":80}`, "tags": `{`, "active": "1",
				"installed": "1", "source": "registry",
			},
			registry.Server{
				Name: "a", Source: "registry", Transport: "stdio", Args: []string{"-p", "8080", "true", "12345678901234567890"},
				Env: map[string]string{"PORT": "80"}, Headers: map[string]string{}, AlwaysListed: true, Installed: true,
			},
		},
		"a column for the address": {
			Row{
				"name": "a", "transport": "sse", "homepage": "https://about", "url": "https://mcp", "headers": `{"X":"1"}`, "enabled": "1",
				"args": "null", "env": " ",
			},
			registry.Server{
				Name: "a", Source: "local", Transport: "sse", URL: "https://mcp", Headers: map[string]string{"X": "1"},
				Args: []string{}, Env: map[string]string{}, Tags: []string{}, AlwaysListed: true,
			},
		},
		"variables without a value": {
			Row{"name": "a", "env": `{"A":null,"B":"b"}`, "headers": "[]"},
			registry.Server{
				Name: "a", Source: "local", Transport: "stdio", Args: []string{}, Env: map[string]string{"B": "b"},
				Headers: map[string]string{}, Tags: []string{},
			},
		},
		"quarantined": {
			Row{"name": "a", "enabled": "1", "quarantined": "1"},
			registry.Server{
				Name: "a", Source: "local", Transport: "stdio", Args: []string{}, Env: map[string]string{}, Headers: map[string]string{},
				Tags: []string{},
			},
		},
	} {
		if got, err := row.row.server(); err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", name, got, err, row.want)
		}
	}
	for _, row := range []Row{
		{"args": "x"},
		{"args": "{}"},
		{"args": `[["x"]]`},
		{"args": `[null]`},
		{"args": `["x"] x`},
		{"env": `["A"]`},
		{"env": `{"hunter2":{}}`},
		{"headers": "7"},
	} {
		if _, err := row.server(); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: got %v", row, err)
		}
	}
}

func TestRowsOfMetricsAreConverted(t *testing.T) {
	got := Row{
		"tool_name": "t", "call_count": "7", "error_count": "-1", "total_latency_ms": "1.5e3", "last_called_at": "2026-11-20 23:28:36",
	}.metric("s")
	want := Metric{
		Server: "s", Tool: "t", Calls: 7, Latency: 1500 * time.Millisecond, LastAt: time.Date(2026, 11, 20, 23, 28, 36, 0, time.UTC),
	}
	if got != want {
		t.Errorf("got %+v", got)
	}
	for _, odd := range []string{"", "x", "NaN", "Inf", "-Inf", "1e300", "-5"} {
		if got := (Row{"call_count": odd, "total_latency_ms": odd, "last_called_at": odd}).metric("s"); got != (Metric{Server: "s"}) {
			t.Errorf("%s: got %+v", odd, got)
		}
	}
	if got := (Row{"total_latency_ms": "9007199254740992"}).metric("s"); got.Latency <= 0 {
		t.Errorf("a long time became %v", got.Latency)
	}
}

func TestRowsOfToolsAreConverted(t *testing.T) {
	for want, row := range map[string]Row{
		`{"name":"t","inputSchema":{"type":"object"}}`: {"name": "t", "input_schema": "{broken"},
		`{"name":"t","description":"a <b> & c","inputSchema":{"maximum":9007199254740993}}`: {
			"name": "t", "description": "a <b> & c", "input_schema": `{"maximum":9007199254740993}`,
		},
		`{"name":"t","title":"T","inputSchema":{},"outputSchema":{"x":1},"annotations":{"y":2}}`: {
			"name": "t", "title": "T", "input_schema": "{}", "output_schema": `{"x":1}`, "annotations": `{"y":2}`,
		},
		`{"name":"t","inputSchema":{"type":"object"},"annotations":{}}`: {"name": "t", "output_schema": "null", "annotations": "{}"},
	} {
		if got := row.definition(); string(got) != want || !json.Valid(got) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestFingerprintChangesWithAllFilesOfADatabase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	for _, name := range []string{file, file + "-wal", file + "-journal"} {
		before := fingerprint(file)
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if fingerprint(file) == before {
			t.Errorf("the fingerprint did not change with %s", name)
		}
	}
	before := fingerprint(file)
	if err := os.Chtimes(file+"-wal", time.Time{}, time.Unix(1, 1)); err != nil {
		t.Fatal(err)
	}
	if fingerprint(file) == before {
		t.Error("the fingerprint did not change with the time of a file")
	}
}
