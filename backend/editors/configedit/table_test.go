package configedit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// home is a value that no format takes without quotes or escapes.
const home = `C:\Users\Zoë\agent "x"`

// ours returns an entry as it goes into a place.
func ours(p Place) Object {
	entry := Object{{"command", "/opt/agent-discover"}, {"args", []string{"mcp"}}, {"env", Object{{"AGENT_DISCOVER_HOME", home}}}}
	if p.List != "" {
		entry = append(Object{{p.List, "discover"}}, entry...)
	}
	return entry
}

// placeOf reads a place as tables write it: keys with slashes between them, and
// in brackets the key of a name.
func placeOf(f Format, text string) Place {
	text, list, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	p := Place{Format: f, List: list}
	if text != "" {
		p.Keys = strings.Split(text, "/")
	}
	return p
}

// row is a text before an entry came in, with it, and after it was removed.
type row struct {
	name                 string
	place                Place
	before, after, taken string
}

// rows reads the table of a format.
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
			t.Fatalf("%q is no case", file.Name)
		}
		text := string(file.Data)
		switch parts[2] {
		case "before":
			out = append(out, row{name: parts[0], place: placeOf(f, parts[1]), before: text, taken: text})
		case "after":
			out[len(out)-1].after = text
		case "taken":
			out[len(out)-1].taken = text
		}
	}
	return out
}

func TestAnEntryComesInWithoutTouchingAnotherByteAndGoesOutAgain(t *testing.T) {
	for _, f := range []Format{JSON, TOML, YAML} {
		for _, r := range rows(t, f) {
			t.Run(string(f)+"/"+r.name, func(t *testing.T) { r.check(t) })
			crlf := r
			for _, text := range []*string{&crlf.before, &crlf.after, &crlf.taken} {
				*text = strings.ReplaceAll(*text, "\n", "\r\n")
			}
			if strings.Contains(r.before, "\n") {
				t.Run(string(f)+"/"+r.name+" (CRLF)", func(t *testing.T) { crlf.check(t) })
			}
			marked := r
			marked.before, marked.after, marked.taken = mark+r.before, mark+r.after, mark+r.taken
			t.Run(string(f)+"/"+r.name+" (BOM)", func(t *testing.T) { marked.check(t) })
		}
	}
}

func (r row) check(t *testing.T) {
	t.Helper()
	c, err := Put([]byte(r.before), r.place, "discover", ours(r.place))
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Text) != r.after {
		t.Fatalf("it became\n%s\nand should be\n%s", c.Text, r.after)
	}
	for _, cut := range c.Edits {
		if cut.Old != "" {
			t.Errorf("it took out %q", cut.Old)
		}
	}
	taken, err := Remove(c.Text, r.place, "discover")
	if err != nil || string(taken.Text) != r.taken {
		t.Errorf("without it, it became\n%s\nand should be\n%s\n%v", taken.Text, r.taken, err)
	}
	r.checkRevert(t, c)
}

// checkRevert takes a change back of which nobody kept the text.
func (r row) checkRevert(t *testing.T, c Change) {
	t.Helper()
	back, err := Revert(c.Text, r.place, "discover", Change{Edits: c.Edits, Made: c.Made})
	if err != nil || string(back.Text) != r.before {
		t.Errorf("taken back, it became\n%s\nand should be\n%s\n%v", back.Text, r.before, err)
	}
	if applied := apply(c.Text, back.Edits); !bytes.Equal(applied, back.Text) {
		t.Errorf("its cuts lead to\n%s", applied)
	}
	entries, err := Read(c.Text, r.place)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name == "discover" && equalPlain(e.Value, ours(r.place)) {
			return
		}
	}
	t.Errorf("it reads as %v", entries)
}

func equalPlain(got any, want Object) bool { return equal(got, plain(want)) }
