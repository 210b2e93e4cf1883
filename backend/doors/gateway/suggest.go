package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Suggest returns the response to a call. If the tool does not exist or rejects
// the arguments, it adds the names of similar tools after the server's own answer,
// because a model rarely notices that it has chosen the wrong tool. It suggests
// nothing after other errors: another tool must not be a way around a refusal.
func (c *toolCalls) Suggest(server, tool string, result call.Result, err error) (json.RawMessage, error) {
	var rpc *jsonrpc.Error
	ours := err != nil && !errors.As(err, &rpc)
	if ours || rpc == nil && !(result.ToolError && wrongUse(result.JSON)) || rpc != nil && !misdirected(rpc) {
		return answer.Call(result.JSON, err)
	}
	present := c.tools.Rules()
	var near []*catalog.Tool
	if fault.CodeOf(err) == fault.CodeUnlisted {
		for _, name := range fault.DidYouMean(err) {
			if t, known := present.Lookup(server, name); known {
				near = append(near, t)
			}
		}
	} else {
		near = c.finder.Near(server, tool, present)
	}
	if len(near) == 0 {
		return answer.Call(result.JSON, err)
	}
	text := "\ndid_you_mean: " + strings.Join(finding.CallAs(near), ", ") +
		"\nPick the closest match and call it directly — do NOT re-run find_tool."
	if rpc != nil {
		return nil, jsonrpc.ParseError(jsonrpc.Set(rpc.Raw(), "message", jsonrpc.Quote(rpc.Message+text)))
	}
	return appendText(result.JSON, text), nil
}

// misdirected reports whether an error means that the model called the wrong tool
// or with wrong arguments. Errors with other codes are passed on unchanged, because
// the codes may have a special meaning for the client.
func misdirected(rpc *jsonrpc.Error) bool {
	switch rpc.Code {
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeMethodNotFound:
		return true
	}
	return rpc.Code == jsonrpc.CodeInternalError && wrongUseText.MatchString(rpc.Message)
}

// wrongUseText matches error texts of servers about unknown tools and wrong arguments.
var wrongUseText = regexp.MustCompile(`(?i)MCP error -3260[12]\b|\b(unknown|no such|unrecogni[sz]ed|nonexistent) tool\b|` +
	`\btool\b.{0,100}\b(not found|does not exist|doesn't exist|is not (known|registered|available))|` +
	`\b(invalid|unknown|unexpected|unrecogni[sz]ed|missing)( required)? (arguments?|params?|parameters?|keys?|propert(y|ies)|fields?)\b|` +
	`\b(input|argument|arguments|schema|parameter) validation\b|\bvalidation errors? (for|in)\b|` +
	`\brequired (property|argument|parameter|field)\b|\b(property|argument|parameter|field)\b.{0,60}\b(is )?required\b`)

// refusalText matches texts that refuse access. Such a text does not count as wrong use, even if it also
// mentions arguments.
var refusalText = regexp.MustCompile(`(?i)\b(access|permission)s? (is |was )?denied|\bdenied\b|\bforbidden\b|\bnot (allowed|permitted|authori[sz]ed)\b|` +
	`\bunauthori[sz]ed\b|\bEACCES\b|\bEPERM\b|\boutside (of )?(the )?allowed\b|\b40[13]\b`)

// wrongUse reports whether the text of an error result is about an unknown tool or wrong arguments.
func wrongUse(result json.RawMessage) bool {
	for block := range jsonrpc.Items(jsonrpc.Get(result, "content")) {
		text := jsonrpc.GetString(block, "text")
		text = text[:min(len(text), 2000)]
		if refusalText.MatchString(text) {
			return false
		}
		if wrongUseText.MatchString(text) {
			return true
		}
	}
	return false
}

// appendText adds a text block to a result. All other bytes stay as they are.
func appendText(result json.RawMessage, text string) json.RawMessage {
	block, _ := answer.Encode(map[string]string{"type": "text", "text": text})
	content := bytes.TrimSpace(jsonrpc.Get(result, "content"))
	if len(content) < 2 || content[0] != '[' {
		return result
	}
	body := bytes.TrimSpace(content[1 : len(content)-1])
	joined := append([]byte("["), body...)
	if len(body) > 0 {
		joined = append(joined, ',')
	}
	joined = append(append(joined, block...), ']')
	return jsonrpc.Set(result, "content", joined)
}
