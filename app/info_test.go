package app

import (
	"encoding/xml"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/app/links"
)

// properties returns the texts and the boolean values in a property list, in their order.
func properties(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for decoder := xml.NewDecoder(strings.NewReader(string(data))); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		switch token := token.(type) {
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				list = append(list, text)
			}
		case xml.StartElement:
			if token.Name.Local == "true" || token.Name.Local == "false" {
				list = append(list, token.Name.Local)
			}
		}
	}
}

func TestMacProgramsHaveTheirProperties(t *testing.T) {
	for file, want := range map[string][]string{
		"Info.plist":      {"NSAppTransportSecurity", "NSAllowsLocalNetworking", "true"},
		"tray/Info.plist": {"LSUIElement", "true"},
	} {
		list := properties(t, file)
		at := slices.Index(list, want[0])
		if at < 0 || len(list) < at+len(want) || !slices.Equal(list[at:at+len(want)], want) {
			t.Errorf("%s has %q, without %q", file, list, want)
		}
		if name := slices.Index(list, "CFBundleName"); name < 0 || list[name+1] != Title {
			t.Errorf("%s has another name than %s: %q", file, Title, list)
		}
		source, err := os.ReadFile(strings.Replace(file, "Info.plist", "info_darwin.go", 1))
		if err != nil || !strings.Contains(string(source), "-Wl,-sectcreate,__TEXT,__info_plist,${SRCDIR}/Info.plist\n") {
			t.Errorf("%s is not linked into its program: %v", file, err)
		}
	}
}

func TestTheMacWindowOpensTheLinksOfTheProduct(t *testing.T) {
	list := properties(t, "Info.plist")
	if at := slices.Index(list, "CFBundleURLSchemes"); at < 0 || at+1 == len(list) || list[at+1] != links.Scheme {
		t.Errorf("Info.plist does not name the scheme %s: %q", links.Scheme, list)
	}
}
