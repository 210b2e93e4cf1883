package mcptest

import (
	"encoding/json"
	"fmt"
)

// offer answers the methods for resources, prompts and logging. It returns false
// for other methods.
func (s *server) offer(m message) bool {
	var params struct {
		URI       string            `json:"uri"`
		Name      string            `json:"name"`
		Cursor    string            `json:"cursor"`
		Level     string            `json:"level"`
		Arguments map[string]string `json:"arguments"`
	}
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	switch m.Method {
	case "resources/list":
		if params.Cursor == "" {
			s.result(m.ID, `{"resources":[{"uri":"note://1","name":"first"}],"nextCursor":"second page"}`)
		} else {
			s.result(m.ID, `{"resources":[{"uri":"note://2","name":"after `+params.Cursor+`"}]}`)
		}
	case "resources/templates/list":
		s.result(m.ID, `{"resourceTemplates":[{"uriTemplate":"note://{n}","name":"notes"}]}`)
	case "resources/read":
		if params.URI == "ui://board" {
			s.result(m.ID, `{"contents":[{"uri":"ui://board","mimeType":"text/html;profile=mcp-app","text":"<p>"}]}`)
			break
		}
		if params.URI == "note://level" {
			s.result(m.ID, `{"contents":[{"uri":"note://level","text":`+quote(s.logLevel())+`}]}`)
			break
		}
		if params.URI != "note://1" {
			s.failure(m.ID, -32002, "no such resource: "+params.URI)
			break
		}
		s.result(m.ID, `{"contents":[{"uri":"note://1","text":"a note","unknown":9007199254740993}]}`)
	case "resources/subscribe":
		s.result(m.ID, `{}`)
		s.notify("notifications/resources/updated", `{"uri":`+quote(params.URI)+`}`)
	case "resources/unsubscribe":
		s.result(m.ID, `{}`)
	case "prompts/list":
		s.result(m.ID, `{"prompts":[{"name":"greet","arguments":[{"name":"who","required":true}]}]}`)
	case "prompts/get":
		if params.Name != "greet" {
			s.failure(m.ID, -32602, "no such prompt: "+params.Name)
			break
		}
		s.result(m.ID, `{"messages":[{"role":"user","content":{"type":"text","text":`+quote("Greet "+params.Arguments["who"])+`}}]}`)
	case "completion/complete":
		s.result(m.ID, `{"completion":{"values":[`+quote("asked with "+string(m.Params))+`],"hasMore":false}}`)
	case "logging/setLevel":
		s.mu.Lock()
		s.level = params.Level
		s.mu.Unlock()
		s.result(m.ID, `{}`)
		s.notify("notifications/message", `{"level":`+quote(params.Level)+`,"data":"so be it"}`)
	default:
		return false
	}
	return true
}

// logLevel returns the level that the client has set.
func (s *server) logLevel() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level
}

func (s *server) failure(id json.RawMessage, code int, message string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(message)))
}
