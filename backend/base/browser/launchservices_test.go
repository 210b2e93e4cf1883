package browser

import (
	"reflect"
	"strings"
	"testing"
)

// handlers is the value of LSHandlers as "defaults read" prints it.
const handlers = `(
        {
        LSHandlerContentType = "public.html";
        LSHandlerPreferredVersions =         {
            LSHandlerRoleAll = "-";
        };
        LSHandlerRoleAll = "com.microsoft.vscode";
    },
        {
        LSHandlerPreferredVersions =         {
            LSHandlerRoleAll = "-";
        };
        LSHandlerRoleAll = "org.mozilla.firefox";
        LSHandlerURLScheme = http;
    },
        {
        LSHandlerRoleAll = "com.google.chrome";
        LSHandlerURLScheme = mailto;
    }
)
`

func TestTheDefaultBrowserOfMacOSOpensFilesThatBelongToAnEditor(t *testing.T) {
	id := schemeHandler(handlers, "http")
	if id != "org.mozilla.firefox" {
		t.Errorf("the browser is %q", id)
	}
	b, ok := find("darwin", func(string) string { return "" }, func(string) string { return id })
	want := [][]string{{"open", "-b", "org.mozilla.firefox", "/a b.html"}, {"open", "/a b.html"}}
	var got [][]string
	for _, command := range b.commands {
		got = append(got, arguments(command, "/a b.html"))
	}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAListWithoutABrowserNamesNone(t *testing.T) {
	for name, list := range map[string]string{
		"Safari, never changed": "(\n)\n",
		"empty":                 "",
		"other schemes":         strings.ReplaceAll(handlers, "= http;", "= ftp;"),
		"no identifier":         strings.ReplaceAll(handlers, "org.mozilla.firefox", "-e evil"),
		"cut":                   handlers[:120],
	} {
		if got := schemeHandler(list, "http"); got != "" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
