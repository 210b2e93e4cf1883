package longresult

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// textsOf returns the texts of a result.
func textsOf(t *testing.T, result json.RawMessage) []string {
	t.Helper()
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	var out []string
	for _, block := range r.Content {
		out = append(out, block.Text)
	}
	return out
}

// ofText returns a result with a text.
func ofText(text string) json.RawMessage { return texts(text) }

var offsetPattern = regexp.MustCompile(`"offset":([0-9]+)`)

// readAll reads a cut result to its end and returns the whole text.
func readAll(t *testing.T, s *Store, session string, cut json.RawMessage, limit int) string {
	t.Helper()
	var whole strings.Builder
	for range 100_000 {
		if len(cut) > limit {
			t.Fatalf("a part has %d bytes, more than %d", len(cut), limit)
		}
		list := textsOf(t, cut)
		last := list[len(list)-1]
		whole.WriteString(strings.Join(list[:len(list)-1], ""))
		next := offsetPattern.FindStringSubmatch(last)
		if next == nil {
			if !strings.Contains(last, "This is the end of r1") {
				t.Fatalf("the last part says %q", last)
			}
			return whole.String()
		}
		offset, _ := strconv.Atoi(next[1])
		if offset != whole.Len() {
			t.Fatalf("after %d bytes, the next offset is %d", whole.Len(), offset)
		}
		var err error
		if cut, err = s.Read(session, Query{Handle: "r1", Offset: offset}, limit); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("there is no end")
	return ""
}

func TestALongTextIsReadOnToItsEnd(t *testing.T) {
	lines := make([]string, 6_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d says \"%s\" <b>é…\U0001F600\\", i, strings.Repeat("x", i%200))
	}
	for name, text := range map[string]string{
		"lines":       strings.Join(lines, "\n"),
		"one line":    strings.Repeat("ab\u00e9\U0001F600\"\x01", 20_000),
		"only breaks": strings.Repeat("\n", 30_000),
	} {
		t.Run(name, func(t *testing.T) {
			var s Store
			result := jsonrpc.Set(ofText(text), "_meta", json.RawMessage(`{"kept":1}`))
			cut := s.Cut("a", result, DefaultLimit)
			if string(jsonrpc.Get(cut, "_meta")) != `{"kept":1}` {
				t.Errorf("other members are lost: %s", cut[max(0, len(cut)-200):])
			}
			if got := readAll(t, &s, "a", cut, DefaultLimit); got != text {
				t.Errorf("read %d bytes of %d", len(got), len(text))
			}
		})
	}
}

func TestAShortResultIsNotChanged(t *testing.T) {
	var s Store
	result := json.RawMessage(`{"content":[{"type":"text","text":"<short>"}], "structuredContent":{"a":1}}`)
	if got := s.Cut("a", result, DefaultLimit); string(got) != string(result) {
		t.Errorf("got %s", got)
	}
	if odd := json.RawMessage(`{"x":"` + strings.Repeat("y", DefaultLimit) + `"}`); string(s.Cut("a", odd, DefaultLimit)) != string(odd) {
		t.Error("a result without content is changed")
	}
}

func TestBlocksThatFitAreKept(t *testing.T) {
	var s Store
	small, image := `{"type":"text","text":"first <b>","annotations":{"x":1}}`, `{"type":"image","mimeType":"image/png","data":"`+strings.Repeat("A", 30_000)+`"}`
	result := json.RawMessage(`{"content":[` + small + `,` + image + `,{"type":"resource_link","uri":"file:///a","name":"n"},{"type":"text","text":"` + strings.Repeat("z", 30_000) + `"}],"structuredContent":{"b":2},"isError":true}`)
	cut := s.Cut("a", result, DefaultLimit)
	if !strings.HasPrefix(string(cut), `{"content":[`+small+`,`) || strings.Contains(string(cut), "structuredContent") || !strings.Contains(string(cut), `"isError":true`) {
		t.Errorf("got %.300s", cut)
	}
	list := textsOf(t, cut)
	if list[1] != "[block 1: image image/png, 22500 bytes]\n" || !strings.Contains(string(cut), `{"type":"resource_link","uri":"file:///a","name":"n"}`) {
		t.Errorf("got %q", list[:3])
	}
	n := 1
	whole, err := s.Read("a", Query{Handle: "r1", Block: &n}, DefaultLimit)
	if want := `{"content":[` + image + `]}`; err != nil || string(whole) != want {
		t.Errorf("the image is %.100s, %v", whole, err)
	}
}

