package longresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// textsOf returns the texts of the blocks of a result.
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

func ofText(text string) json.RawMessage { return texts(text) }

var clientA = Client{Session: "a", Limit: DefaultLimit}

// numbered returns the actual handle of the result that a test calls r1, r2 and so on. The result belongs to clientA.
func numbered(s *Store, handle string) string {
	if of := s.sessions["a"]; of != nil {
		return of.mark + handle[1:]
	}
	return handle
}

// read calls s.Read for clientA with a handle such as r1.
func read(s *Store, q Query) (json.RawMessage, error) {
	q.Handle = numbered(s, q.Handle)
	return s.Read(clientA, q)
}

var offsetPattern = regexp.MustCompile(`"offset":([0-9]+)`)

// readAll reads the rest of a cut result and returns the whole text.
func readAll(t *testing.T, s *Store, c Client, cut json.RawMessage) string {
	t.Helper()
	var whole strings.Builder
	for range 100_000 {
		if len(cut) > c.Limit {
			t.Fatalf("a part has %d bytes, more than %d", len(cut), c.Limit)
		}
		list := textsOf(t, cut)
		last := list[len(list)-1]
		whole.WriteString(strings.Join(list[:len(list)-1], ""))
		next := offsetPattern.FindStringSubmatch(last)
		if next == nil {
			if !strings.Contains(last, "This is the end of "+numbered(s, "r1")) {
				t.Fatalf("the last part says %q", last)
			}
			return whole.String()
		}
		offset, _ := strconv.Atoi(next[1])
		if offset != whole.Len() {
			t.Fatalf("after %d bytes, the next offset is %d", whole.Len(), offset)
		}
		var err error
		if cut, err = read(s, Query{Handle: "r1", Offset: offset}); err != nil {
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
			cut := s.Cut(clientA, result)
			if string(jsonrpc.Get(cut, "_meta")) != `{"kept":1}` {
				t.Errorf("other members are lost: %s", cut[max(0, len(cut)-200):])
			}
			if got := readAll(t, &s, clientA, cut); got != text {
				t.Errorf("read %d bytes of %d", len(got), len(text))
			}
		})
	}
}

func TestAShortResultIsNotChanged(t *testing.T) {
	var s Store
	result := json.RawMessage(`{"content":[{"type":"text","text":"<short>"}], "structuredContent":{"a":1}}`)
	if got := s.Cut(clientA, result); string(got) != string(result) {
		t.Errorf("got %s", got)
	}
	if odd := json.RawMessage(`{"x":"` + strings.Repeat("y", DefaultLimit) + `"}`); string(s.Cut(clientA, odd)) != string(odd) {
		t.Error("a result without content is changed")
	}
}

func TestBlocksThatFitAreKept(t *testing.T) {
	var s Store
	small, sound := `{"type":"text","text":"first <b>","annotations":{"x":1}}`,
		`{"type":"audio","mimeType":"audio/wav","data":"`+strings.Repeat("A", 30_000)+`"}`
	result := json.RawMessage(`{"content":[` + small + `,` + sound +
		`,{"type":"resource_link","uri":"file:///a","name":"n"},{"type":"text","text":"` + strings.Repeat("z",
		30_000) + `"}],"structuredContent":{"b":2},"isError":true}`)
	cut := s.Cut(clientA, result)
	if !strings.Contains(string(cut), `"content":[`+small+`,`) || strings.Contains(string(cut), "structuredContent") ||
		!strings.Contains(string(cut), `"isError":true`) {
		t.Errorf("got %.300s", cut)
	}
	list := textsOf(t, cut)
	if list[1] != "[block 1: audio audio/wav, 22500 bytes]\n" ||
		!strings.Contains(string(cut), `{"type":"resource_link","uri":"file:///a","name":"n"}`) {
		t.Errorf("got %q", list[:3])
	}
	n := 1
	whole, err := read(&s, Query{Handle: "r1", Block: &n})
	if want := `{"content":[` + sound + `]}`; err != nil || string(whole) != want {
		t.Errorf("the sound is %.100s, %v", whole, err)
	}
}

