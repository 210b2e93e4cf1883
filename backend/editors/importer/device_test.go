package importer_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

func TestABundleMayHaveTheNameOfADeviceOfWindows(t *testing.T) {
	for _, name := range []string{"CON", "aux.json", "nul"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, false)
			manifest := strings.Replace(notes, `"my notes"`, `"`+name+`"`, 1)
			report := f.run(importer.Request{
				Bundle: f.bundle(map[string]string{"manifest.json": manifest, "server/index.js": "code"}), Values: answers,
			})
			if len(report.Servers) != 1 || report.Servers[0].Status != importer.Imported {
				t.Fatalf("the import returned %+v", report)
			}
			if s := f.server(report.Servers[0].Name); f.read(s.Args[0]) != "code" {
				t.Errorf("the server is %+v", s)
			}
		})
	}
}
