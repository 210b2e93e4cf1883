package surfaces_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// longLines returns n numbered lines with characters that JSON escapes.
func longLines(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d says \"é\\\" <b>\U0001F600\n", i)
	}
	return text.String()
}

// readable writes a text to a file. It returns the arguments with which a call of the tool named "read" returns the
// text.
func readable(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"path":%q}`, file)
}

// reading runs a hub with the always listed server "one". The hub classifies the server's tools as soon as they are
// listed, so that the classifier uses no memory later.
func reading(t *testing.T, flags ...string) *hub.Hub {
	t.Helper()
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges)})
	command := mcptest.Command(t, flags...)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	return h
}

// shownTexts returns the texts of a result or of the contents of a resource.
func shownTexts(t *testing.T, answer string) (texts []string) {
	t.Helper()
	var shown struct {
		Result struct{ Content, Contents []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte("{"+answer+"}"), &shown); err != nil {
		t.Fatalf("%v: %.300s", err, answer)
	}
	for _, block := range append(shown.Result.Content, shown.Result.Contents...) {
		texts = append(texts, block.Text)
	}
	return texts
}

// howToReadOn matches the text that names the tool and the arguments with which to read on.
var howToReadOn = regexp.MustCompile(`(\w+) (\{.*?\}+) reads on`)

// whole reads the rest of a truncated result with the calls that its parts name, and returns the whole result.
func whole(t *testing.T, a *hubtest.Agent, modern bool, answer string, limit int) string {
	t.Helper()
	var text strings.Builder
	for {
		if len(answer) > limit+200 { // the modern era adds members to each answer
			t.Fatalf("a part has %d bytes", len(answer))
		}
		texts := shownTexts(t, answer)
		last := texts[len(texts)-1]
		text.WriteString(strings.Join(texts[:len(texts)-1], ""))
		how := howToReadOn.FindStringSubmatch(last)
		if how == nil {
			if !strings.Contains(last, "This is the end of") {
				t.Fatalf("the last part says %q", last)
			}
			return text.String()
		}
		answer = a.InEra(modern, "tools/call", hubtest.Calling(how[1], how[2]))
	}
}

func TestALongResultIsReadOnToItsEndThroughMeta(t *testing.T) {
	h, text := reading(t), longLines(3_000)
	file := readable(t, text)
	for client, limit := range map[string]int{"": 20_000, "cursor": 20_000, "qwen-code": 28_000} {
		hubtest.InEachEra(t, h, companion.Entry{Surface: "meta", Client: client}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			for _, call := range []string{
				hubtest.Calling("call_tool", `{"call_as":"mcp__one__read","arguments":`+file+`}`), hubtest.Calling("one__read", file),
			} {
				first := a.InEra(modern, "tools/call", call)
				if got := whole(t, a, modern, first, limit); got != text {
					t.Errorf("%s: read %d of %d bytes", call, len(got), len(text))
				}
				how := howToReadOn.FindStringSubmatch(shownTexts(t, first)[len(shownTexts(t, first))-1])
				if how == nil || how[1] != "call_read_tool" {
					t.Fatalf("%s: %v", client, how)
				}
				var asked struct{ Arguments struct{ Handle string } }
				if err := json.Unmarshal([]byte(how[2]), &asked); err != nil {
					t.Fatal(err)
				}
				found := a.InEra(modern, "tools/call",
					hubtest.Calling("call_read_tool",
						fmt.Sprintf(`{"call_as":"read_more","arguments":{"handle":%q,"grep":"line 2999 "}}`, asked.Arguments.Handle)))
				if texts := shownTexts(t, found); len(texts) != 2 || !strings.Contains(texts[0], ": line 2999 says") {
					t.Errorf("got %s", found)
				}
				other := hubtest.ArriveBy(t, h, companion.Entry{Surface: "meta", Client: client})
				if got := other.InEra(modern, "tools/call",
					hubtest.Calling("read_more", fmt.Sprintf(`{"handle":%q}`, asked.Arguments.Handle))); !strings.Contains(got,
					"unknown handle") || !strings.Contains(got, `"isError":true`) {
					t.Errorf("in another session: %.300s", got)
				}
				other.Leave()
			}
		})
	}
}

func TestLongResultsAreCutOnNativeOnlyForClientsWithALimit(t *testing.T) {
	h, text := reading(t), longLines(3_000)
	file := readable(t, text)
	for client, limit := range map[string]int{"": 0, "cursor": 0, "codex": 48_000, "opencode": 51_200} {
		hubtest.InEachEra(t, h, companion.Entry{Surface: "native", Client: client}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			list := a.InEra(modern, "tools/list", "")
			answer := a.InEra(modern, "tools/call", hubtest.Calling("one__read", file))
			if limit == 0 {
				if strings.Contains(list, "read_more") || shownTexts(t, answer)[0] != text {
					t.Errorf("%q: the result is cut, or the list has read_more: %s", client, list)
				}
				if got := a.InEra(modern, "tools/call", hubtest.Calling("read_more", `{"handle":"x"}`)); !strings.Contains(got,
					"Unknown tool: read_more") {
					t.Errorf("got %s", got)
				}
				return
			}
			if !strings.Contains(list, `{"tools":[{"name":"read_more",`) || !strings.Contains(list, `"readOnlyHint":true`) {
				t.Errorf("%s: got %s", client, list)
			}
			if got := whole(t, a, modern, answer, limit); got != text {
				t.Errorf("%s: read %d of %d bytes", client, len(got), len(text))
			}
			if linked := strings.Contains(answer, `"type":"resource_link"`); linked != (client == "codex") {
				t.Errorf("%s: linked is %t", client, linked)
			}
			if got := a.InEra(modern, "tools/call", hubtest.Calling("read_more", `{"handle":7}`)); !strings.Contains(got,
				`handle must be of type string`) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestTheLinkOfALongResultIsReadInPieces(t *testing.T) {
	h, text := reading(t), longLines(3_000)
	file := readable(t, text)
	hubtest.InEachEra(t, h, companion.Entry{Surface: "meta", Client: "codex"}, func(t *testing.T, a *hubtest.Agent, modern bool) {
		answer := a.InEra(modern, "tools/call", hubtest.Calling("one__read", file))
		texts := shownTexts(t, answer)
		got, uris := texts[0], regexp.MustCompile(`agent-discover://results/[a-z0-9-]+\?offset=[0-9]+`)
		for uri := uris.FindString(answer); uri != ""; {
			piece := a.InEra(modern, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
			if len(piece) > 48_200 {
				t.Errorf("a piece has %d bytes", len(piece))
			}
			texts := shownTexts(t, piece)
			got += texts[0]
			if uri = ""; len(texts) > 1 {
				uri = uris.FindString(texts[1])
			}
		}
		if got != text {
			t.Errorf("read %d of %d bytes", len(got), len(text))
		}
		for uri, want := range map[string]string{
			"agent-discover://results/zzzzzz-1": "unknown handle", "agent-discover://other": "Invalid params",
		} {
			if got := a.InEra(modern, "resources/read", fmt.Sprintf(`"uri":%q`, uri)); !strings.Contains(got, want) ||
				!strings.Contains(got, `"error":`) {
				t.Errorf("%s: %s", uri, got)
			}
		}
	})
}

func TestLongResultsPassUnchangedWhereNothingIsCut(t *testing.T) {
	answer := `{"content":[{"type":"text","text":"a\u00e9\/b<>` + strings.Repeat("z", 60_000) + `","n":9007199254740993}], "isError":false`
	h := reading(t, "-result", answer+"}", "-definition", `{"name":"look","inputSchema":{"type":"object"}}`)
	for _, row := range []struct{ surface, name string }{{"registry", "one__look"}, {"server:one", "look"}, {"native", "one__look"}} {
		client := "codex"
		if row.surface == "native" {
			client = ""
		}
		hubtest.InEachEra(t, h, companion.Entry{Surface: row.surface, Client: client}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			if got := a.InEra(modern, "tools/call", hubtest.Calling(row.name, "{}")); !strings.HasPrefix(got, `"result":`+answer) {
				t.Errorf("%s: got %d bytes, %.200s", row.surface, len(got), got)
			}
		})
	}
}