func TestLinesAreSearched(t *testing.T) {
	var s Store
	var text strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&text, "entry %d\n", i)
	}
	s.Cut(clientA, ofText(text.String()))
	got, err := read(&s, Query{Handle: "r1", Grep: "^entry 29(5|9)99$", Context: 1})
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
	// Many matches are returned in several parts.
	seen, offset := 0, 0
	for parts := 0; ; parts++ {
		got, err := read(&s, Query{Handle: "r1", Grep: "entry", Offset: offset})
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
	if got, err := read(&s, Query{Handle: "r1", Grep: "nothing"}); err != nil || !strings.Contains(string(got), "No line matches") {
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
			cut := s.Cut(clientA, result)
			if len(cut) > DefaultLimit {
				t.Errorf("the beginning has %d bytes", len(cut))
			}
			for _, line := range strings.Split(strings.Join(textsOf(t, cut), "\n"), "\n") {
				if len(line) > 30_001 || name == "text" && len(line) > longLine {
					t.Fatalf("a line has %d bytes", len(line))
				}
			}
			got, err := read(&s, Query{Handle: "r1", Path: "$.items[?@.id==19999]"})
			if err != nil {
				t.Fatal(err)
			}
			var selected []map[string]json.RawMessage
			if err := json.Unmarshal([]byte(textsOf(t, got)[0]), &selected); err != nil || len(selected) != 1 ||
				string(selected[0]["name"]) != `"n<19999>"` || string(selected[0]["big"]) != "9007199254740993" {
				t.Errorf("got %s, %v", got, err)
			}
			long, err := read(&s, Query{Handle: "r1", Path: "$.items[*].name"})
			if err != nil || len(long) > DefaultLimit || !strings.Contains(string(long), `\"handle\":\"`+numbered(&s, "r2")) {
				t.Errorf("a long selection: %d bytes, %v", len(long), err)
			}
		})
	}
}

