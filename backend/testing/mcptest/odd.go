package mcptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The numbers of usable items in the lists of a server with the flag -odd. Most of the
// items have a member that clients of the official SDKs refuse.
const (
	// OddTools is the number of tools that the hub can show to clients: those with a name.
	OddTools = 31
	// OddPrompts, OddResources and OddTemplates are the numbers of usable prompts,
	// resources and resource templates.
	OddPrompts, OddResources, OddTemplates = 13, 18, 6
)

var (
	oddTools = append(oddSchemas, []string{
		`{"name":"fine","description":"does nothing","inputSchema":{ "type" : "object" },"annotations":{"title":"Fine","readOnlyHint":true},"vendor":[1.0,null]}`,
		`{"name":"no_schema"}`,
		`{"name":"description_number","description":5,"inputSchema":{"type":"object"}}`,
		`{"name":"description_half","description":"cut \ud83d here","inputSchema":{"type":"object"}}`,
		`{"name":"title_list","title":[],"inputSchema":{"type":"object"}}`,
		`{"name":"hints_null","inputSchema":{"type":"object"},"annotations":{"title":null,"readOnlyHint":null,"openWorldHint":true}}`,
		`{"name":"hint_text","inputSchema":{"type":"object"},"annotations":{"destructiveHint":"false"}}`,
		`{"name":"annotations_text","inputSchema":{"type":"object"},"annotations":"x"}`,
		`{"name":"meta_null","inputSchema":{"type":"object"},"_meta":null}`,
		`{"name":"meta_deep","inputSchema":{"type":"object"},"_meta":{"x":` + strings.Repeat("[", 250) + strings.Repeat("]", 250) + `}}`,
		`{"name":"icon_without_src","inputSchema":{"type":"object"},"icons":[{"mimeType":"image/png"},{"src":"data:,"}]}`,
		`{"name":"icon_sizes","inputSchema":{"type":"object"},"icons":[{"src":"data:,","sizes":"48x48","theme":"blue"}]}`,
		`{"name":"icons_null","inputSchema":{"type":"object"},"icons":null}`,
		`{"name":"execution_null","inputSchema":{"type":"object"},"execution":null}`,
		`{"name":"execution_word","inputSchema":{"type":"object"},"execution":{"taskSupport":"maybe"}}`,
		`{"name":"output_null","inputSchema":{"type":"object"},"outputSchema":null}`,
		`{"name":"output_required","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":null}}`,
		`{"name":"output_list","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`,
		`{"name":5,"inputSchema":{"type":"object"}}`,
		`{"inputSchema":{"type":"object"}}`,
	}...)
	oddSchemas = schemas(map[string]string{
		"required_null":  `{"type":"object","required":null}`,
		"required_mixed": `{"type":"object","properties":{"a":{}},"required":["a",1,null]}`,
		"required_true":  `{"type":"object","required":true}`, "properties_null": `{"type":"object","properties":null}`,
		"property_null": `{"type":"object","properties":{"a":null,"b":true,"c":false}}`, "dialect_number": `{"type":"object","$schema":7}`,
		"type_missing": `{"properties":{}}`, "type_list": `{"type":["object","null"]}`, "null": `null`, "true": `true`, "list": `[]`,
		"upper": `{"type":"OBJECT"}`, "empty": `{}`,
	})
	oddPrompts = []string{
		`{"name":"fine","arguments":[{"name":"x","required":true}]}`, `{"name":"arguments_null","arguments":null}`,
		`{"name":"arguments_object","arguments":{"x":{"type":"string"}}}`,
		`{"name":"argument_nulls","arguments":[{"name":"x","title":null,"description":null,"required":null}]}`,
		`{"name":"argument_required","arguments":[{"name":"x","required":"true"},{"name":"y","required":"maybe"}]}`,
		`{"name":"argument_nameless","arguments":[{"description":"x"},null,{"name":"y"}]}`,
		`{"name":"description_null","description":null}`, `{"name":"title_null","title":null}`, `{"name":"icons_null","icons":null}`,
		`{"name":"meta_null","_meta":null}`,
		`{"name":"content_text"}`, `{"name":"content_list"}`, `{"name":"nulls"}`,
		`{"description":"has no name"}`, `{"name":null}`,
	}
	oddResources = []string{
		`{"uri":"odd://fine","name":"fine","size":12,"annotations":{"audience":["user"],"priority":1,"lastModified":"2026-01-12T15:00:58Z"}}`,
		`{"uri":"odd://nameless"}`, `{"uri":"odd://name_null","name":null}`, `{"uri":"odd://mime","name":"m","mimeType":null}`,
		`{"uri":"odd://description","name":"d","description":null}`, `{"uri":"odd://title","name":"t","title":null}`,
		`{"uri":"odd://size_null","name":"s","size":null}`, `{"uri":"odd://size_text","name":"s","size":"12"}`,
		`{"uri":"odd://size_part","name":"s","size":1.5}`,
		`{"uri":"odd://annotations","name":"a","annotations":null}`,
		`{"uri":"odd://audience","name":"a","annotations":{"audience":"user","priority":7,"lastModified":"yesterday"}}`,
		`{"uri":"odd://icons","name":"i","icons":null}`, `{"uri":"odd://meta","name":"m","_meta":[]}`,
		`{"uri":"odd://read_nulls","name":"r"}`, `{"uri":"odd://read_without_uri","name":"r"}`,
		`{"uri":"odd://read_object","name":"r"}`, `{"uri":"odd://read_nothing","name":"r"}`,
		`{"uri":"relative/path","name":"relative"}`, `{"name":"no uri"}`, `{"uri":null,"name":"null"}`,
		`{"uri":"odd://a b/","name":"a space"}`,
	}
	oddTemplates = []string{
		`{"uriTemplate":"odd://t/{x}","name":"fine"}`, `{"uriTemplate":"odd://n/{x}"}`,
		`{"uriTemplate":"odd://m/{x}","name":"m","mimeType":null}`,
		`{"uriTemplate":"odd://d/{x}","name":"d","description":null,"title":null}`,
		`{"uriTemplate":"odd://a/{x}","name":"a","annotations":[],"_meta":null}`,
		`{"uriTemplate":"odd://i/{x}","name":"i","icons":[null]}`,
		`{"name":"no template"}`,
	}
)

