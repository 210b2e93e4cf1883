//go:build linux

package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// pending names the answers of operations that need the marketplace, which is not
// implemented. They must be valid JSON.
const pending = "pending"

// difference describes an answer that intentionally differs from the recorded one.
type difference struct {
	name string // a name in the table of README.md, or pending
	// want and never are texts that the answer must and must not contain, as JSON.
	want, never []string
}

// check describes why an answer is not the expected one; "" if it is.
func (d difference) check(answer json.RawMessage) string {
	if !json.Valid(answer) {
		return "the answer is not JSON"
	}
	for _, part := range d.want {
		if !strings.Contains(string(answer), part) {
			return fmt.Sprintf("the answer does not contain %s", part)
		}
	}
	for _, part := range d.never {
		if strings.Contains(string(answer), part) {
			return fmt.Sprintf("the answer must not contain %s", part)
		}
	}
	return ""
}

// unchangedTool are parts of the definition of a proxied tool, as its server wrote it.
var unchangedTool = []string{`"everything__echo"`, `"title":"Echo Tool"`, `"annotations"`, `"description":"Echoes back the input string"`}

// differences lists the exchanges, by number, whose answers intentionally differ from
// the recorded ones. All others must match.
var differences = map[int]difference{
	// The requested protocol version is used.
	1: {name: "negotiated", want: []string{`"protocolVersion":"2025-06-18"`, `"listChanged":true`}},

	// An unknown tool is a JSON-RPC error, as MCP requires. Results and definitions of
	// servers are unchanged.
	6:   {name: "faithful", want: []string{`"code":-32602`, `Unknown tool: nope`}},
	84:  {name: "faithful", want: unchangedTool, never: []string{`[everything] `}},
	150: {name: "faithful", want: []string{`"content":[{"type":"text","text":"Echo: via proxy"}]`}},
	151: {name: "faithful", want: []string{`"structuredContent":{"content":"Allowed directories:\n{{RUN}}/fsroot"}`}},
	154: {name: "faithful", want: []string{`unknown server \"zzz\"`, `"isError":true`}},
	155: {name: "faithful", want: []string{`server \"nocmd\" has no command`, `"isError":true`}},
	156: {name: "faithful", want: []string{`failed to activate \"crasher\": Failed to activate \"crasher\": child process`, `"isError":true`}},
	157: {name: "faithful", want: []string{`MCP error -32602: Tool echoo not found`, `"isError":true`}},
	158: {name: "faithful", want: []string{`"content":[{"type":"text","text":"Echo: direct"}]`}},
	162: {name: "faithful", want: []string{`"type":"image","data":"iVBOR`}},
	180: {name: "faithful", want: []string{`"structuredContent":{"entities":[],"relations":[]}`}},

	// Requests need a loopback host, an allowed origin and a token.
	107: {name: "guard", want: []string{`"status":403`}},
	108: {name: "guard", want: []string{`"status":403`}},
	109: {name: "guard", want: []string{`"status":403`}, never: []string{"Echo"}},

	// Malformed requests get a 4xx status.
	19: {name: "robust", want: []string{`"status":40`}},
	27: {name: "robust", want: []string{`"status":413`}},

	// The server offers 16 tools, because this hub supports sampling.
	78:  {name: "truthful", want: []string{`"status":"activated"`, `"tool_count":16`}},
	234: {name: "truthful", want: []string{`"status":"healthy"`}},

	// Servers started by proxy_call and transient servers add no tools to lists.
	181: {name: "session tools", want: []string{`"name":"registry"`, `"everything__echo"`}, never: []string{`"mem__`}},
	215: {name: "session tools", want: []string{`"active_count":2`}, never: []string{"__transient__"}},
	216: {name: "session tools", want: []string{`"name":"registry"`}, never: []string{"__transient__"}},

	// Ranking, scores and no-match rules differ. Found tools are added to the session,
	// and next_step names the listed tool.
	136: {name: "ranked", want: []string{`\"call_as\":\"mcp__everything__echo\"`, `\"found\":true`}},
	137: {name: "ranked", want: []string{`\"call_as\":\"mcp__filesystem__read_`, `\"found\":true`}},
	138: {name: "ranked", want: []string{`\"call_as\":\"mcp__filesystem__list_directory`, `\"found\":true`}},
	142: {name: "ranked", want: []string{`\"call_as\":\"mcp__filesystem__`, `\"confidence\":\"medium\"`}}, // "irectory" is parseEntry
	143: {name: "ranked", want: []string{`\"call_as\":\"mcp__everything__echo\"`, `\"intent\":\"qqqq zzzz\"`}},
	159: {name: "ranked", want: []string{`Tool read_filez not found`, `"did_you_mean":[`, `mcp__filesystem__read_file`}},
	160: {name: "ranked", want: []string{`Input validation error`, `"did_you_mean":[`}},
	161: {name: "ranked", want: []string{`Access denied`, `"did_you_mean":[`}},
	166: {name: "remembered", want: []string{`\"call_as\":\"mcp__filesystem__read_`}},

	// There is one more export format.
	106: {name: "wider", want: []string{`"format":"cursor"`, `"mcpServers":{"everything"`}},

	176: {name: pending}, 177: {name: pending}, 178: {name: pending}, 179: {name: pending},
	182: {name: pending}, 183: {name: pending},
	184: {name: pending, want: []string{`"status":200`, `"servers":[]`}},
	185: {name: pending, want: []string{`"status":200`, `"servers":[]`}},
	186: {name: pending, want: []string{`"status":200`, `"servers":[]`}},
	187: {name: pending}, 188: {name: pending},
}
