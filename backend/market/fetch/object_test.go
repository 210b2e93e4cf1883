package fetch

import (
	"encoding/json"
	"testing"
)

func TestValuesOfTheWrongTypeCountAsMissing(t *testing.T) {
	var o Object
	if err := json.Unmarshal([]byte(`{"text":"a\u202eb\n c","list":["x",1,{"a":"b"},null],"number":12.7,"less":-1,"object":{"a":"b"},"time":"2026-01-02T03:04:05Z","one":"x"}`),
		&o); err != nil {
		t.Fatal(err)
	}
	for name, odd := range map[string]bool{
		"text": o.Text("text") != "ab c", "no text": o.Text("list") != "" || o.Text("none") != "" || o.Text("object") != "",
		"list":    len(o.Texts("list", 5)) != 1 || len(o.Texts("one", 5)) != 1 || len(o.Texts("object", 5)) != 0,
		"objects": len(o.Objects("list")) != 1 || len(o.Objects("text")) != 0, "number": o.Number("number") != 12 ||
			o.Number("less") != 0 || o.Number("text") != 0, "object": o.Object("object").Text("a") != "b" || o.Object("list") != nil,
		"time": o.Time("time").Year() != 2026 || !o.Time("text").IsZero(),
	} {
		if odd {
			t.Errorf("%s is not read as expected", name)
		}
	}
}

func TestRepositoriesBecomeWebAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"git+https://github.com/a/b.git":    "https://github.com/a/b",
		"git://github.com/a/b.git":          "https://github.com/a/b",
		"git@github.com:a/b.git":            "https://github.com/a/b",
		"git+ssh://git@github.com/a/b.git":  "https://github.com/a/b",
		"github:a/b":                        "https://github.com/a/b",
		"https://user:secret@x.example/a#b": "https://x.example/a#b",
		"http://x.example":                  "https://x.example",
		"javascript:alert(1)":               "",
		"data:text/html,x":                  "",
		"file:///etc/passwd":                "",
		"a/b":                               "",
		"https://x.example/\u202egpj.exe":   "",
		"https://":                          "",
		"":                                  "",
	} {
		if got := Web(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
