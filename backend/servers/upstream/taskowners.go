package upstream

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// maxTaskOwners is how many tasks of a session are remembered with their callers.
const maxTaskOwners = 256

// taskOwners remembers the callers that have started the tasks of a legacy session, because the server may send
// requests for a task after its call was answered. It is safe for concurrent use.
type taskOwners struct {
	mu    sync.Mutex
	tasks []ownedTask // oldest first
}

type ownedTask struct {
	id     string
	caller Caller
}

// note remembers the task in the result of a call, if the result contains one.
func (t *taskOwners) note(caller Caller, result json.RawMessage) {
	id := jsonrpc.GetString(jsonrpc.Get(result, "task"), "taskId")
	if id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.tasks) >= maxTaskOwners {
		t.tasks = slices.Delete(t.tasks, 0, 1)
	}
	t.tasks = append(t.tasks, ownedTask{id, caller})
}

// owner returns the caller that has started a task, or nil if it is not remembered.
func (t *taskOwners) owner(id string) Caller {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, task := range t.tasks {
		if task.id == id {
			return task.caller
		}
	}
	return nil
}
