//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// TestAModelReadsOnInALongResult runs a conversation of each client with a stub of its model about a result that is
// longer than the client shows: the model must get the beginning without gaps, search the rest and read on.
func TestAModelReadsOnInALongResult(t *testing.T) {
	const lines = 1_500
	var log strings.Builder
	for i := range lines {
		fmt.Fprintf(&log, "entry %d of the log of a harbour in which many ships lie\n", i)
	}
	text, err := json.Marshal(log.String())
	if err != nil {
		t.Fatal(err)
	}
	entries := regexp.MustCompile(`entry ([0-9]+) of the log`)
	forEachClient(t, func(t *testing.T, c *client) {
		u := newUser(t, "")
		command := mcptest.Command(t, "-only", "-result", `{"content":[{"type":"text","text":`+string(text)+`}]}`,
			"-definition", `{"name":"read_log","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`)
		u.must(append([]string{"servers", "add", "harbour", "--"}, command...)...)
		u.register(c)
		m := serveModel(t, modelCall{"call_read_tool", `{"call_as":"harbour__read_log"}`},
			modelCall{"call_read_tool", `{"call_as":"read_more","arguments":{"handle":"{handle}","grep":"^entry 1499 "}}`},
			modelCall{"call_read_tool", `{"call_as":"read_more","arguments":{"handle":"{handle}","offset":80000}}`})
		out := u.talk(c, m)
		read := make(map[int][]string) // entries in the conversation, by the number of tool results so far
		for _, turn := range m.seen() {
			var now []string
			for _, entry := range entries.FindAllStringSubmatch(turn.body, -1) {
				now = append(now, entry[1])
			}
			read[turn.results] = now
		}
		if len(read[3]) == 0 {
			t.Fatalf("the model has not got three results, but %d entries after the first and %d after the second; the client printed\n%s",
				len(read[1]), len(read[2]), out)
		}
		e, _ := table.ByID(c.id)
		if shown := len(read[1]) * log.Len() / lines; shown < e.MaxResult/2 {
			t.Errorf("of %d bytes, the beginning has %d", e.MaxResult, shown)
		}
		for i, entry := range read[1] {
			if entry != strconv.Itoa(i) {
				t.Fatalf("after entry %d, the model gets entry %s", i-1, entry)
			}
		}
		if found := read[2][len(read[1]):]; len(found) != 1 || found[0] != "1499" {
			t.Errorf("the search has found the entries %q", found)
		}
		if rest := read[3][len(read[2]):]; len(rest) < 50 || rest[len(rest)-1] != "1499" {
			t.Errorf("at the end, the model reads the entries %q", rest)
		}
	})
}
