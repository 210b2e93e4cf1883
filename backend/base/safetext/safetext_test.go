package safetext

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

type vector struct{ Name, In, Visible, Prose, Label, Runs string }

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil || len(all) == 0 {
		t.Fatalf("read the vectors: %v", err)
	}
	return all
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			if got := Visible(v.In); got != v.Visible {
				t.Errorf("Visible(%+q) = %+q, want %+q", v.In, got, v.Visible)
			}
			if got := Prose(v.In); got != v.Prose {
				t.Errorf("Prose(%+q) = %+q, want %+q", v.In, got, v.Prose)
			}
			if got := Label(v.In); got != v.Label {
				t.Errorf("Label(%+q) = %+q, want %+q", v.In, got, v.Label)
			}
			if got := Runs(v.In); v.Runs != "" && got != v.Runs {
				t.Errorf("Runs(%+q) = %+q, want %+q", v.In, got, v.Runs)
			}
		})
	}
}

func TestInvalidUTF8IsShown(t *testing.T) {
	const in = "not \xff\xfe UTF-8, \uFFFD was sent"
	if got, want := Visible(in), `not \xff\xfe UTF-8, `+"\uFFFD was sent"; got != want {
		t.Errorf("Visible: %q, want %q", got, want)
	}
	if got, want := Prose(in), `not \xff\xfe UTF-8, `+"\uFFFD was sent"; got != want {
		t.Errorf("Prose: %q, want %q", got, want)
	}
	if got, want := Label(in), "not \uFFFD UTF-8, \uFFFD was sent"; got != want {
		t.Errorf("Label: %q, want %q", got, want)
	}
}

func TestClipCountsCharacters(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 1, ""},
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"ééééé", 5, "ééééé"},
		{"éééééé", 5, "éééé…"},
		{"🙂🙂", 1, "…"},
		{"\xff\xff\xff", 2, "\xff…"},
	} {
		if got := Clip(test.in, test.n); got != test.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

func TestPrefixCountsBytes(t *testing.T) {
	for _, test := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"aé", 2, "a"},
		{"🙂🙂", 7, "🙂"},
		{"🙂", 3, ""},
	} {
		if got := Prefix(test.in, test.n); got != test.want {
			t.Errorf("Prefix(%q, %d) = %q, want %q", test.in, test.n, got, test.want)
		}
	}
}

func FuzzNothingStaysHidden(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.In, 7)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		for name, got := range map[string]string{"Visible": Visible(s), "Label": Label(s)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, Hidden) {
				t.Errorf("%s(%+q) = %+q", name, s, got)
			}
		}
		if got := Prose(s); !utf8.ValidString(got) ||
			strings.ContainsFunc(got, func(r rune) bool { return Hidden(r) && !harmless('\ufe0f', r) }) {
			t.Errorf("Prose(%+q) = %+q", s, got)
		}
		n = max(1, n&0xff)
		if got := Clip(s, n); utf8.RuneCountInString(got) > n {
			t.Errorf("Clip(%+q, %d) = %+q", s, n, got)
		}
		if got := Prefix(s, n); len(got) > n || !strings.HasPrefix(s, got) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("Prefix(%+q, %d) = %+q", s, n, got)
		}
	})
}

func TestJSONMeansTheSameWithoutHiddenCharacters(t *testing.T) {
	for _, v := range vectors(t) {
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "\t")
		if err := encoder.Encode(map[string]string{v.In: v.In}); err != nil {
			t.Fatal(err)
		}
		shown := JSON(text.String())
		var got map[string]string
		if err := json.Unmarshal([]byte(shown), &got); err != nil || got[v.In] != v.In {
			t.Errorf("%s: %s decodes to %q, %v", v.Name, shown, got, err)
		}
		if strings.ContainsFunc(shown, func(r rune) bool { return Hidden(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%s: %+q has a hidden character", v.Name, shown)
		}
	}
	if got, want := JSON("{\r\n\"a\xff\u009b\u202e\U000e0041\": 1}"), "{ \n\"a\ufffd\\u009b\\u202e\\udb40\\udc41\": 1}"; got != want {
		t.Errorf("got %+q, want %+q", got, want)
	}
}
