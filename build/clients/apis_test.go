//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"io"
)

// apis are the APIs of the clients' models.
var apis = []api{
	{"/messages", readMessages, answerMessages},
	{"/responses", readResponses, answerResponses},
	{"/chat/completions", readChat, answerChat},
	{"generatecontent", readGemini, answerGemini},
}

type object = map[string]any

// event writes a server-sent event.
func event(w io.Writer, name string, data object) {
	if name != "" {
		data["type"] = name
		_, _ = fmt.Fprintf(w, "event: %s\n", name)
	}
	text, _ := json.Marshal(data)
	_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
}

func whole(w io.Writer, data object) {
	text, _ := json.Marshal(data)
	_, _ = w.Write(text)
}

const farewell = "That is all."

func readMessages(body []byte) (out turn) {
	var request struct {
		Tools []struct {
			Name, Description string
			Schema            json.RawMessage `json:"input_schema"`
			Deferred          bool            `json:"defer_loading"`
		}
		Messages []struct{ Content json.RawMessage }
	}
	_ = json.Unmarshal(body, &request) // fails for other requests, which have no tools
	for _, t := range request.Tools {
		out.tools = append(out.tools, shownTool{"", t.Name, t.Description, t.Schema, t.Deferred})
	}
	for _, m := range request.Messages {
		var parts []struct{ Type string }
		_ = json.Unmarshal(m.Content, &parts) // fails if it is a string instead
		for _, p := range parts {
			if p.Type == "tool_result" {
				out.results++
			}
		}
	}
	return out
}

func answerMessages(w io.Writer, streams bool, id string, tool *shownTool, arguments string) {
	usage := object{"input_tokens": 1, "output_tokens": 1}
	reason, block := "end_turn", object{"type": "text", "text": farewell}
	if tool != nil {
		reason, block = "tool_use", object{"type": "tool_use", "id": "toolu_" + id, "name": tool.name, "input": json.RawMessage(arguments)}
	}
	message := object{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": "stub", "content": []object{block}, "stop_reason": reason,
		"usage": usage,
	}
	if !streams {
		whole(w, message)
		return
	}
	delta := object{"type": "text_delta", "text": farewell}
	if tool != nil {
		delta = object{"type": "input_json_delta", "partial_json": arguments}
		block["input"] = object{}
	} else {
		block["text"] = ""
	}
	message["content"], message["stop_reason"] = []object{}, nil
	event(w, "message_start", object{"message": message})
	event(w, "content_block_start", object{"index": 0, "content_block": block})
	event(w, "content_block_delta", object{"index": 0, "delta": delta})
	event(w, "content_block_stop", object{"index": 0})
	event(w, "message_delta", object{"delta": object{"stop_reason": reason}, "usage": usage})
	event(w, "message_stop", object{})
}

// responsesTool is a function, or a namespace of functions.
type responsesTool struct {
	Type, Name, Description string
	Parameters              json.RawMessage
	Deferred                bool `json:"defer_loading"`
	Tools                   []responsesTool
}

func readResponses(body []byte) (out turn) {
	var request struct {
		Tools []responsesTool
		Input json.RawMessage
	}
	_ = json.Unmarshal(body, &request) // fails for other requests, which have no tools
	for _, t := range request.Tools {
		out.tools = append(out.tools, t.shown("", false)...)
	}
	var items []struct {
		Type  string
		Tools []responsesTool // in items of the type additional_tools
	}
	_ = json.Unmarshal(request.Input, &items) // fails if it is a string instead
	for _, item := range items {
		for _, t := range item.Tools {
			out.tools = append(out.tools, t.shown("", false)...)
		}
		if item.Type == "function_call_output" {
			out.results++
		}
	}
	return out
}

func (t responsesTool) shown(namespace string, deferred bool) (out []shownTool) {
	if t.Type != "namespace" {
		return []shownTool{{namespace, t.Name, t.Description, t.Parameters, deferred || t.Deferred}}
	}
	for _, inner := range t.Tools {
		out = append(out, inner.shown(t.Name, deferred || t.Deferred)...)
	}
	return out
}

func answerResponses(w io.Writer, streams bool, id string, tool *shownTool, arguments string) {
	item := object{
		"type": "message", "id": "msg_" + id, "role": "assistant", "content": []object{{"type": "output_text", "text": farewell}},
	}
	if tool != nil {
		item = object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": tool.name, "arguments": arguments}
		if tool.namespace != "" {
			item["namespace"] = tool.namespace
		}
	}
	response := object{
		"id": "resp_" + id, "status": "completed", "output": []object{item},
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
	}
	if !streams {
		whole(w, response)
		return
	}
	event(w, "response.created", object{"response": object{"id": "resp_" + id}})
	event(w, "response.output_item.done", object{"output_index": 0, "item": item})
	event(w, "response.completed", object{"response": response})
}

func readChat(body []byte) (out turn) {
	var request struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		Messages []struct{ Role string }
	}
	_ = json.Unmarshal(body, &request) // fails for other requests, which have no tools
	for _, t := range request.Tools {
		out.tools = append(out.tools, shownTool{"", t.Function.Name, t.Function.Description, t.Function.Parameters, false})
	}
	for _, m := range request.Messages {
		if m.Role == "tool" {
			out.results++
		}
	}
	return out
}

func answerChat(w io.Writer, streams bool, id string, tool *shownTool, arguments string) {
	reason, message := "stop", object{"role": "assistant", "content": farewell}
	if tool != nil {
		reason = "tool_calls"
		message = object{"role": "assistant", "content": nil, "tool_calls": []object{
			{"index": 0, "id": id, "type": "function", "function": object{"name": tool.name, "arguments": arguments}},
		}}
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	answer := object{"id": "chatcmpl-" + id, "created": 1, "model": "stub", "object": "chat.completion", "usage": usage}
	if !streams {
		answer["choices"] = []object{{"index": 0, "message": message, "finish_reason": reason}}
		whole(w, answer)
		return
	}
	answer["object"] = "chat.completion.chunk"
	answer["choices"] = []object{{"index": 0, "delta": message, "finish_reason": nil}}
	event(w, "", answer)
	answer["choices"] = []object{{"index": 0, "delta": object{}, "finish_reason": reason}}
	event(w, "", answer)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func readGemini(body []byte) (out turn) {
	var request struct {
		Tools []struct {
			FunctionDeclarations []struct {
				Name, Description    string
				Parameters           json.RawMessage
				ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
			}
		}
		Contents []struct {
			Parts []struct{ FunctionResponse json.RawMessage }
		}
	}
	_ = json.Unmarshal(body, &request) // fails for other requests, which have no tools
	for _, group := range request.Tools {
		for _, t := range group.FunctionDeclarations {
			schema := t.ParametersJSONSchema
			if schema == nil {
				schema = t.Parameters
			}
			out.tools = append(out.tools, shownTool{"", t.Name, t.Description, schema, false})
		}
	}
	for _, c := range request.Contents {
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				out.results++
			}
		}
	}
	return out
}

func answerGemini(w io.Writer, streams bool, id string, tool *shownTool, arguments string) {
	part := object{"text": farewell}
	if tool != nil {
		part = object{"functionCall": object{"id": id, "name": tool.name, "args": json.RawMessage(arguments)}}
	}
	answer := object{
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "stub",
	}
	if streams {
		event(w, "", answer)
		return
	}
	whole(w, answer)
}
