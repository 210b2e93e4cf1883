package mcptest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// modernTask answers the requests of the tasks extension of MCP 2026-07-28. A task of the tool job completes after
// its state was read once. If its text is "forever", it completes only when it gets input.
func (s *server) modernTask(m message, capabilities string) {
	var params struct {
		TaskID    string
		Arguments struct{ Text string }
		Responses json.RawMessage `json:"inputResponses"`
	}
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	if !strings.Contains(capabilities, `"io.modelcontextprotocol/tasks"`) {
		s.write(
			fmt.Sprintf(
				`{"jsonrpc":"2.0","id":%s,"error":{"code":-32021,"message":"tasks are required","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`,
				m.ID,
			),
		)
		return
	}
	if m.Method == "tools/call" {
		s.mu.Lock()
		id := strconv.Itoa(len(s.jobs) + 1)
		s.jobs = append(s.jobs, &job{params.Arguments.Text, "working", make(chan struct{})})
		s.mu.Unlock()
		s.result(m.ID, `{"resultType":"task",`+s.modernState(id)+`}`)
		return
	}
	j := s.job(params.TaskID)
	if j == nil {
		s.failure(m.ID, invalidArguments, "no such task: "+params.TaskID)
		return
	}
	switch m.Method {
	case "tasks/get":
		s.result(m.ID, `{"resultType":"complete",`+s.modernState(params.TaskID)+`}`)
		if j.text != "forever" {
			s.modernEnd(params.TaskID, "completed")
		}
	case "tasks/update":
		s.mu.Lock()
		j.text = string(params.Responses)
		s.mu.Unlock()
		s.result(m.ID, `{"resultType":"complete"}`)
		s.modernEnd(params.TaskID, "completed")
	case "tasks/cancel":
		s.result(m.ID, `{"resultType":"complete"}`)
		s.modernEnd(params.TaskID, "cancelled")
	default:
		s.failure(m.ID, methodNotFound, "Method not found: "+m.Method)
	}
}

// modernState returns the members of a task, with its result once it is completed.
func (s *server) modernState(id string) string {
	j := s.job(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	state := fmt.Sprintf(
		`"taskId":%s,"status":%s,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":60000,"pollIntervalMs":1`,
		quote(id), quote(j.status),
	)
	if j.status == "completed" {
		state += `,"result":{"content":[{"type":"text","text":` + quote(j.text) + `},{"type":"resource_link","uri":"note://1","name":"n"}]}`
	}
	return state
}

// modernEnd ends a task and notifies the client if it listens to the task.
func (s *server) modernEnd(id, status string) {
	s.finish(s.job(id), status)
	s.mu.Lock()
	listen := s.followers[id]
	s.mu.Unlock()
	if listen != nil {
		s.notify("notifications/tasks",
			fmt.Sprintf(`{%s,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, s.modernState(id), listen))
	}
}
