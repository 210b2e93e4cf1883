package settings

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// guide is the page that shows the defaults.
const guide = "../../../frontend/guide/settings.md"

var update = flag.Bool("update", false, "write the defaults to the guide")

// defaults returns config.yaml with all defaults and with the comments of Table.
func defaults() string {
	var out strings.Builder
	group := ""
	for i := 0; i < len(Table); i++ {
		row := Table[i]
		path := strings.Split(row.Key, ".")
		if len(path) > 1 && path[0] != group {
			fmt.Fprintf(&out, "%s:\n", path[0])
		}
		group, _, _ = strings.Cut(row.Key+" ", ".")
		indent := strings.Repeat("  ", min(len(path)-1, 1))
		name, value := path[len(path)-1], exampleOf(row)
		if len(path) > 2 { // a group in a group is written in one line
			inner := []string{name + ": " + value}
			for ; i+1 < len(Table) && strings.HasPrefix(Table[i+1].Key, path[0]+"."+path[1]+"."); i++ {
				next := Table[i+1]
				inner, row.Comment = append(inner, next.Key[strings.LastIndex(next.Key, ".")+1:]+": "+exampleOf(next)), next.Comment
			}
			name, value = path[1], "{"+strings.Join(inner, ", ")+"}"
		}
		line := indent + name + ": " + value
		if row.Comment != "" {
			line = fmt.Sprintf("%-23s # %s", line, row.Comment)
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

func exampleOf(row Row) string {
	switch v := row.fallback.(type) {
	case time.Duration:
		return strings.TrimSuffix(v.String(), "m0s") + map[bool]string{true: "m"}[strings.HasSuffix(v.String(), "m0s")]
	case Seconds:
		return fmt.Sprint(time.Duration(v).Seconds())
	case string:
		if v == "" {
			return `""`
		}
		return v
	case int, bool:
		return fmt.Sprint(v)
	}
	return "[]"
}

func TestTheGuideShowsTheDefaultsOfTheTable(t *testing.T) {
	checkGuide(t, "```yaml\n", defaults(), "```")
}

func TestTheGuideShowsTheVariablesOfTheTable(t *testing.T) {
	checkGuide(t, "| variable | setting |\n|---|---|\n", variables(), "\n")
}

// checkGuide checks that the guide has the text want between the first occurrence of before and the next line that
// begins with after. With -update, it writes want to that place.
func checkGuide(t *testing.T, before, want, after string) {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), before)
	end := strings.Index(rest, "\n"+after) + 1
	if !found || end == 0 {
		t.Fatalf("the guide has no block that begins with %q", before)
	}
	switch {
	case rest[:end] == want:
	case *update:
		if err := os.WriteFile(guide, []byte(head+before+want+rest[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the guide differs from the table; write it with: go test ./backend/base/settings -run TheGuide -update\n%s", want)
	}
}

// variables returns the rows of the guide's table of environment variables.
func variables() string {
	var out strings.Builder
	for _, row := range Table {
		if row.Env != "" {
			fmt.Fprintf(&out, "| `%s` | `%s`%s |\n", row.Variable(), row.Key, valuesOf(row))
		}
	}
	return out.String()
}

// valuesOf describes the form of the values of a setting's environment variable, or returns "" if the file has values
// of the same form.
func valuesOf(row Row) string {
	switch row.fallback.(type) {
	case bool:
		return ": `on` or `off`"
	case time.Duration, Seconds:
		return ", in seconds"
	case []string:
		return ", separated by commas"
	}
	s := Default()
	if row.set != nil && row.set(&s, "off") == nil && *row.of(&s).(*string) == "" {
		return "; `off` for none"
	}
	return ""
}

func TestTheDefaultsOfTheGuideAreTheDefaults(t *testing.T) {
	s, err := load(t, defaults())
	if err != nil {
		t.Fatal(err)
	}
	now, usual := s.Values(), func() map[string]any { d := Default(); return d.Values() }()
	got, _ := json.Marshal(now)
	want, _ := json.Marshal(usual)
	if !bytes.Equal(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	var document map[string]any
	if err := yaml.Unmarshal([]byte(defaults()), &document); err != nil || len(document) == 0 {
		t.Error(err)
	}
}
