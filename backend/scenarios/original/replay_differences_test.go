//go:build linux

package original_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// updateReplay makes the test write the answers that differ on purpose to expectedFile. Review the changes before
// you commit them.
var updateReplay = flag.Bool("update-replay", false, "write the answers of the replay that differ on purpose")

// expectedFile holds the whole answer of each exchange in differences.
const expectedFile = "testdata/replay.txtar"

// differences names the intended difference of each exchange whose answer differs from the recorded one. The names
// are those in the table of backend/doors/api/README.md. All other answers must match.
var differences = map[int]string{
	// The requested protocol version is used.
	1: "negotiated",

	// Clients get prompts and resources, too.
	4: "features",

	// Texts of the tool named registry, and its answers to searches without results, are shorter and say what to do.
	// The tool also has the action toolset. An install of a server that the marketplace does not have says so.
	2: "texts", 128: "texts", 129: "texts", 139: "texts", 140: "texts", 176: "texts",

	// A call of a tool that the server does not list is not sent to the server and is not counted as one of its calls.
	99: "listed", 121: "listed", 122: "listed", 157: "listed", 159: "listed",

	// An unknown tool is a JSON-RPC error, as MCP requires. The hub passes on the results and tool definitions of
	// servers unchanged.
	6: "faithful", 84: "faithful", 150: "faithful", 151: "faithful", 154: "faithful", 155: "faithful", 156: "faithful",
	158: "faithful", 162: "faithful", 180: "faithful",

	// Requests need a loopback host, an allowed origin and a token.
	108: "guard", 109: "guard",

	// Secrets are masked completely.
	67: "masked",

	// Malformed requests get a 4xx status.
	27: "robust",

	// server-everything offers 17 tools, because this hub supports sampling and elicitation with a URL. The error
	// about a server process that has ended contains its last output.
	78: "truthful", 234: "truthful",

	// Servers started by proxy_call and transient servers add no tools to lists.
	181: "session tools", 215: "session tools", 216: "session tools",

	// Ranking, scores and no-match rules differ. Found tools are added to the session,
	// and next_step names the listed tool.
	136: "ranked", 137: "ranked", 138: "ranked", 142: "ranked", 143: "ranked", 160: "ranked", 161: "ranked",
	166: "remembered",

	// The hub has one more export format.
	106: "wider",

	// All sources are searched and ranked, and entries keep their packages. Packages of npm and PyPI are installed
	// only by their ids.
	177: "market", 178: "market", 179: "market", 182: "market", 183: "market", 184: "market", 185: "market", 186: "market",
}

// listChanges has the number of notifications about a changed tool list that follow an exchange, for the exchanges
// where this number differs from the recorded number. An entry without a name is no difference: notifications that
// follow a REST request were not recorded.
var listChanges = map[int]struct {
	name  string
	count int
}{
	78: {"", 1}, 80: {"", 1}, 229: {"", 1}, 233: {"", 1}, 238: {"", 1}, 240: {"", 1},
	// A tool that an agent finds is added to its session.
	166: {"session tools", 1},
	// The list has not changed.
	164: {"quiet", 0}, 165: {"quiet", 0}, 168: {"quiet", 0}, 169: {"quiet", 0}, 170: {"quiet", 0}, 171: {"quiet", 0},
	190: {"quiet", 0}, 191: {"quiet", 0}, 237: {"quiet", 0},
}

// expectations has the complete answers that differ on purpose, by the number of the exchange.
type expectations struct {
	t       *testing.T
	answers map[int]string
	seen    map[int]string
}

func readExpectations(t *testing.T) *expectations {
	t.Helper()
	e := &expectations{t: t, answers: make(map[int]string), seen: make(map[int]string)}
	data, err := os.ReadFile(expectedFile)
	if err != nil && !*updateReplay {
		t.Fatal(err)
	}
	for _, file := range txtar.Parse(data).Files {
		number, name, _ := strings.Cut(file.Name, " ")
		n, err := strconv.Atoi(number)
		if err != nil || differences[n] != name {
			t.Errorf("%s: %q is not a difference", expectedFile, file.Name)
		}
		e.answers[n] = string(file.Data)
	}
	return e
}

// compare describes how an answer differs from the expected one. It returns "" if it does not.
func (e *expectations) compare(number int, answer json.RawMessage) string {
	e.t.Helper()
	got := stableText(e.t, answer)
	e.seen[number] = got
	if *updateReplay || got == e.answers[number] {
		return ""
	}
	want := strings.Split(e.answers[number], "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || want[i] != line {
			return fmt.Sprintf("line %d is\n%s\nexpected\n%s", i+1, line, strings.Join(want[min(i, len(want)):min(i+1, len(want))], "\n"))
		}
	}
	return "the answer is shorter than the expected one"
}

// finish writes the answers to expectedFile if -update-replay is set and the test has not failed.
func (e *expectations) finish() {
	if !*updateReplay || e.t.Failed() {
		return
	}
	archive := &txtar.Archive{
		Comment: []byte("Answers of the replay that differ on purpose; go test -run RecordedExchanges -update-replay writes them.\n"),
	}
	for _, number := range slices.Sorted(keysOf(e.seen)) {
		archive.Files = append(archive.Files,
			txtar.File{Name: fmt.Sprintf("%03d %s", number, differences[number]), Data: []byte(e.seen[number])})
	}
	if err := os.WriteFile(expectedFile, txtar.Format(archive), 0o644); err != nil {
		e.t.Error(err)
	}
}

func keysOf[V any](m map[int]V) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// unstable names members, besides volatile ones, whose values differ in each run or on each machine.
var unstable = map[string]bool{
	"launch_hash": true, "hash": true, "tokens": true, "tool_tokens": true, "pid": true, "url": true, "p50_ms": true, "p95_ms": true,
	"max_ms": true,
}

// stableText returns an answer as indented JSON without the values that differ in each run.
func stableText(t *testing.T, answer json.RawMessage) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		t.Fatalf("the answer is not JSON: %v: %s", err, answer)
	}
	if m, isObject := value.(map[string]any); isObject {
		delete(m, "id")
		if headers, ok := m["headers"].(map[string]any); ok {
			kind, _ := headers["content-type"].(string)
			m["headers"] = kind
		}
	}
	normalizeTexts(value)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(stable(value)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// longData matches base64 data, as of an image.
var longData = regexp.MustCompile(`^[A-Za-z0-9+/]{200,}=*$`)

func stable(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = stable(v[i])
		}
	case map[string]any:
		for key := range v {
			if volatile[key] || unstable[key] {
				v[key] = fmt.Sprintf("(%T)", v[key])
			} else {
				v[key] = stable(v[key])
			}
		}
	case string:
		if longData.MatchString(v) {
			return fmt.Sprintf("%s… (%d characters)", v[:40], len(v))
		}
		return generatedName.ReplaceAllString(v, "__transient__x")
	}
	return value
}