// oddResults are the results of tools/call by the name of the tool; other tools return text and structured content.
var oddResults = map[string]string{
	"required_null":      `{"content":null,"structuredContent":{"rows":1}}`,
	"required_mixed":     `{"structuredContent":{"rows":1}}`,
	"required_true":      `{"content":"just a text"}`,
	"properties_null":    `{"content":{"type":"text","text":"no list"}}`,
	"property_null":      `{"content":[{"type":"text","text":"nulls","annotations":null,"_meta":null}],"structuredContent":null,"isError":null,"_meta":null}`,
	"dialect_number":     `{"content":["bare",{"text":"no type"},{"type":"text","text":7},{"type":"chart","points":[1,2]}]}`,
	"type_missing":       `{"content":[{"type":"text","text":"kept"},{"type":"image","data":"QUJD"},{"type":"text"},null]}`,
	"type_list":          `{"content":[{"type":"image","data":"data:image/png;base64,QUJ","mimeType":"image/png"},{"type":"audio","data":"a-_b","mimeType":"audio/wav"}]}`,
	"upper":              `{"content":[{"type":"resource","resource":{"uri":"odd://fine","text":"t","mimeType":null}},{"type":"resource_link","uri":"odd://fine","size":"3"}]}`,
	"empty":              `{"content":[{"type":"resource","resource":{"uri":"no/scheme","text":"still read"}}],"isError":"false"}`,
	"fine":               `{ "content" : [ {"type":"text","text":"caf\u00e9 \ud83d\ude00 1.0","x":1E3} ], "vendor" : 9007199254740993 }`,
	"description_number": `{"content":[{"type":"text","text":"half \ud83d of a pair"}]}`,
	"title_list":         `{"content":[],"structuredContent":["not","an","object"]}`,
	"hint_text":          `{"toolResult":{"old":true}}`,
	"null":               `{}`,
	"true":               `{"content":null}`,
	"list":               `{"content":[{"type":"image"}],"_meta":{"x":1}}`,
	"no_schema":          `{"isError":true}`,
}