func TestAPromisedStructureStaysWholeInADirectCall(t *testing.T) {
	answer := `{"content":[{"type":"text","text":"` + strings.Repeat("z", 60_000) + `"}],"structuredContent":{"items":[1,2.50]}`
	h := reading(t, "-result", answer+"}",
		"-definition",
		`{"name":"look","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"items":{"type":"array"}}},"annotations":{"readOnlyHint":true}}`,
		"-definition", `{"name":"free","inputSchema":{"type":"object"}}`)
	for _, surface := range []string{"meta", "native"} {
		hubtest.InEachEra(t, h, companion.Entry{Surface: surface, Client: "codex"}, func(t *testing.T, a *hubtest.Agent, modern bool) {
			if got := a.InEra(modern, "tools/call", hubtest.Calling("one__look", "{}")); !strings.HasPrefix(got, `"result":`+answer) {
				t.Errorf("%s: got %d bytes, %.200s", surface, len(got), got)
			}
			if got := a.InEra(modern, "tools/call", hubtest.Calling("one__free", "{}")); len(got) > 48_200 ||
				strings.Contains(got, "structuredContent\":") {
				t.Errorf("%s: without a schema: %d bytes", surface, len(got))
			}
			if surface == "native" {
				return
			}
			got := a.InEra(modern, "tools/call", hubtest.Calling("call_read_tool", `{"call_as":"one__look"}`))
			if len(got) > 48_200 || strings.Contains(got, "structuredContent\":") {
				t.Errorf("through call_read_tool: %d bytes", len(got))
			}
			handle := regexp.MustCompile(`[a-z0-9]{6}-[0-9]+`).FindString(shownTexts(t, got)[2])
			if got := a.InEra(modern, "tools/call",
				hubtest.Calling("call_read_tool",
					`{"call_as":"read_more","arguments":{"handle":"`+handle+`","path":"$.items[1]"}}`)); !strings.Contains(got, `2.50`) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestResultsOfTasksAreCutOnce(t *testing.T) {
	text := longLines(1_500)
	encoded, _ := json.Marshal(text)
	t.Run("legacy", func(t *testing.T) {
		a := hubtest.Introduced(t, reading(t, "-tasks"), hubtest.Meta, `{}`)
		started := a.Exchange("tools/call", `{"name":"one__job","arguments":{"text":`+string(encoded)+`},"task":{}}`)
		id := regexp.MustCompile(`"taskId":"[^"]+"`).FindString(started)
		a.Exchange("tasks/get", "{"+id+"}")
		first := a.Exchange("tasks/result", "{"+id+"}")
		if got := whole(t, a, false, first, 20_000); got != text {
			t.Errorf("read %d of %d bytes", len(got), len(text))
		}
		if again := a.Exchange("tasks/result", "{"+id+"}"); again != first {
			t.Errorf("the second time it is %.300s", again)
		}
	})
	t.Run("modern", func(t *testing.T) {
		a := hubtest.ArriveBy(t, reading(t, "-modern", "-tasks"), hubtest.Meta)
		ask := func(method, members string) string { return a.Exchange(method, "{"+members+","+hubtest.TasksMeta+"}") }
		id := regexp.MustCompile(`"taskId":"[^"]+"`).FindString(ask("tools/call",
			`"name":"one__job","arguments":{"text":`+string(encoded)+`}`))
		ask("tasks/get", id)
		first := ask("tasks/get", id)
		var state struct {
			Result struct{ Result json.RawMessage }
		}
		if err := json.Unmarshal([]byte("{"+first+"}"), &state); err != nil {
			t.Fatal(err)
		}
		if got := whole(t, a, true, `"result":`+string(state.Result.Result), 20_000); !strings.HasPrefix(got, text) { // a link follows
			t.Errorf("read %d of %d bytes: %.600s", len(got), len(text), first)
		}
		if again := ask("tasks/get", id); again != first {
			t.Errorf("the second time it is %.300s", again)
		}
	})
}

func TestFilesInLongResultsAreSavedWhereTheUserAllowsIt(t *testing.T) {
	sound := `{"content":[{"type":"audio","mimeType":"audio/wav","data":"` + strings.Repeat("QUJD", 15_000) + `"}]}`
	for _, row := range []struct{ surface, client string }{{"meta", ""}, {"native", "codex"}} {
		for _, allowed := range []bool{true, false} {
			folder := t.TempDir()
			settings := ""
			if allowed {
				settings = "results:\n  folder: '" + folder + "'\n"
			}
			h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, settings)})
			command := mcptest.Command(t, "-result", sound, "-definition", `{"name":"record","inputSchema":{"type":"object"}}`)
			hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
			hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
			hubtest.InEachEra(t, h, companion.Entry{Surface: row.surface, Client: row.client},
				func(t *testing.T, a *hubtest.Agent, modern bool) {
					listed := strings.Contains(a.InEra(modern, "tools/list", ""), `{"name":"save_block",`)
					if listed != (allowed && row.surface == "native") {
						t.Errorf("%+v: save_block is listed: %t", row, listed)
					}
					cut := a.InEra(modern, "tools/call", hubtest.Calling("one__record", "{}"))
					if strings.Contains(cut, "save_block") != allowed || len(cut) > 20_000 {
						t.Errorf("%+v: got %.2000s", row, cut)
					}
					handle := regexp.MustCompile(`[a-z0-9]{6}-[0-9]+`).FindString(cut)
					arguments := fmt.Sprintf(`{"handle":%q,"block":0}`, handle)
					through := func(caller string) string {
						if row.surface == "native" {
							return a.InEra(modern, "tools/call", hubtest.Calling("save_block", arguments))
						}
						return a.InEra(modern, "tools/call", hubtest.Calling(caller, `{"call_as":"save_block","arguments":`+arguments+`}`))
					}
					if got := through("call_read_tool"); row.surface == "meta" &&
						!strings.Contains(got, "save_block writes a file; call it with call_write_tool") {
						t.Errorf("got %s", got)
					}
					got, file := through("call_write_tool"), filepath.Join(folder, handle+"-0.wav")
					if !allowed {
						if !strings.Contains(got, "results.folder in config.yaml is not set") {
							t.Errorf("got %s", got)
						}
						return
					}
					if content, err := os.ReadFile(file); err != nil || string(content) != strings.Repeat("ABC", 15_000) ||
						!strings.Contains(got, "45000 bytes, as ") {
						t.Errorf("%d bytes, %v: %s", len(content), err, got)
					}
				})
		}
	}
}

// heap returns the size of all reachable objects in bytes.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // the first one only begins to free objects with a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestLongResultsEndWithTheirSession(t *testing.T) {
	const sessions, size = 4, 8 << 20
	h := reading(t)
	file := readable(t, strings.Repeat("0123456789abcde\n", size/16))
	hubtest.InEachEra(t, h, hubtest.Meta, func(t *testing.T, a *hubtest.Agent, modern bool) {
		readers := make([]*hubtest.Agent, sessions)
		for i := range readers {
			readers[i] = hubtest.ArriveBy(t, h, hubtest.Meta)
			cut := readers[i].InEra(modern, "tools/call", hubtest.Calling("one__read", file))
			handle := regexp.MustCompile(`[a-z0-9]{6}-[0-9]+`).FindString(cut)
			more := fmt.Sprintf(`{"handle":%q,"grep":"^0"}`, handle)
			if got := readers[i].InEra(modern, "tools/call", hubtest.Calling("read_more", more)); !strings.Contains(got,
				"0123456789abcde") {
				t.Fatalf("in the session of the handle: %.300s", got)
			}
			if got := a.InEra(modern, "tools/call", hubtest.Calling("read_more", more)); !strings.Contains(got, "unknown handle") {
				t.Errorf("in another session: %.300s", got)
			}
		}
		held := heap()
		for _, reader := range readers {
			reader.Leave()
		}
		const gone = (sessions - 1) * size // one result less, because other memory of this process may have grown meanwhile
		programtest.Eventually(t, "the results are gone with their sessions", func() bool { return heap()+gone < held })
	})
}
