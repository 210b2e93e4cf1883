package mcptest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// modernRequest answers the requests that are different in MCP 2026-07-28, and refuses requests with incomplete
// metadata. It returns false for all other requests.
func (s *server) modernRequest(m message, cancelled <-chan struct{}) bool {
	var params struct {
		Meta          map[string]json.RawMessage `json:"_meta"`
		Name          string                     `json:"name"`
		Arguments     json.RawMessage            `json:"arguments"`
		Notifications json.RawMessage            `json:"notifications"`
		Responses     json.RawMessage            `json:"inputResponses"`
		State         json.RawMessage            `json:"requestState"`
	}
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	const prefix = "io.modelcontextprotocol/"
	switch {
	case m.Method == "initialize", m.Method == "ping", strings.HasPrefix(m.Method, "logging/"), strings.HasSuffix(m.Method, "subscribe"):
		s.failure(m.ID, -32601, "Method not found: "+m.Method)
	case string(params.Meta[prefix+"protocolVersion"]) != `"2026-07-28"` || len(params.Meta[prefix+"clientCapabilities"]) == 0:
		s.failure(m.ID, -32602, "the metadata is incomplete: "+string(m.Params))
	case m.Method == "server/discover":
		s.result(m.ID,
			`{"resultType":"complete","ttlMs":5000,"cacheScope":"public","supportedVersions":["2026-07-28"],"instructions":"Be kind.",`+
				`"capabilities":`+modernCapabilities(s.options)+`,`+
				`"_meta":{"`+prefix+`serverInfo":{"name":"mcptest","title":"Modern","version":"1.2.3"}}}`)
	case m.Method == "subscriptions/listen":
		s.listen(m, params.Notifications, cancelled)
	case s.tasks && (strings.HasPrefix(m.Method, "tasks/") || m.Method == "tools/call" && params.Name == "job"):
		s.modernTask(m, string(params.Meta[prefix+"clientCapabilities"]))
	case m.Method == "tools/call" && params.Name == "require":
		s.require(m, params.Arguments, params.Responses, params.State)
	case m.Method == "tools/call" && params.Name == "meta":
		text, _ := json.Marshal(params.Meta) // cannot fail: it was decoded from JSON
		s.result(m.ID, `{"resultType":"complete","ttlMs":1,"cacheScope":"public","content":[{"type":"text","text":`+quote(string(text))+
			`}],"_meta":{"`+prefix+`serverInfo":{"name":"mcptest"},"own":1}}`)
	default:
		return false
	}
	return true
}

func modernCapabilities(o options) string {
	if o.undeclared {
		return "{}"
	}
	return `{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}`
}

// listen acknowledges a listen request, except for resources whose URI contains
// "refused", and sends an update of each acknowledged resource. It answers the
// request when the tool release is called with the key "listen".
func (s *server) listen(m message, wanted json.RawMessage, cancelled <-chan struct{}) {
	var asked map[string]json.RawMessage
	var uris []string
	_ = json.Unmarshal(wanted, &asked)
	_ = json.Unmarshal(asked["resourceSubscriptions"], &uris)
	honoured := []string{}
	for _, uri := range uris {
		if !strings.Contains(uri, "refused") {
			honoured = append(honoured, uri)
		}
	}
	if uris != nil {
		asked["resourceSubscriptions"], _ = json.Marshal(honoured)
	}
	var tasks []string
	_ = json.Unmarshal(asked["taskIds"], &tasks)
	s.mu.Lock()
	for _, id := range tasks {
		if s.followers == nil {
			s.followers = make(map[string]json.RawMessage)
		}
		s.followers[id] = m.ID
	}
	s.mu.Unlock()
	subset, _ := json.Marshal(asked)
	tag := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(m.ID) + `}`
	s.notify("notifications/subscriptions/acknowledged", fmt.Sprintf(`{"notifications":%s,%s}`, subset, tag))
	for _, uri := range honoured {
		s.notify("notifications/resources/updated", fmt.Sprintf(`{"uri":%s,%s}`, quote(uri), tag))
	}
	gate := (&call{server: s, Key: "listen"}).gate()
	select {
	case <-cancelled:
	case <-gate:
		s.result(m.ID, `{"resultType":"complete"}`)
	}
}

// require answers a call with the requests for input and the state in its arguments. The result of a retry contains the
// responses and the state that the retry sent. If the argument "always" is true, a retry without responses is answered
// like the first call.
func (s *server) require(m message, arguments, responses, state json.RawMessage) {
	var asked struct {
		Requests json.RawMessage `json:"requests"`
		State    json.RawMessage `json:"state"`
		Always   bool            `json:"always"`
	}
	_ = json.Unmarshal(arguments, &asked)
	if responses != nil || state != nil && !asked.Always {
		s.result(m.ID, fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%s}]}`,
			quote(string(responses)+string(state))))
		return
	}
	result := `{"resultType":"input_required"`
	if asked.Requests != nil {
		result += `,"inputRequests":` + string(asked.Requests)
	}
	if asked.State != nil {
		result += `,"requestState":` + string(asked.State)
	}
	s.result(m.ID, result+"}")
}

// admits reports whether a message belongs to the era of the connection, which the first request decides. It refuses
// requests of the other era, as the SDKs for Python and TypeScript do.
func (s *server) admits(m message) bool {
	era := "legacy"
	if m.Method != "initialize" && strings.Contains(string(m.Params), "io.modelcontextprotocol/protocolVersion") {
		era = "modern"
	}
	s.mu.Lock()
	locked, turned := s.era, s.probed && s.both == "probe" && m.Method == "initialize"
	if locked == "" || turned {
		s.era, locked = era, era
	}
	s.probed = s.era == "modern" && m.Method == "server/discover"
	s.mu.Unlock()
	switch {
	case era == locked:
		return true
	case m.ID != nil && era == "legacy":
		s.failure(m.ID, -32022, "the connection serves MCP 2026-07-28: "+m.Method)
	case m.ID != nil:
		s.failure(m.ID, -32600, "the connection serves older versions of MCP: "+m.Method)
	}
	return false
}

func (s *server) inModern() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.era == "modern"
}
