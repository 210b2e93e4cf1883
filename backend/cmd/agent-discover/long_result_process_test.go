//go:build linux

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// memory returns the resident memory of a process in MB: the peak since watchPeak, and the present
// value.
func memory(t *testing.T, pid int) (peak, now int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) int {
		kb, _ := strconv.Atoi(string(regexp.MustCompile(name + `:\s+([0-9]+) kB`).FindSubmatch(status)[1]))
		return kb >> 10
	}
	return of("VmHWM"), of("VmRSS")
}

// watchPeak resets the peak of a process to its current memory, and returns that memory in MB.
func watchPeak(t *testing.T, pid int) (now int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Skip("peaks cannot be measured here:", err)
	}
	_, now = memory(t, pid)
	return now
}

func TestAResultOf20MBIsReadSearchedAndProjectedByACompanion(t *testing.T) {
	var items []string
	for i := range 160_000 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"entry <%d> é","note":"%064d","n":1.50,"big":9007199254740993}`, i, i, i))
	}
	source := `{"items":[` + strings.Join(items, ",") + `]}`
	if len(source) < 20_000_000 {
		t.Fatalf("the source has %d bytes", len(source))
	}
	h := programtest.NewHome(t)
	h.Set("GOGC", "60") // the value that the hub sets when it becomes idle
	h.Serve()
	file := filepath.Join(h.Dir, "long.json")
	h.Write(file, source)
	h.Add("fake", mcptest.Command(t))
	h.Must("servers", "refresh", "fake")
	c := h.CompanionOf("--surface", "meta", "--client", "codex")
	c.Open(`{}`)
	const limit = 48_000
	// ask calls a tool through caller, a tool of the hub, and returns the texts of the result.
	ask := func(caller, tool, arguments string) []string {
		t.Helper()
		m := c.Ask("tools/call", programtest.ToolParams(caller, fmt.Sprintf(`{"call_as":%q,"arguments":%s}`, tool, arguments)))
		if len(m.Result) > limit {
			t.Fatalf("%s %.200s: the result has %d bytes", tool, arguments, len(m.Result))
		}
		var result struct {
			Content []struct{ Text, URI string }
			IsError bool
		}
		if err := json.Unmarshal(m.Result, &result); err != nil || result.IsError {
			t.Fatalf("%s %.200s: %.500s", tool, arguments, m.Line)
		}
		var texts []string
		for _, block := range result.Content {
			if block.URI == "" {
				texts = append(texts, block.Text)
			}
		}
		return texts
	}
	ask("call_tool", "fake__echo", `{"text":"x"}`)
	pid := h.RunningHub().PID
	before := watchPeak(t, pid)
	texts := ask("call_tool", "fake__read", fmt.Sprintf(`{"path":%q}`, file))
	peak, kept := memory(t, pid)
	t.Logf("the hub has %d MB before, %d MB at most while the result is cut, %d MB after", before, peak, kept)
	if !programtest.Race && peak-before > 250 {
		t.Errorf("the hub takes %d MB more", peak-before)
	}
	handle := regexp.MustCompile(`[a-z0-9]{6}-1`).FindString(texts[1])

	before = watchPeak(t, pid)
	var whole strings.Builder
	for whole.WriteString(texts[0]); strings.Contains(texts[1], " reads on."); whole.WriteString(texts[0]) {
		texts = ask("call_read_tool", "read_more", fmt.Sprintf(`{"handle":%q,"offset":%d}`, handle, whole.Len()))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(whole.String())); err != nil || compact.String() != source {
		t.Errorf("read %d bytes, %d without white space, of %d: %v", whole.Len(), compact.Len(), len(source), err)
	}
	found := ask("call_read_tool", "read_more", fmt.Sprintf(`{"handle":%q,"grep":"entry <159999>","context":1}`, handle))[0]
	if !strings.Contains(found, `"name": "entry <159999> é"`) || strings.Count(found, "\n") != 3 {
		t.Errorf("found %s", found)
	}
	if got := strings.Join(strings.Fields(ask("call_read_tool", "read_more",
		fmt.Sprintf(`{"handle":%q,"path":"$.items[?@.id == 159999]['name','n','big']"}`,
			handle))[0]), ""); got != `["entry<159999>é",1.50,9007199254740993]` {
		t.Errorf("the path selects %s", got)
	}
	ids := ask("call_read_tool", "read_more", fmt.Sprintf(`{"handle":%q,"path":"$..id"}`, handle))
	if !strings.Contains(ids[1], "-2\",\"offset\":") {
		t.Errorf("a long selection says %q", ids[1])
	}
	peak, now := memory(t, pid)
	t.Logf("while it is read, the hub has %d MB before, %d MB at most, %d MB after", before, peak, now)
	if !programtest.Race && peak-before > 150 {
		t.Errorf("the hub takes %d MB more while the result is read", peak-before)
	}
}
