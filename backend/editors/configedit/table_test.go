package configedit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// home is a value that needs quotes or escapes in every format.
const home = `C:\Users\Zoë\agent "x"`

// discoverEntry returns the Agent Discover entry in the form that the
// collection at a place needs.
func discoverEntry(p Place) Object {
	entry := Object{{"command", "/opt/agent-discover"}, {"args", []string{"mcp"}}, {"env", Object{{"AGENT_DISCOVER_HOME", home}}}}
	if p.List != "" {
		entry = append(Object{{p.List, "discover"}}, entry...)
	}
	return entry
}

// placeOf parses a place as the test tables write it: keys separated by slashes
// and, in brackets, the field with the name of a list item.
func placeOf(f Format, text string) Place {
	text, list, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	p := Place{Format: f, List: list}
	if text != "" {
		p.Keys = strings.Split(text, "/")
	}
	return p
}

// row is a test case: the text before Put adds an entry, the text with the
// entry, and the text after Remove.
type row struct {
	name                   string
	place                  Place
	before, after, removed string
}

// rows reads the test table of a format.
func rows(t testing.TB, f Format) []row {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + string(f) + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for _, file := range archive.Files {
		parts := strings.Split(file.Name, "; ")
		if len(parts) != 3 {
			t.Fatalf("invalid file name %q", file.Name)
		}
		text := string(file.Data)
		switch parts[2] {
		case "before":
			out = append(out, row{name: parts[0], place: placeOf(f, parts[1]), before: text, removed: text})
		case "after":
			out[len(out)-1].after = text
		case "removed":
			out[len(out)-1].removed = text
		}
	}
	return out
}

func TestPutAndRemoveKeepEveryOtherByte(t *testing.T) {
	for _, f := range []Format{JSON, TOML, YAML} {
		for _, r := range rows(t, f) {
			t.Run(string(f)+"/"+r.name, func(t *testing.T) { r.check(t) })
			crlf := r
			for _, text := range []*string{&crlf.before, &crlf.after, &crlf.removed} {
				*text = strings.ReplaceAll(*text, "\n", "\r\n")
			}
			if strings.Contains(r.before, "\n") {
				t.Run(string(f)+"/"+r.name+" (CRLF)", func(t *testing.T) { crlf.check(t) })
			}
			marked := r
			marked.before, marked.after, marked.removed = bom+r.before, bom+r.after, bom+r.removed
			t.Run(string(f)+"/"+r.name+" (BOM)", func(t *testing.T) { marked.check(t) })
		}
	}
}

func (r row) check(t *testing.T) {
	t.Helper()
	c, err := Put([]byte(r.before), r.place, "discover", discoverEntry(r.place))
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Text) != r.after {
		t.Fatalf("Put returned\n%s\nwant\n%s", c.Text, r.after)
	}
	for _, edit := range c.Edits {
		if edit.Old != "" {
			t.Errorf("Put removed %q", edit.Old)
		}
	}
	removed, err := Remove(c.Text, r.place, "discover")
	if err != nil || string(removed.Text) != r.removed {
		t.Errorf("Remove returned\n%s\nwant\n%s\n%v", removed.Text, r.removed, err)
	}
	r.checkRevert(t, c)
}

// checkRevert checks that Revert undoes a change whose Text is unknown, as it is for a change that
// an editor made.
func (r row) checkRevert(t *testing.T, c Change) {
	t.Helper()
	back, err := Revert(c.Text, r.place, "discover", Change{Edits: c.Edits, Made: c.Made})
	if err != nil || string(back.Text) != r.before {
		t.Errorf("Revert returned\n%s\nwant\n%s\n%v", back.Text, r.before, err)
	}
	if applied := apply(c.Text, back.Edits); !bytes.Equal(applied, back.Text) {
		t.Errorf("the edits of Revert lead to\n%s", applied)
	}
	entries, err := Read(c.Text, r.place)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name == "discover" && equalPlain(e.Value, discoverEntry(r.place)) {
			return
		}
	}
	t.Errorf("Read returned %v", entries)
}

func equalPlain(got any, want Object) bool { return equal(got, plain(want)) }
