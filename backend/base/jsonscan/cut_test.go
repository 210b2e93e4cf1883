package jsonscan

import "testing"

func TestCutsLeaveAnObject(t *testing.T) {
	drop := func(name []byte) bool { return string(name) == "x" }
	for raw, want := range map[string]string{
		`{"x":1,"a":2}`:                  `{"a":2}`,
		`{"a":2 , "x":1}`:                `{"a":2}`,
		`{ "x":1 , "x":[2] , "a":{} }`:   `{ "a":{} }`,
		`{"a":1,"x":2,"b":3,"\u0078":4}`: `{"a":1,"b":3}`,
		`{"x":1}`:                        `{}`,
		`{"a":{"x":1}}`:                  `{"a":{"x":1}}`, // members of members stay
		`["x"]`:                          `["x"]`,
		`{"a":1,"x":2`:                   `{"a":1,"x":2`, // text that is not valid stays
		``:                               ``,
	} {
		if got := string(AppendWithout(nil, []byte(raw), AppendCuts(nil, []byte(raw), 0, drop))); got != want {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
}

func TestCutsOfSeveralObjectsAreMadeAtOnce(t *testing.T) {
	raw := []byte(`[{"x":1,"a":2},{"a":3,"x":{"x":4}}]`)
	drop := func(name []byte) bool { return string(name) == "x" }
	cuts := AppendCuts(AppendCuts(nil, raw, 1, drop), raw, 15, drop)
	if got := string(AppendWithout([]byte("> "), raw, cuts)); got != `> [{"a":2},{"a":3}]` {
		t.Errorf("got %s", got)
	}
}
