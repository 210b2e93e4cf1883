package surfaces_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestAPersonChoosesWhereFilesOfLongResultsAreSaved(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "port: 0 # any\n")
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	a := hubtest.Introduced(t, h, companion.Entry{Surface: "native", Client: "codex"}, "{}")
	lists := func() bool { return strings.Contains(a.Exchange("tools/list", "{}"), `"save_block"`) }
	if lists() {
		t.Fatal("save_block is listed without a folder")
	}
	person, end, err := instance.NewClient(h.Info()).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	at := filepath.Join(t.TempDir(), "files")
	body := func(folder string) map[string]string { return map[string]string{"folder": folder} }
	if err := hubtest.TryDo(t, h, "PUT", "/api/results", body(at)); fault.KindOf(err) != fault.Denied {
		t.Errorf("a program has chosen the folder: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"files", "../files", file, "a\nb"} {
		if err := person.Do(t.Context(), "PUT", "/api/results", body(wrong), nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", wrong, err)
		}
	}

	for _, to := range []string{at, ""} {
		var got struct{ Folder string }
		if err := person.Do(t.Context(), "PUT", "/api/results", body(to), &got); err != nil || got.Folder != to {
			t.Fatalf("%q: got %+v, %v", to, got, err)
		}
		hubtest.Do(t, h, "GET", "/api/results", nil, &got)
		kept, err := settings.Load(folder.Config())
		if err != nil || kept.Results.Folder != to || got.Folder != to {
			t.Errorf("%q: the hub has %q, the file %q, %v", to, got.Folder, kept.Results.Folder, err)
		}
		a.Await("notifications/tools/list_changed")
		if lists() != (to != "") {
			t.Errorf("%q: save_block is listed: %t", to, to == "")
		}
	}
	if data, err := os.ReadFile(folder.Config()); err != nil || !strings.HasPrefix(string(data), "port: 0 # any\n") {
		t.Errorf("the rest of the file has changed: %s, %v", data, err)
	}
}
