package names

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modelPaths lists the paths at which messages contain names, by method. The function model, a simple version
// of Outgoing, changes decoded messages at these paths. In a path, * matches each element, # each element that
// is a task id, and % each member. An empty last step matches a content block or an array of content blocks.
// All messages may have a name at modelRelated too.
var modelPaths = map[string]string{
	"tools/list": "tools.*._meta.ui.resourceUri tools.*._meta.ui/resourceUri " +
		"tools.*._meta.openai/outputTemplate tools.*._meta.related.taskId",
	"tools/call":                               modelUI + " content. taskId task.taskId" + modelInputs,
	"prompts/get":                              "messages.*.content." + modelInputs,
	"resources/list":                           "resources.*.uri",
	"resources/templates/list":                 "resourceTemplates.*.uriTemplate",
	"resources/read":                           "contents.*.uri" + modelInputs,
	"sampling/createMessage":                   "messages.*.content.",
	"notifications/resources/updated":          "uri",
	"notifications/subscriptions/acknowledged": "notifications.resourceSubscriptions.* notifications.taskIds.#",
	"tasks/list":                               "tasks.*.taskId",
	"tasks/get": "taskId" + modelInputs + " result." +
		strings.ReplaceAll(modelUI+" content. messages.*.content. contents.*.uri "+modelRelated, " ", " result."),
	"skills/list":         "skills.*.uri skills.*.resources.*.uri",
	"completion/complete": "",
}

const (
	modelRelated = "_meta.related.taskId"
	modelUI      = "_meta.ui.resourceUri _meta.ui/resourceUri _meta.openai/outputTemplate"
	modelInputs  = " inputRequests.%.params.messages.*.content. inputRequests.%.params._meta.related.taskId"
)

// model returns a decoded message of the server gh as clients are shown it.
func model(method string, message any) any {
	for path := range strings.FieldsSeq(modelPaths[method] + " " + modelRelated) {
		message = modelAt(message, strings.Split(path, "."))
	}
	return message
}

func modelAt(value any, path []string) any {
	if len(path) == 0 {
		return value
	}
	step := strings.ReplaceAll(path[0], "related", relatedTask)
	if step == "" {
		return modelBlocks(value, true)
	}
	visit := func(inner any) any {
		text, ok := inner.(string)
		switch {
		case ok && len(path) == 1 && (step == "taskId" || step == "#"):
			return shownTaskID("gh", text)
		case ok && len(path) == 1:
			return shownURI("gh", text)
		}
		return modelAt(inner, path[1:])
	}
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if key == step || step == "%" {
				v[key] = visit(v[key])
			}
		}
	case []any:
		for i := range v {
			if step == "*" || step == "#" {
				v[i] = visit(v[i])
			}
		}
	}
	return value
}

func modelBlocks(value any, outer bool) any {
	blocks, ok := value.([]any)
	if block, single := value.(map[string]any); single && outer {
		blocks, ok = []any{block}, true
	}
	for i := 0; ok && i < len(blocks); i++ {
		block, _ := blocks[i].(map[string]any)
		switch block["type"] {
		case "resource_link":
			modelAt(block, []string{"uri"})
		case "resource":
			modelAt(block, []string{"resource", "uri"})
		case "tool_result":
			if inner, ok := block["content"].([]any); ok && outer {
				modelBlocks(inner, false)
			}
		}
	}
	return value
}

// generator writes random JSON with odd spacing, duplicate members and large numbers. It uses the member names
// of MCP.
type generator struct {
	*rand.Rand
	bytes.Buffer
	likely []string // member names that it uses most
}

func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g *generator) space() { g.WriteString(g.pick("", "", "", " ", "\n\t", "  ")) }

func (g *generator) value(depth int) {
	g.space()
	defer g.space()
	switch kind := g.IntN(10); {
	case depth == 0 || kind == 0:
		g.WriteString(g.pick(`null`, `true`, `-0.0e+7`, `12345678901234567890`, `1.10`, `"text file:///a"`, `[ ]`, `{ }`))
	case kind < 4:
		g.string("file:///a")
	case kind < 7:
		g.array(depth, func() { g.value(depth - 1) })
	default:
		g.object(depth)
	}
}

func (g *generator) string(name string) {
	switch g.IntN(4) {
	case 0:
		name = g.pick("ui://a/x", "skill://p/SKILL.md", "plain", "svn+ssh://h", "a\\b:\"\u00e9", "")
	case 1:
		fmt.Fprintf(g, `"\u%04x%s"`, name[0], strings.ReplaceAll(name[1:], "/", `\/`))
		return
	}
	g.WriteString(strconv.QuoteToGraphic(name))
}

