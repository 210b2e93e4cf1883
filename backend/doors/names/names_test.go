package names

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// slugs are the slugs of the servers in the tests.
var slugs = []string{"gh", "a", "svn", "my-server.v2", "x-ref", "ui", "skill", "a.b-c"}

func known(slug string) bool { return slices.Contains(slugs, slug) }

func TestASlugResemblesTheNameAndIsUnique(t *testing.T) {
	taken := make(map[string]bool)
	for _, row := range [][2]string{
		{"github", "github"},
		{"GitHub", "github-2"},
		{"github", "github-3"},
		{"my_server", "my-server"},
		{"My.Server-2", "my.server-2"},
		{"7zip", "s7zip"},
		{"_", "server"},
		{"", "server-2"},
		{"é tools", "tools"},
		{"git", "git-2"}, // git+https is a scheme
		{"svn", "svn-2"},
		{"a..", "a"},
	} {
		slug := Slug(row[0], func(slug string) bool { return taken[slug] })
		if slug != row[1] {
			t.Errorf("the slug of %q is %q, want %q", row[0], slug, row[1])
		}
		taken[slug] = true
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("GitHub_2")
	f.Add("9.-")
	f.Add("\xff世")
	f.Fuzz(func(t *testing.T, name string) {
		first := Slug(name, func(string) bool { return false })
		second := Slug(name, func(slug string) bool { return slug == first })
		for _, slug := range []string{first, second} {
			if slug[0] < 'a' || slug[0] > 'z' || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
				t.Errorf("the slug of %q is %q", name, slug)
			}
		}
		if first == second {
			t.Errorf("two servers have the slug %q", first)
		}
	})
}

func TestLongNamesAreCutAndStayDifferent(t *testing.T) {
	long := Full("s", strings.Repeat("b", 80))
	for _, row := range []struct {
		limit int
		want  string
	}{
		{0, long},
		{100, long},
		{49, "s__bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb_05b1bf"},
		{1, "s__bbbbbbbbbb_05b1bf"},
		{-1, long},
	} {
		got := Cut([]string{"s__short", long}, row.limit)
		if got[0] != "s__short" || got[1] != row.want {
			t.Errorf("limit %d: %q, want %q", row.limit, got, row.want)
		}
	}
	// Two names with the same first six digits of their hashes.
	var same []string
	seen := make(map[string]string)
	for i := 0; same == nil; i++ {
		name := fmt.Sprintf("server__a_name_that_is_too_long_%d", i)
		short := cut(name, 20, shortHash)
		if other, ok := seen[short]; ok {
			same = []string{other, name}
		}
		seen[short] = name
	}
	got := Cut(same, 20)
	if got[0] == got[1] || len(got[0]) != 20 {
		t.Errorf("%q are shown as %q", same, got)
	}
	for i, name := range same { // with a short and with a long hash
		if !CutTo(name, cut(name, 20, shortHash), 20) || !CutTo(name, got[i], 20) {
			t.Errorf("%q is not recognized as %q", got[i], name)
		}
		if CutTo(name, got[1-i], 20) || CutTo(name, name, 20) || CutTo(name, got[i], 21) || CutTo(name, name, 0) {
			t.Errorf("%q is recognized under a name that Cut does not show", name)
		}
	}
}

func FuzzShownNamesAreDifferent(f *testing.F) {
	f.Add("github", "create_pr", "list__all")
	f.Add("a-b.c", "__x", "_")
	f.Add("s", strings.Repeat("n", 80), strings.Repeat("n", 81))
	f.Fuzz(func(t *testing.T, server, first, second string) {
		if server == "" || strings.Contains(server, "__") || strings.HasSuffix(server, "_") || first == second {
			t.Skip() // not the name of a server, or not two tools
		}
		tools := []string{Full(server, first), Full(server, second), Full("other", first)}
		names := Cut(tools, 30)
		listed := make(map[string]string)
		for i, name := range names {
			if listed[name] != "" {
				t.Fatalf("%q is shown for two of %q", name, tools)
			}
			listed[name] = tools[i]
		}
	})
}
