//go:build linux

package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// pending is the name of what comes with the marketplace: answers are well
// formed and say so.
const pending = "pending"

// difference is an answer that is ours on purpose.
type difference struct {
	name string
	// want and never are parts of the answer, as JSON writes it.
	want, never []string
}

func (d difference) check(answer json.RawMessage) string {
	if !json.Valid(answer) {
		return "it is not JSON"
	}
	for _, part := range d.want {
		if !strings.Contains(string(answer), part) {
			return fmt.Sprintf("it lacks %s", part)
		}
	}
	for _, part := range d.never {
		if strings.Contains(string(answer), part) {
			return fmt.Sprintf("it holds %s", part)
		}
	}
	return ""
}

// toolNotPrefixed is a proxied tool as its server describes it.
var toolNotPrefixed = []string{`"everything__echo"`, `"title":"Echo Tool"`, `"annotations"`, `"description":"Echoes back the input string"`}

// differences are the exchanges that are answered otherwise than the original
// did, and why. An exchange that is not here is answered alike.
var differences = map[int]difference{
	// The protocol version that was asked for is spoken.
	1: {name: "negotiated", want: []string{`"protocolVersion":"2025-06-18"`, `"listChanged":true`}},

	// An unknown tool is the error that MCP has for it; results and
	// definitions keep all that the server said.
	6:   {name: "faithful", want: []string{`"code":-32602`, `Unknown tool: nope`}},
	84:  {name: "faithful", want: toolNotPrefixed, never: []string{`[everything] `}},
	150: {name: "faithful", want: []string{`"content":[{"type":"text","text":"Echo: via proxy"}]`}},
	151: {name: "faithful", want: []string{`"structuredContent":{"content":"Allowed directories:\n{{RUN}}/fsroot"}`}},
	154: {name: "faithful", want: []string{`unknown server \"zzz\"`, `"isError":true`}},
	155: {name: "faithful", want: []string{`server \"nocmd\" has no command`, `"isError":true`}},
	156: {name: "faithful", want: []string{`failed to activate \"crasher\": Failed to activate \"crasher\": child process`, `"isError":true`}},
	157: {name: "faithful", want: []string{`MCP error -32602: Tool echoo not found`, `"isError":true`}},
	158: {name: "faithful", want: []string{`"content":[{"type":"text","text":"Echo: direct"}]`}},
	162: {name: "faithful", want: []string{`"type":"image","data":"iVBOR`}},
	180: {name: "faithful", want: []string{`"structuredContent":{"entities":[],"relations":[]}`}},

	// Loopback only, exact origins, a token.
	107: {name: "guard", want: []string{`"status":403`}},
	108: {name: "guard", want: []string{`"status":403`}},
	109: {name: "guard", want: []string{`"status":403`}, never: []string{"Echo"}},

	// Malformed requests get 4xx and end nothing.
	19: {name: "robust", want: []string{`"status":40`}},
	27: {name: "robust", want: []string{`"status":413`}},

	// Tool counts follow what we offer: 16 with sampling.
	78:  {name: "truthful", want: []string{`"status":"activated"`, `"tool_count":16`}},
	234: {name: "truthful", want: []string{`"status":"healthy"`}},

	// What proxy_call and transient servers start is in no list of tools.
	181: {name: "lens", want: []string{`"name":"registry"`, `"everything__echo"`}, never: []string{`"mem__`}},
	215: {name: "lens", want: []string{`"active_count":2`}, never: []string{"__transient__"}},
	216: {name: "lens", want: []string{`"name":"registry"`}, never: []string{"__transient__"}},

	// Order, scores and what counts as no match are ours; hits are lent to the
	// session, so next_step names what works in it.
	136: {name: "ranked", want: []string{`\"call_as\":\"mcp__everything__echo\"`, `\"found\":true`}},
	137: {name: "ranked", want: []string{`\"call_as\":\"mcp__filesystem__read_`, `\"found\":true`}},
	138: {name: "ranked", want: []string{`\"call_as\":\"mcp__filesystem__list_directory`, `\"found\":true`}},
	142: {name: "ranked", want: []string{`\"call_as\":\"mcp__filesystem__`, `\"confidence\":\"medium\"`}}, // "irectory" is understood
	143: {name: "ranked", want: []string{`\"call_as\":\"mcp__everything__echo\"`, `\"intent\":\"qqqq zzzz\"`}},
	159: {name: "ranked", want: []string{`Tool read_filez not found`, `"did_you_mean":[`, `mcp__filesystem__read_file`}},
	160: {name: "ranked", want: []string{`Input validation error`, `"did_you_mean":[`}},
	161: {name: "ranked", want: []string{`Access denied`, `"did_you_mean":[`}},
	166: {name: "remembered", want: []string{`\"call_as\":\"mcp__filesystem__read_`}},

	// One format more can be exported.
	106: {name: "wider", want: []string{`"format":"cursor"`, `"mcpServers":{"everything"`}},

	176: {name: pending}, 177: {name: pending}, 178: {name: pending}, 179: {name: pending},
	182: {name: pending}, 183: {name: pending},
	184: {name: pending, want: []string{`"status":200`, `"servers":[]`}},
	185: {name: pending, want: []string{`"status":200`, `"servers":[]`}},
	186: {name: pending, want: []string{`"status":200`, `"servers":[]`}},
	187: {name: pending}, 188: {name: pending},
}