func TestWrongQueriesSayWhatToDo(t *testing.T) {
	var s Store
	s.Cut(clientA, ofText(strings.Repeat("text\n", 10_000)))
	n := 7
	for want, q := range map[string]Query{
		`unknown handle "`:         {Handle: "r9"},
		"only one of grep":         {Handle: "r1", Grep: "x", Path: "$"},
		"offset -1 is outside":     {Handle: "r1", Offset: -1},
		"offset 50001 is outside":  {Handle: "r1", Offset: 50_001},
		"not a regular expression": {Handle: "r1", Grep: "("},
		"this result is not JSON":  {Handle: "r1", Path: "$"},
		"context must be from 0":   {Handle: "r1", Grep: "x", Context: 21},
		"block 7 is not an image":  {Handle: "r1", Block: &n},
	} {
		if _, err := read(&s, q); err == nil || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	s.Cut(clientA, ofText(`{"a":[`+strings.Repeat("1,", 10_000)+`1]}`))
	if _, err := read(&s, Query{Handle: "r2", Path: "$.["}); err == nil || !strings.Contains(fault.MessageOf(err), "not a JSONPath") {
		t.Errorf("got %v", err)
	}
}

func TestHandlesBelongToTheirSession(t *testing.T) {
	var s Store
	s.Cut(clientA, ofText(strings.Repeat("secret\n", 10_000)))
	if _, err := s.Read(Client{Session: "b", Limit: DefaultLimit}, Query{Handle: numbered(&s, "r1")}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another session: %v", err)
	}
	if _, err := s.Read(clientA, Query{Handle: "1"}); !strings.Contains(fault.MessageOf(err), "unknown handle") {
		t.Errorf("a number: %v", err)
	}
	s.EndSession("a")
	if _, err := read(&s, Query{Handle: "r1"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after the end: %v", err)
	}
	if s.size != 0 || len(s.sessions) != 0 {
		t.Errorf("%d bytes of %d sessions are kept", s.size, len(s.sessions))
	}
}

func TestTheLongestUnusedResultIsForgotten(t *testing.T) {
	var s Store
	big := ofText(strings.Repeat("0123456789abcde\n", maxSession/40)) // two such results fit in a session
	for range 2 {
		s.Cut(clientA, big)
	}
	if _, err := read(&s, Query{Handle: "r1"}); err != nil {
		t.Fatal(err)
	}
	s.Cut(clientA, big)
	if _, err := read(&s, Query{Handle: "r2"}); err == nil || !strings.Contains(fault.MessageOf(err), "no longer kept") {
		t.Errorf("r2: %v", err)
	}
	if _, err := read(&s, Query{Handle: "r1"}); err != nil {
		t.Errorf("r1: %v", err)
	}
}

func TestImagesAreShownWholeAndDoNotCount(t *testing.T) {
	var s Store
	image := `{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 90_000) + `"}`
	result := json.RawMessage(`{"content":[{"type":"text","text":"short"},` + image + `],"structuredContent":{"a":1}}`)
	if got := s.Cut(clientA, result); string(got) != string(result) {
		t.Errorf("got %.300s", got)
	}
	result = json.RawMessage(`{"content":[` + image + `,{"type":"text","text":"` + strings.Repeat("z", 90_000) + `"}]}`)
	if cut := s.Cut(clientA, result); !strings.Contains(string(cut), `"content":[`+image+`,`) || len(cut) > len(image)+DefaultLimit ||
		len(cut) < len(image)+10_000 {
		t.Errorf("%d bytes", len(cut))
	}
}

func TestAResultWithManyLongBlocksIsCut(t *testing.T) {
	var s Store
	sound := `{"type":"audio","mimeType":"audio/wav","data":"` + strings.Repeat("A", 30_000) + `"}`
	cut := s.Cut(clientA,
		json.RawMessage(`{"_meta":{"x":"`+strings.Repeat("y", 5_000)+`"},"content":[`+
			strings.TrimSuffix(strings.Repeat(sound+",", 1_000), ",")+`]}`))
	if len(cut) > DefaultLimit {
		t.Errorf("%d bytes", len(cut))
	}
	if got, err := read(&s, Query{Handle: "r1", Grep: `^\[block 999: audio`}); err != nil || !strings.Contains(string(got), "block 999") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestACompleteTextSaysWhatElseThereIs(t *testing.T) {
	var s Store
	cut := s.Cut(clientA, json.RawMessage(`{"content":[{"type":"text","text":"short"}],"structuredContent":{"a":"`+strings.Repeat("z",
		DefaultLimit)+`"}}`))
	list := textsOf(t, cut)
	if want := `[The text is complete, but not the result. Call read_more {"handle":"` + numbered(&s, "r1") +
		`"} with one more argument: "path":"$…" selects by JSONPath (RFC 9535).]`; list[0] != "short" || list[1] != want {
		t.Errorf("got %q", list)
	}
	odd := json.RawMessage(`{"content":[{"type":"text","text":"short"}],"_meta":{"a":"` + strings.Repeat("z", DefaultLimit) + `"}}`)
	if got := s.Cut(clientA, odd); string(got) != string(odd) {
		t.Errorf("only the metadata is long: %.300s", got)
	}
}

func TestMatchesInALongLineAreShownOneByOne(t *testing.T) {
	var s Store
	text := strings.Repeat("é", 60_000) + "needle" + strings.Repeat("é", 60_000) + "needle" + strings.Repeat("x", 300) + "\nneedle\n"
	s.Cut(clientA, ofText(text))
	got, err := read(&s, Query{Handle: "r1", Grep: "need+le"})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(textsOf(t, got)[0]), "\n")
	if len(lines) != 3 || strings.Count(strings.Join(lines, ""), "needle") != 3 {
		t.Fatalf("got %q", lines)
	}
	for _, line := range lines {
		at, rest, _ := strings.Cut(line, ": ")
		if offset, err := strconv.Atoi(at); err != nil || !strings.HasPrefix(text[offset:], strings.TrimSuffix(rest, "…")) ||
			len(rest) > maxLine+10 {
			t.Errorf("at %s: %.300s", at, rest)
		}
	}
	var wide strings.Builder
	for i := range 100 {
		fmt.Fprintf(&wide, "%d%s\n", i, strings.Repeat("\"", 990))
	}
	s.Cut(clientA, ofText(wide.String()))
	if got, err := read(&s, Query{Handle: "r2", Grep: "^50", Context: 20}); err != nil || len(got) > DefaultLimit ||
		!strings.Contains(string(got), `: 50\"`) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestPathsFollowTheStandard(t *testing.T) {
	source := `{"a":[{"n":1.50,"x":{"n":"\u00e9"}},{"n":2},[3,{"n":[]}]],"b":{"n":null,"$":7},"n":9007199254740993}`
	for path, want := range map[string]string{
		"$": `[` + source + `]`, "$.a[0].n": `[1.50]`, "$['a'][1]": `[{"n":2}]`, "$.a[-1]": `[[3,{"n":[]}]]`, "$.a[*].n": `[1.50,2]`,
		"$.a[0:2].n": `[1.50,2]`, "$.a[::-1][0]": `[3]`, "$.a[0,1].n": `[1.50,2]`, "$['b','n']": `[{"n":null,"$":7},9007199254740993]`,
		"$..n": `[9007199254740993,1.50,"\u00e9",2,[],null]`, "$.a..n": `[1.50,"\u00e9",2,[]]`, "$.a[?@.n > 1.6]": `[{"n":2}]`,
		"$.b[?@ == 7]": `[7]`, "$.a[?@.n == $.a[1].n].n": `[2]`, "$..[?@.n == 2]": `[{"n":2}]`, "$.none": ``, "$.a.n": ``, "$.n[0]": ``,
		"$.n.n": ``, "$.n..n": ``, "$.a[9]": ``,
	} {
		var s Store
		s.Cut(clientA, jsonrpc.Set(ofText(strings.Repeat("x", 30_000)), "structuredContent", json.RawMessage(source)))
		got, err := read(&s, Query{Handle: "r1", Path: path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text := textsOf(t, got)[0]
		if want == "" {
			if text != "The path "+path+" selects nothing." {
				t.Errorf("%s: %s", path, text)
			}
			continue
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil || compact.String() != want {
			t.Errorf("%s: got %s, want %s", path, text, want)
		}
	}
	var s Store
	s.Cut(clientA, ofText(strings.Repeat("[", 30_000)+strings.Repeat("]", 30_000)))
	if _, err := read(&s, Query{Handle: "r1", Path: "$..x"}); err == nil {
		t.Error("JSON that is nested too deeply is searched")
	}
}

func TestAResourceIsReadInPieces(t *testing.T) {
	var s Store
	text := strings.Repeat("é\"line\n", 10_000)
	linked := clientA
	linked.Links = true
	cut := s.Cut(linked, ofText(text))
	list := textsOf(t, cut)
	got := list[0]
	uris := regexp.MustCompile(resources + `[a-z0-9-]+\?offset=[0-9]+`)
	if !strings.Contains(string(cut), `{"type":"resource_link",`) || len(cut) > DefaultLimit {
		t.Errorf("got %.300s", cut[len(cut)-900:])
	}
	for uri := uris.FindString(string(cut)); uri != ""; {
		piece, err := s.ReadResource(linked, uri)
		if err != nil || len(piece) > DefaultLimit {
			t.Fatalf("%d bytes, %v", len(piece), err)
		}
		var r struct{ Contents []struct{ URI, Text string } }
		if err := json.Unmarshal(piece, &r); err != nil || r.Contents[0].URI != uri {
			t.Fatalf("got %.300s, %v", piece, err)
		}
		got += r.Contents[0].Text
		if uri = ""; len(r.Contents) > 1 {
			uri = r.Contents[1].URI
		}
	}
	if got != text {
		t.Errorf("read %d of %d bytes", len(got), len(text))
	}
	for _, uri := range []string{
		resources + "x", resources + numbered(&s, "r1") + "?offset=x", resources + numbered(&s, "r1") + "?offset=-1", resources,
	} {
		if _, err := s.ReadResource(linked, uri); fault.MessageOf(err) == "" {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

// FuzzReadingOn checks that the parts of a cut result add up to its text, and that none is longer than the limit.
func FuzzReadingOn(f *testing.F) {
	f.Add("one line", "second \u2028 text", 2, 300)
	f.Add(strings.Repeat("\x01\"\\\n", 500), "\xff{\"a\":1}", 1, 2_000)
	f.Add(strings.Repeat("\u2028", 3_000), strings.Repeat("\u2029", 3_000), 2, 20_000)
	f.Add(`{"a":"`+strings.Repeat("é", 3_000)+`"}`, "[1,2]", 3, 1)
	f.Fuzz(func(t *testing.T, first, second string, times, limit int) {
		first, second = strings.ToValidUTF8(first, "?"), strings.ToValidUTF8(second, "?")
		first = strings.Repeat(first, min(max(times, 1), 1_000))
		c := Client{Session: "a", Limit: 1_800 + min(max(limit, 0), 30_000)}
		var s Store
		result := jsonrpc.Set(nil, "content",
			jsonrpc.Array([]json.RawMessage{textBlock(first), json.RawMessage(`{"type":"audio","data":"QUJD"}`), textBlock(second)}))
		if len(result) <= c.Limit {
			return
		}
		text := string(newDocument(result).text)
		cut := s.Cut(c, result)
		if string(cut) == string(result) {
			t.Fatal("a long result is not cut")
		}
		if len(cut) > c.Limit {
			t.Fatalf("the beginning has %d bytes, more than %d", len(cut), c.Limit)
		}
		list := textsOf(t, cut)
		if next := offsetPattern.FindStringSubmatch(list[len(list)-1]); next != nil {
			at, _ := strconv.Atoi(next[1])
			if shown := strings.Join(list[:len(list)-1], ""); len(list) == 2 && shown != text[:at] {
				t.Fatalf("%q is shown as %q", text[:at], shown)
			}
		}
		var got strings.Builder
		for offset, more := 0, true; more; {
			part, err := s.Read(c, Query{Handle: numbered(&s, "r1"), Offset: offset})
			if err != nil || len(part) > c.Limit {
				t.Fatalf("a part of %d bytes, %v", len(part), err)
			}
			list := textsOf(t, part)
			got.WriteString(strings.Join(list[:len(list)-1], ""))
			next := offsetPattern.FindStringSubmatch(list[len(list)-1])
			if more = next != nil; more {
				at, _ := strconv.Atoi(next[1])
				if at <= offset {
					t.Fatalf("after %d, the next offset is %d", offset, at)
				}
				offset = at
			}
		}
		if got.String() != text {
			t.Fatalf("read %q, want %q", got.String(), text)
		}
		if compact, want := new(bytes.Buffer), new(bytes.Buffer); json.Compact(compact, []byte(first)) == nil && first[0] == '{' {
			if json.Compact(want, []byte(text[:strings.Index(text, "\n[block 1")])) != nil || want.String() != compact.String() {
				t.Fatalf("the JSON %q is shown as %q", first, text)
			}
		} else if !strings.HasPrefix(text, first) {
			t.Fatalf("the text %q is shown as %q", first, text)
		}
	})
}
