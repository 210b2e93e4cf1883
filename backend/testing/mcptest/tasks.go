package mcptest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// job is a task of the tool job.
type job struct {
	text, status string
	done         chan struct{} // closed when the status is final
}

const (
	jobTool          = `{"name":"job","description":"Do something as a task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`
	tasksCapability  = `,"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`
	relatedTask      = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":%s}}`
	methodNotFound   = -32601
	invalidArguments = -32602
)

// startJob answers tools/call of the tool job. The task completes after tasks/get
// was called once, or never if its text is "forever".
func (s *server) startJob(m message) {
	var params struct {
		Arguments struct{ Text string }
		Task      json.RawMessage
	}
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	if params.Task == nil {
		s.failure(m.ID, methodNotFound, "job must be called as a task")
		return
	}
	s.mu.Lock()
	id := strconv.Itoa(len(s.jobs) + 1)
	s.jobs = append(s.jobs, &job{params.Arguments.Text, "working", make(chan struct{})})
	s.mu.Unlock()
	s.result(m.ID, `{"task":`+s.task(id)+`}`)
}

// job returns the task with an id, or nil.
func (s *server) job(id string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, err := strconv.Atoi(id); err == nil && n >= 1 && n <= len(s.jobs) {
		return s.jobs[n-1]
	}
	return nil
}

// task returns the state of a task.
func (s *server) task(id string) string {
	j := s.job(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	return `{"taskId":` + quote(id) + `,"status":` + quote(j.status) + `,"createdAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":1}`
}

// statuses returns the statuses of all tasks, in order.
func (s *server) statuses() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, j := range s.jobs {
		out = append(out, j.status)
	}
	return strings.Join(out, " ")
}

func (s *server) finish(j *job, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j.status == "working" {
		j.status = status
		close(j.done)
	}
}

// taskRequest answers the methods for tasks. It returns false for other methods.
func (s *server) taskRequest(m message) bool {
	var params struct{ TaskID string }
	_ = json.Unmarshal(m.Params, &params) // missing params stay empty
	j := s.job(params.TaskID)
	switch m.Method {
	case "tasks/get", "tasks/result", "tasks/cancel":
		if j == nil {
			s.failure(m.ID, invalidArguments, "no such task: "+params.TaskID)
			return true
		}
	case "tasks/list":
		s.failure(m.ID, methodNotFound, "the hub must not show the tasks of others")
		return true
	default:
		return false
	}
	switch m.Method {
	case "tasks/get":
		s.result(m.ID, s.task(params.TaskID))
		if j.text != "forever" {
			s.finish(j, "completed")
			s.notify("notifications/tasks/status", s.task(params.TaskID))
		}
	case "tasks/cancel":
		s.finish(j, "cancelled")
		s.result(m.ID, s.task(params.TaskID))
		s.notify("notifications/tasks/status", s.task(params.TaskID))
	case "tasks/result":
		<-j.done
		s.result(m.ID, `{"content":[{"type":"text","text":`+quote(j.text)+`}],`+fmt.Sprintf(relatedTask, quote(params.TaskID))+`}`)
	}
	return true
}
