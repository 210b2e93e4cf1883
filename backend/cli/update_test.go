//go:build linux

package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// lastRelease is a data folder that the last release has left behind; build/release-data.sh writes it. Beside the folder
// data, it contains the answers of the release in shown.json.
const lastRelease = "testdata/release.tar.gz"

// added are the columns that the database has got since the last release, with their values after the update.
var added = map[string]any{
	"servers.disabled": int64(0), "servers.cwd": "", "servers.start_timeout": int64(0), "servers.call_timeout": int64(0),
}

// empty are the tables in which the data folder of the last release has nothing: remembered answers, and what the audit log
// and the marketplace have only after days or with a network.
var empty = []string{
	"answers", "audit_anchor", "installs", "leftovers", "mirror", "mirror_state", "mirror_vectors", "probes", "updates",
}

// renewed are columns and members of answers that change with each start of the hub or of a server, with the version, or
// with time, as the strength of what was learned.
var renewed = []string{
	"secrets.prints", "trust_items.scanned", "p95_ms", "path", "strength",
	"servers.health_status", "servers.health_checked", "servers.error_count", "servers.last_error", "servers.updated_at",
	"tool_count", "tool_tokens", // they leave out tools that a rule disables; compareTables checks the tools
	"pid", "running", "health_status", "last_health_check", "error_count", "last_error", "state", "state_reason", "updated_at", "sessions",
	"enforced", "missing", "consequence", // what a sandbox promises, and what of that this system enforces
}

func TestAnUpdateFromTheLastReleaseKeepsEverything(t *testing.T) {
	t.Parallel()
	h := releasedHome(t)
	before := readTables(t, h.Folder.Database())
	config := readFile(t, h.Folder.Config())
	restart := func() *programtest.Hub {
		t.Helper()
		s := h.Serve()
		programtest.Eventually(t, "the server that is kept running has started", func() bool { return h.Server("notes").Running })
		return s
	}
	s := restart()
	var shown map[string]any
	decodeFile(t, filepath.Join(h.Dir, "shown.json"), &shown)
	for path, was := range shown {
		compareMembers(t, path, was, answerOf(h, path))
	}
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	s.Exit()
	compareTables(t, before, readTables(t, h.Folder.Database()))
	var none []string
	for name, was := range before {
		if len(was.rows) == 0 {
			none = append(none, name)
		}
	}
	if slices.Sort(none); !slices.Equal(none, empty) {
		t.Errorf("the release has left the tables %q empty, want %q", none, empty)
	}
	if now := readFile(t, h.Folder.Config()); now != config {
		t.Errorf("config.yaml was changed to\n%s", now)
	}

	restart()
	programtest.Contains(t, h.Must("audit", "verify"), "is intact")
	c := h.CompanionOf("--client", "cursor")
	c.Open(`{}`)
	if got := c.Tool("notes__read", `{"text":"x"}`); !strings.Contains(got, "correct-horse") {
		t.Errorf("the server answers %q, without its secret", got)
	}
	programtest.Contains(t, c.FailingTool("notes__forget", `{}`), "disabled")
	if got := c.Tool("notes__write", `{"text":"approved for good"}`); !strings.Contains(got, "correct-horse") {
		t.Errorf("a call that was approved for good: %s", got)
	}
	if tools := c.Tools(); !slices.Contains(tools, "notes__read") {
		t.Errorf("the equipped toolset is not listed: %q", tools)
	}
}