func (g *generator) array(depth int, element func()) {
	g.WriteString("[")
	for i := range g.IntN(3) {
		if i > 0 {
			g.WriteString(",")
		}
		element()
	}
	g.space()
	g.WriteString("]")
}

// wanted maps members to the values that they usually have: s for a string, i for a task id, t for a type, o
// for an object, a for an array of objects, l for a list of URIs, k for a list of task ids, x for any value.
var wanted = map[string]byte{
	"uri": 's', "uriTemplate": 's', "resourceUri": 's', "ui/resourceUri": 's', "openai/outputTemplate": 's', "text": 's', "blob": 's',
	"description": 's', "taskId": 'i', "type": 't', "_meta": 'o', "ui": 'o', "resource": 'o', "params": 'o', "task": 'o', "result": 'o',
	"notifications": 'o', "structuredContent": 'o', "inputRequests": 'o', "k": 'o', relatedTask: 'o',
	"tools": 'a', "content": 'a', "messages": 'a', "contents": 'a', "resources": 'a', "resourceTemplates": 'a', "skills": 'a', "tasks": 'a',
	"resourceSubscriptions": 'l', "taskIds": 'k', "annotations": 'x', "id": 'x',
}

var memberNames = func() (names []string) {
	for name := range wanted {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// object writes an object with the given members and random ones, in random order.
func (g *generator) object(depth int, names ...string) {
	for range g.IntN(4) {
		if g.IntN(4) > 0 {
			names = append(names, g.pick(g.likely...))
		} else {
			names = append(names, g.pick(memberNames...))
		}
	}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	g.WriteString("{")
	for i, name := range names {
		if i > 0 {
			g.WriteString(",")
		}
		g.space()
		g.member(depth, name)
	}
	g.space()
	g.WriteString("}")
}

func (g *generator) member(depth int, name string) {
	if g.IntN(12) == 0 {
		fmt.Fprintf(g, `"\u%04x%s"`, name[0], name[1:])
	} else {
		g.WriteString(strconv.Quote(name))
	}
	g.space()
	g.WriteString(":")
	g.space()
	kind := wanted[name]
	if g.IntN(10) == 0 || depth <= 1 && strings.IndexByte("oa", kind) >= 0 {
		kind = 'x'
	}
	switch kind {
	case 's':
		g.string("file:///a")
	case 'i':
		g.string("task+1")
	case 't':
		g.WriteString(g.pick(`"text"`, `"resource_link"`, `"resource"`, `"tool_result"`, `"resource\u005flink"`))
	case 'o':
		g.object(depth - 1)
	case 'a':
		g.array(depth, func() {
			switch name {
			case "content":
				g.object(depth-1, "type", g.pick("uri", "resource", "content"))
			case "tools":
				g.object(depth-1, "_meta")
			case "messages":
				g.object(depth-1, "content")
			default:
				g.object(depth - 1)
			}
		})
	case 'l':
		g.array(depth, func() { g.WriteString(g.pick(`"file:///a"`, `"ui://a"`, `7`)) })
	case 'k':
		g.array(depth, func() { g.WriteString(g.pick(`"task1"`, `"task:2"`, `null`)) })
	default:
		g.value(depth - 1)
	}
}

func TestRandomMessagesAgreeWithTheModel(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	methods := make([]string, 0, len(modelPaths))
	for method := range modelPaths {
		methods = append(methods, method)
	}
	slices.Sort(methods)
	changed := make(map[string]int)
	for range 15_000 {
		g.Reset()
		g.space()
		method := g.pick(methods...)
		g.likely = []string{"type", "uri", "resource", "content"}
		for step := range strings.FieldsFuncSeq(modelPaths[method], func(r rune) bool { return r == ' ' || r == '.' }) {
			if wanted[step] != 0 {
				g.likely = append(g.likely, step)
			}
		}
		first, _, _ := strings.Cut(g.pick(append(strings.Fields(modelPaths[method]), "_meta")...), ".")
		g.WriteString("{")
		g.member(6, first)
		g.WriteString(",")
		g.member(6, g.pick(memberNames...))
		g.WriteString("}")
		message := slices.Clone(g.Bytes())
		if !json.Valid(message) {
			t.Fatalf("the generator wrote %s", message)
		}
		onlyNamesChange(t, method, message)
		got := Outgoing("gh", method, message)
		if want := model(method, decoded(t, message)); !reflect.DeepEqual(decoded(t, got), want) {
			text, _ := json.Marshal(want)
			t.Fatalf("%s\n%s\nbecomes %s\nwant    %s", method, message, got, text)
		}
		if !bytes.Equal(got, message) {
			changed[method]++
		}
	}
	for method, paths := range modelPaths {
		if paths != "" && changed[method] < 20 {
			t.Errorf("only %d messages of %s have names", changed[method], method)
		}
	}
}

func decoded(t *testing.T, data []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return value
}