func TestLinesAreSearched(t *testing.T) {
	var s Store
	var text strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&text, "entry %d\n", i)
	}
	s.Cut("a", ofText(text.String()), DefaultLimit)
	got, err := s.Read("a", Query{Handle: "r1", Grep: "^entry 29(5|9)99$", Context: 1}, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string {
		line := fmt.Sprintf("entry %d\n", i)
		return fmt.Sprintf("%d: %s", strings.Index(text.String(), "\n"+line)+1, line)
	}
	if want := at(29598) + at(29599) + at(29600) + at(29998) + at(29999); textsOf(t, got)[0] != want {
		t.Errorf("got %q, want %q", textsOf(t, got), want)
	}
	// Many matches come in parts.
	seen, offset := 0, 0
	for parts := 0; ; parts++ {
		got, err := s.Read("a", Query{Handle: "r1", Grep: "entry", Offset: offset}, DefaultLimit)
		if err != nil || len(got) > DefaultLimit {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		list := textsOf(t, got)
		seen += strings.Count(list[0], "\n")
		next := offsetPattern.FindStringSubmatch(list[1])
		if next == nil {
			break
		}
		offset, _ = strconv.Atoi(next[1])
	}
	if seen != 30_000 {
		t.Errorf("found %d lines", seen)
	}
	if got, err := s.Read("a", Query{Handle: "r1", Grep: "nothing"}, DefaultLimit); err != nil || !strings.Contains(string(got), "No line matches") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestPathsSelectFromJSON(t *testing.T) {
	var items []string
	for i := range 20_000 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"n<%d>","big":9007199254740993}`, i, i))
	}
	minified := `{"items":[` + strings.Join(items, ",") + `]}`
	for name, result := range map[string]json.RawMessage{
		"text":       ofText(minified),
		"structured": jsonrpc.Set(ofText(strings.Repeat("x", 30_000)), "structuredContent", json.RawMessage(minified)),
		"no text":    jsonrpc.Set(json.RawMessage(`{"content":[]}`), "structuredContent", json.RawMessage(minified)),
	} {
		t.Run(name, func(t *testing.T) {
			var s Store
			cut := s.Cut("a", result, DefaultLimit)
			if len(cut) > DefaultLimit {
				t.Errorf("the beginning has %d bytes", len(cut))
			}
			for _, line := range strings.Split(strings.Join(textsOf(t, cut), "\n"), "\n") {
				if len(line) > 30_001 || name == "text" && len(line) > longLine {
					t.Fatalf("a line has %d bytes", len(line))
				}
			}
			got, err := s.Read("a", Query{Handle: "r1", Path: "$.items[?@.id==19999]"}, DefaultLimit)
			if err != nil {
				t.Fatal(err)
			}
			var selected []map[string]json.RawMessage
			if err := json.Unmarshal([]byte(textsOf(t, got)[0]), &selected); err != nil || len(selected) != 1 ||
				string(selected[0]["name"]) != `"n<19999>"` || string(selected[0]["big"]) != "9007199254740993" {
				t.Errorf("got %s, %v", got, err)
			}
			long, err := s.Read("a", Query{Handle: "r1", Path: "$.items[*].name"}, DefaultLimit)
			if err != nil || len(long) > DefaultLimit || !strings.Contains(string(long), `\"handle\":\"r2\"`) {
				t.Errorf("a long selection: %d bytes, %v", len(long), err)
			}
		})
	}
}

func TestWrongQueriesSayWhatToDo(t *testing.T) {
	var s Store
	s.Cut("a", ofText(strings.Repeat("text\n", 10_000)), DefaultLimit)
	n := 7
	for want, q := range map[string]Query{
		`unknown handle "r9"`:      {Handle: "r9"},
		"only one of grep":         {Handle: "r1", Grep: "x", Path: "$"},
		"offset -1 is outside":     {Handle: "r1", Offset: -1},
		"offset 50001 is outside":  {Handle: "r1", Offset: 50_001},
		"not a regular expression": {Handle: "r1", Grep: "("},
		"this result is not JSON":  {Handle: "r1", Path: "$"},
		"context must be from 0":   {Handle: "r1", Grep: "x", Context: 21},
		"block 7 is not an image":  {Handle: "r1", Block: &n},
	} {
		if _, err := s.Read("a", q, DefaultLimit); err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	s.Cut("a", ofText(`{"a":[`+strings.Repeat("1,", 10_000)+`1]}`), DefaultLimit)
	if _, err := s.Read("a", Query{Handle: "r2", Path: "$.["}, DefaultLimit); err == nil || !strings.Contains(fault.MessageOf(err), "not a JSONPath") {
		t.Errorf("got %v", err)
	}
}

func TestHandlesBelongToTheirSession(t *testing.T) {
	var s Store
	s.Cut("a", ofText(strings.Repeat("secret\n", 10_000)), DefaultLimit)
	if _, err := s.Read("b", Query{Handle: "r1"}, DefaultLimit); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another session: %v", err)
	}
	s.EndSession("a")
	if _, err := s.Read("a", Query{Handle: "r1"}, DefaultLimit); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after the end: %v", err)
	}
	if s.size != 0 || len(s.sessions) != 0 {
		t.Errorf("%d bytes of %d sessions are kept", s.size, len(s.sessions))
	}
}

func TestTheLongestUnusedResultIsForgotten(t *testing.T) {
	var s Store
	big := ofText(strings.Repeat("0123456789abcde\n", maxSession/40)) // two fit
	for range 2 {
		s.Cut("a", big, DefaultLimit)
	}
	if _, err := s.Read("a", Query{Handle: "r1"}, DefaultLimit); err != nil {
		t.Fatal(err)
	}
	s.Cut("a", big, DefaultLimit)
	if _, err := s.Read("a", Query{Handle: "r2"}, DefaultLimit); err == nil || !strings.Contains(fault.MessageOf(err), "no longer kept") {
		t.Errorf("r2: %v", err)
	}
	if _, err := s.Read("a", Query{Handle: "r1"}, DefaultLimit); err != nil {
		t.Errorf("r1: %v", err)
	}
}
