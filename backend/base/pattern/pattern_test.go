package pattern

import (
	"errors"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPatternsMatchWholeNames(t *testing.T) {
	for _, c := range []struct{ pattern, yes, no string }{
		{"get_issue", "get_issue", "get_issues,Get_issue,xget_issue"},
		{"github_*", "github_,github_create", "github,my_github_x"},
		{"*_delete", "file_delete,_delete", "file_delete_all"},
		{"*issue*", "issue,list_issues", "iss_ue"},
		{"*", "a,", ""},
		{"get_?", "get_a,get_é", "get_,get_ab"},
		{"[a-c]x", "ax,cx", "dx,x,aax"},
		{"[!a-c]x", "dx,éx", "ax"},
		{"[^a]", "b", "a"},
		{"[]a]", "],a", "b"},
		{"[a-]", "a,-", "b"},
		{`[\]x]`, "],x", "a"},
		{`a\*b`, "a*b", "axb"},
		{`\!x`, "!x", "x"},
		{"a*b*c", "abc,aXbYc,abbcc", "ab,acb,xabc"},
		{"*a?c", "abc,xxabc,abcabc", "ac,abcd"},
		{"ö*", "öl", "ol"},
		{`/\b(read|list)\b/i`, "read,LIST files,read-file", "reader,read_file"},
		{"/^get/", "get,getter", "Get,target"},
		{"/^GET/i", "get,GetIt", "target"},
		{"/a.b/s", "a\nb", "ab"},
		{"/^b$/m", "a\nb", "ab"},
		{"/a/b/", "xa/b", "ab"},
		{`/a\/b/`, "xa/b", "ab"},
		{"/k/i", "K,k,\u212a", "x"}, // U+212A, the Kelvin sign, is k in another case
		{"/(?i:get)_x|put/", "GET_x,put", "get_X,PUT"},
		{"/(create|delete)_(issue|repo)/", "create_issue,x_delete_repos", "create,issue"},
	} {
		p, err := Parse(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, name := range strings.Split(c.yes, ",") {
			if !p.hits(NewName(name)) {
				t.Errorf("%s does not match %q", c.pattern, name)
			}
		}
		for _, name := range strings.Split(c.no, ",") {
			if c.no != "" && p.hits(NewName(name)) {
				t.Errorf("%s matches %q", c.pattern, name)
			}
		}
	}
}

func TestAnyMatchingNegationExcludes(t *testing.T) {
	for _, c := range []struct {
		patterns string
		name     string
		want     int
	}{
		{"a* b*", "bx", 1},
		{"a* b*", "c", -1},
		{"* !*delete*", "file_delete", -1},
		{"!*delete* *", "file_delete", -1},
		{"!*delete* *", "file_read", 1},
		{"a* !/drop/i b*", "b_DROP", -1},
		{"!a*", "b", 1}, // a list that only excludes matches the rest
		{"!a*", "a", -1},
		{"", "b", 0},
	} {
		var l List
		for _, text := range strings.Fields(c.patterns) {
			p, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			l = append(l, p)
		}
		if got := l.Match(NewName(c.name)); got != c.want {
			t.Errorf("%q matches %q at %d, want %d", c.patterns, c.name, got, c.want)
		}
		if got := l.Excludes(NewName(c.name)); got >= 0 && c.want >= 0 {
			t.Errorf("%q matches %q, and %s excludes it", c.patterns, c.name, l[got])
		}
	}
}

func TestInvalidPatternsAreExplainedWithAPosition(t *testing.T) {
	for text, want := range map[string]struct {
		at     int
		reason string
	}{
		"":                        {0, "empty"},
		"!":                       {1, "empty"},
		"!!a":                     {1, `one "!"`},
		"ab[c":                    {2, `no closing "]"`},
		"![c":                     {1, `no closing "]"`},
		"[":                       {0, `no closing "]"`},
		"[a-":                     {0, `no closing "]"`},
		`[\`:                      {0, `no closing "]"`},
		"x[z-a]":                  {2, "z-a is empty"},
		`ab\`:                     {2, "must follow"},
		"get_{a,b}":               {4, "regular expression between slashes"},
		"/abc":                    {0, `closing "/"`},
		"//":                      {1, "empty"},
		"//i":                     {1, "empty"},
		"/a/g":                    {3, `unknown flag 'g'`},
		"!/a/iu":                  {5, `unknown flag 'u'`},
		"/ab(?=c)/":               {3, "no look-around"},
		`/(a)\1/`:                 {4, "no look-around and no back-references"},
		"/a(b/":                   {1, "missing closing )"},
		"/x[z-a]/":                {3, "invalid character class range"},
		"/a**/":                   {2, "invalid nested repetition"},
		"/a{2000}/":               {2, "invalid repeat count"},
		"\xff":                    {0, "UTF-8"},
		strings.Repeat("a", 1001): {1000, "longer than 1000"},
	} {
		_, err := Parse(text)
		var e *Error
		if !errors.As(err, &e) || e.At != want.at || !strings.Contains(e.Reason, want.reason) {
			t.Errorf("%q: got %+v, want %q at %d", text, err, want.reason, want.at)
		}
	}
}

// FuzzGlob compares matches of globs with those of package path. Both agree for names
// without slashes, except that this package refuses braces.
func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{
		{"a*b?c", "axbyc"}, {"[a-c]*[!x]", "cy"}, {`\**`, "*x"}, {"*a*a*a*b", "aaaaaaaaaaac"}, {"[^a]", "é"}, {"*?*?", "ab"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := Parse(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 0 || e.At > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		got := p.hits(NewName(name))
		if text[0] == '!' || text[0] == '/' || strings.Contains(name, "/") || !utf8.ValidString(name) {
			return
		}
		if strings.Contains(text, "[!") { // path spells it [^
			return
		}
		if want, err := path.Match(text, name); err == nil && got != want {
			t.Errorf("%q matches %q: %t, package path: %t", text, name, got, want)
		}
	})
}

// FuzzRegexp compares matches of expressions with those of package regexp, which does
// not search for needed texts first.
func FuzzRegexp(f *testing.F) {
	for _, seed := range [][3]string{
		{`\b(read|list)\b`, "i", "a List"},
		{"(?i)k+ab", "", "\u212aab"},
		{"a|", "", ""},
		{"(a+b)*c{2,3}", "s", "cc"},
		{"^(get|list)_", "i", "GET_x"},
		{"(issue|branch)s?$", "", "my_issues"},
		{"^a$", "", "a"},
		{"(issue|branch)s?$", "", "issues_x"},
		{"^a$", "", "ab"},
		{"^get", "i", "aGET"},
		{"[a-c]x", "i", "Bx"},
		{"^", "", ""},
		{"(?i:a)b", "", "Ab"},
		{"get_(a|bc)d", "i", "GET_BCD"},
		{"[Aa]b", "m", "AB"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, body, chosen, name string) {
		p, err := Parse("/" + body + "/" + chosen)
		if err != nil || strings.Contains(chosen, "/") {
			return
		}
		expression := body
		if chosen != "" {
			expression = "(?" + chosen + ")" + body
		}
		want := regexp.MustCompile(expression).MatchString(name)
		if got := p.hits(NewName(name)); got != want {
			t.Errorf("/%s/%s matches %q: %t, package regexp: %t", body, chosen, name, got, want)
		}
	})
}
