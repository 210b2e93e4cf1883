package configedit

import "testing"

func TestExtensionsAreFoundOutsideOfStrings(t *testing.T) {
	all := []Extension{ByteOrderMark, Comment, TrailingComma}
	for _, c := range []struct {
		text  string
		of    []Extension
		which Extension
		line  int
	}{
		{"{\"a\": \"// ,}\"}", all, "", 0},
		{"{\"a\": 1}\n", all, "", 0},
		{"", all, "", 0},
		{"\uFEFF{}", all, ByteOrderMark, 1},
		{"\uFEFF{}", all[1:], "", 0},
		{"{\n/* a,\n} */ \"a\": [1,\n2,\n]}", all, Comment, 2},
		{"{\n/* a,\n} */ \"a\": [1,\n2,\n]}", all[2:], TrailingComma, 4},
		{"{\r\n\"a\": 1,\r\n}", all, TrailingComma, 2},
		{"// only a comment", all, Comment, 1},
		{"{\"a\": 1, }", all[:2], "", 0},
	} {
		which, line, found := FindExtension([]byte(c.text), c.of)
		if which != c.which || line != c.line || found != (c.which != "") {
			t.Errorf("%q: got %s on line %d", c.text, which, line)
		}
	}
}