// OddFailures are the tools whose results have no usable content, so that clients get an error.
var OddFailures = []string{"list", "no_schema", "null", "true"}

var oddMessages = map[string]string{
	"content_text": `{"messages":[{"role":"user","content":"bare"}]}`,
	"content_list": `{"messages":[{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}]}`,
	"nulls":        `{"description":null,"_meta":null,"messages":[{"role":"assistant","content":{"type":"text","text":"x","annotations":null}}]}`,
}

var oddContents = map[string]string{
	"odd://read_nulls":       `{"contents":[{"uri":"odd://read_nulls","text":"x","mimeType":null,"_meta":null}],"_meta":null}`,
	"odd://read_without_uri": `{"contents":[{"text":"x"},"y"]}`,
	"odd://read_object":      `{"contents":{"uri":"odd://read_object","blob":"QUJ"}}`,
	"odd://read_nothing":     `{"contents":[{"uri":"odd://read_nothing","text":null}]}`,
}

// OddRefusals are the resources whose contents are unusable, so that reading them is an error.
var OddRefusals = []string{"odd://read_nothing"}

func schemas(of map[string]string) (tools []string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"has an odd schema","inputSchema":%s}`, name, of[name]))
	}
	return tools
}

// oddRequest answers the requests about lists and their items. It returns false for other
// methods.
func (s *server) oddRequest(m message) bool {
	var params struct{ Name, URI string }
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	list := func(member string, items []string) {
		s.oddResult(m.ID, `{"`+member+`":[`+strings.Join(items, ",")+`],"_meta":null,"nextCursor":null}`)
	}
	of := func(results map[string]string, name, otherwise string) {
		if known, ok := results[name]; ok {
			otherwise = known
		}
		s.oddResult(m.ID, otherwise)
	}
	switch m.Method {
	case "initialize":
		s.result(m.ID,
			`{"protocolVersion":"2025-06-18","capabilities":`+oddCapabilities+
				`,"serverInfo":{"name":"odd","title":[],"version":2,"icons":null},"instructions":{}}`)
	case "tools/list":
		list("tools", oddTools)
	case "prompts/list":
		list("prompts", oddPrompts)
	case "resources/list":
		list("resources", oddResources)
	case "resources/templates/list":
		list("resourceTemplates", oddTemplates)
	case "tools/call":
		of(oddResults, params.Name, `{"content":[{"type":"text","text":"called"}],"structuredContent":{}}`)
	case "completion/complete":
		s.oddResult(m.ID, `{"completion":{"values":["one",null],"total":"2","hasMore":null}}`)
	case "prompts/get":
		of(oddMessages, params.Name, `{"messages":[]}`)
	case "resources/read":
		of(oddContents, params.URI, `{"contents":[{"uri":`+quote(params.URI)+`,"text":"t"}]}`)
	default:
		return false
	}
	return true
}

const oddCapabilities = `{"tools":{"listChanged":null},"prompts":true,"resources":{"subscribe":"yes"},"completions":true,"logging":null,"experimental":{"x":null}}`

// oddResult sends a result. In the modern era it adds the member resultType, which every result must have.
func (s *server) oddResult(id json.RawMessage, result string) {
	if s.modern {
		result = strings.Replace(`{"resultType":"complete",`+strings.TrimPrefix(result, "{"), ",}", "}", 1)
	}
	s.result(id, result)
}
