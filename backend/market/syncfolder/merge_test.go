package syncfolder

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// object returns the object that a JSON text describes, or nil for "".
func object(t *testing.T, text string) Object {
	t.Helper()
	if text == "" {
		return nil
	}
	o, err := decodeObject([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func TestObjectsAreMerged(t *testing.T) {
	for _, row := range []struct {
		name, base, mine, theirs string
		decided                  Side
		want                     string // here, there or both, and the value; or the conflicts
	}{
		{"nothing changed", `{"a":1}`, `{"a":1}`, `{"a":1}`, Undecided, ""},
		{"both changed to the same", `{"a":1}`, `{"a":2}`, `{"a":2}`, Undecided, ""},
		{"both removed", `{"a":1}`, "", "", Undecided, ""},
		{"I changed", `{"a":1}`, `{"a":2}`, `{"a":1}`, Undecided, `there {"a":2}`},
		{"they changed", `{"a":1}`, `{"a":1}`, `{"a":2}`, Undecided, `here {"a":2}`},
		{"I removed", `{"a":1}`, "", `{"a":1}`, Undecided, `there null`},
		{"they removed", `{"a":1}`, `{"a":1}`, "", Undecided, `here null`},
		{"I added", "", `{"a":1}`, "", Undecided, `there {"a":1}`},
		{"they added", "", "", `{"a":1}`, Undecided, `here {"a":1}`},
		{"both added the same", "", `{"a":1}`, `{"a":1}`, Undecided, ""},
		{"both added different ones", "", `{"a":1,"c":1}`, `{"a":2,"c":1}`, Undecided, `conflict a`},
		{"both added, mine", "", `{"a":1}`, `{"a":2}`, Mine, `there {"a":1}`},
		{"both added, theirs", "", `{"a":1}`, `{"a":2}`, Theirs, `here {"a":2}`},
		{"different members", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":1,"b":2}`, Undecided, `both {"a":2,"b":2}`},
		{"the same member", `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":3,"b":1}`, Undecided, `conflict a`},
		{"the same member, mine", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":3,"b":4}`, Mine, `both {"a":2,"b":4}`},
		{"the same member, theirs", `{"a":1,"b":1}`, `{"a":2,"b":5}`, `{"a":3,"b":1}`, Theirs, `both {"a":3,"b":5}`},
		{"removed member against changed", `{"a":1}`, `{}`, `{"a":2}`, Undecided, `conflict a`},
		{"removed member, theirs changed another", `{"a":1,"b":1}`, `{"b":1}`, `{"a":1,"b":2}`, Undecided, `both {"b":2}`},
		{
			"members of members", `{"env":{"A":"1","B":"1"}}`, `{"env":{"A":"2","B":"1"}}`, `{"env":{"A":"1"}}`, Undecided,
			`both {"env":{"A":"2"}}`,
		},
		{"members of new members", `{}`, `{"env":{"A":"1"}}`, `{"env":{"B":"1"}}`, Undecided, `both {"env":{"A":"1","B":"1"}}`},
		{"the same member of a member", `{"env":{"A":"1"}}`, `{"env":{"A":"2"}}`, `{"env":{"A":"3"}}`, Undecided, `conflict env.A`},
		{"lists are one value", `{"tags":["a"]}`, `{"tags":["a","b"]}`, `{"tags":["a","c"]}`, Undecided, `conflict tags`},
		{
			"a launch is one value", `{"launch":{"args":["a"],"command":"npx"}}`, `{"launch":{"args":["b"],"command":"npx"}}`,
			`{"launch":{"args":["a"],"command":"uvx"}}`, Undecided, `conflict launch`,
		},
		{"I removed, they changed", `{"a":1}`, "", `{"a":2}`, Undecided, `conflict `},
		{"I removed, they changed, mine", `{"a":1}`, "", `{"a":2}`, Mine, `there null`},
		{"I removed, they changed, theirs", `{"a":1}`, "", `{"a":2}`, Theirs, `here {"a":2}`},
		{"they removed, I changed, theirs", `{"a":1}`, `{"a":2}`, "", Theirs, `here null`},
		{"they removed, I changed, mine", `{"a":1}`, `{"a":2}`, "", Mine, `there {"a":2}`},
		{"null is not nothing", `{}`, `{"a":null}`, `{"a":1}`, Undecided, `conflict a`},
		{"large numbers stay exact", `{"a":1}`, `{"a":9007199254740993}`, `{"a":1}`, Undecided, `there {"a":9007199254740993}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			key := Key{Servers, "one"}
			side := func(text string) Objects {
				if o := object(t, text); o != nil {
					return Objects{key: o}
				}
				return Objects{}
			}
			steps := merge(side(row.base), side(row.mine), side(row.theirs), func(Key) Side { return row.decided })
			var got string
			for _, s := range steps {
				value, _ := json.Marshal(s.value)
				switch {
				case len(s.conflicts) > 0:
					got = "conflict " + strings.Join(s.conflicts, " ")
				case s.here && s.there:
					got = fmt.Sprintf("both %s", value)
				case s.here:
					got = fmt.Sprintf("here %s", value)
				default:
					got = fmt.Sprintf("there %s", value)
				}
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestAConflictOfOneObjectLeavesTheOthersAlone(t *testing.T) {
	a, b := Key{Servers, "a"}, Key{Toolsets, "b"}
	base := Objects{a: object(t, `{"x":1}`), b: object(t, `{"x":1}`)}
	mine, theirs := Objects{a: object(t, `{"x":2}`), b: object(t, `{"x":2}`)}, Objects{a: object(t, `{"x":3}`), b: object(t, `{"x":1}`)}
	steps := merge(base, mine, theirs, func(Key) Side { return Undecided })
	if len(steps) != 2 || len(steps[0].conflicts) != 1 || steps[0].here || steps[0].there || !steps[1].there {
		t.Errorf("got %+v", steps)
	}
}

func TestNamesThatDifferOnlyInCaseClash(t *testing.T) {
	got := clashes(Objects{Key{Servers, "Notes"}: {}, Key{Servers, "mail"}: {}, Key{Toolsets, "notes"}: {}},
		Objects{Key{Servers, "notes"}: {}})
	if len(got) != 2 || got[Key{Servers, "Notes"}] != "notes" || got[Key{Servers, "notes"}] != "Notes" {
		t.Errorf("got %v", got)
	}
	paths := differing(object(t, `{"a":{"b":1,"c":2},"d":1}`), object(t, `{"a":{"b":2,"c":2},"e":1}`))
	if !slices.Equal(paths, []string{"a.b", "d", "e"}) {
		t.Errorf("differences %q", paths)
	}
}