// compareTables checks that all rows and columns are as they were, and that each added column has its value.
func compareTables(t *testing.T, before, after map[string]table) {
	t.Helper()
	for name, was := range before {
		now, ok := after[name]
		if !ok {
			t.Errorf("the table %s is gone", name)
			continue
		}
		for _, column := range now.columns {
			want, listed := added[name+"."+column]
			if !slices.Contains(was.columns, column) && !listed {
				t.Errorf("the column %s.%s is new: add it to the variable added, with its value after an update", name, column)
			}
			for _, row := range now.rows {
				if listed && row[column] != want {
					t.Errorf("%s.%s is %v after the update, want %v", name, column, row[column], want)
				}
			}
		}
		kept := slices.DeleteFunc(slices.Clone(was.columns), func(c string) bool { return slices.Contains(renewed, name+"."+c) })
		if old, now := was.texts(kept), now.texts(kept); !slices.Equal(old, now) {
			t.Errorf("the table %s has changed from\n%s\nto\n%s", name, strings.Join(old, "\n"), strings.Join(now, "\n"))
		}
	}
	for name, now := range after {
		if _, ok := before[name]; !ok && len(now.rows) > 0 {
			t.Errorf("the new table %s has %d rows after the update", name, len(now.rows))
		}
	}
}

// compareMembers checks that an answer of the hub has all members of an earlier answer, with the same values.
func compareMembers(t *testing.T, where string, was, now any) {
	t.Helper()
	switch was := was.(type) {
	case map[string]any:
		object, _ := now.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if !slices.Contains(renewed, name) {
				compareMembers(t, where+" "+name, was[name], object[name])
			}
		}
	case []any:
		list, _ := now.([]any)
		if len(list) != len(was) {
			t.Errorf("%s has %d items, had %d", where, len(list), len(was))
			return
		}
		for i := range was {
			compareMembers(t, fmt.Sprintf("%s[%d]", where, i), was[i], list[i])
		}
	default:
		if was != now {
			t.Errorf("%s is %v, was %v", where, now, was)
		}
	}
}

// answerOf returns the answer of the hub to GET, with HOME in place of the home folder.
func answerOf(h *programtest.Home, path string) (answer any) {
	t, home := h.T, h.Dir
	t.Helper()
	var text json.RawMessage
	err := instance.NewClient(h.RunningHub()).Do(t.Context(), http.MethodGet, path, nil, &text)
	if err == nil {
		err = json.Unmarshal(bytes.ReplaceAll(text, []byte(home), []byte("HOME")), &answer)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return answer
}

// releasedHome returns a home with the data folder of the last release.
func releasedHome(t *testing.T) *programtest.Home {
	t.Helper()
	h := programtest.NewHome(t)
	prepareRelease(h)
	file, err := os.Open(lastRelease)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return h
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(h.Dir, filepath.FromSlash(header.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		h.Write(path, string(data))
	}
}

// prepareRelease puts the server of the data folder of the last release into a home, where its command finds it.
func prepareRelease(h *programtest.Home) {
	h.T.Helper()
	h.Set("AGENT_DISCOVER_KEYCHAIN", "off")
	h.Set("AGENT_DISCOVER_PASSPHRASE", "correct horse battery staple")
	command := mcptest.Command(h.T)
	server := filepath.Join(h.Dir, "server")
	h.Write(server, "#!/bin/sh\nexec "+strings.Join(command, " ")+` "$@"`+"\n")
	if err := os.Chmod(server, 0o700); err != nil {
		h.T.Fatal(err)
	}
}

func decodeFile(t *testing.T, file string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(readFile(t, file)), into); err != nil {
		t.Fatal(err)
	}
}

// pack writes a file and a folder of a home into an archive, without what the hub makes again.
func pack(h *programtest.Home, into string) {
	h.T.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	err := filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(h.Dir, path) // it is below h.Dir
		if name == "data/run" || name == "data/logs" {
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() || name != "shown.json" && !strings.HasPrefix(name, "data/") {
			return err
		}
		data := readFile(h.T, path)
		if err := archive.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(data))}); err != nil {
			return err
		}
		_, err = io.WriteString(archive, data)
		return err
	})
	if err := errors.Join(err, archive.Close(), zipped.Close(), os.WriteFile(into, packed.Bytes(), 0o600)); err != nil {
		h.T.Fatal(err)
	}
}
