package instance

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// EnterTask prepares a hub that a scheduled task has started: it closes the console
// of the task, sets the environment variables in the file that the starter wrote,
// and removes the file.
func EnterTask(file string) error {
	process.LeaveConsole()
	data, err := os.ReadFile(file)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not read the environment of the task: %s", paths.Reason(err))
	}
	_ = os.Remove(file) // the starter removes it too
	var env process.Env
	if err := json.Unmarshal(data, &env); err != nil {
		return fault.Wrap(err, fault.Invalid, "the environment of the task is malformed")
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
