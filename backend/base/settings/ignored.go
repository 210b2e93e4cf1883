package settings

import "os"

// ignored lists environment variables that the hub ignores, with advice for each. They configure the original product,
// whose interface the hub imitates.
var ignored = []struct{ name, advice string }{
	{"AGENT_DISCOVER_DB", "set AGENT_DISCOVER_HOME to move the data folder; to import that database: agent-discover import FILE"},
	{"AGENT_DISCOVER_ALLOW_REMOTE_TEST", "unset it: the hub serves only this machine"},
}

// Ignored is an environment variable that is set and has no effect.
type Ignored struct{ Name, Advice string }

// IgnoredVariables returns the environment variables that are set although the hub ignores them.
func IgnoredVariables() []Ignored {
	var set []Ignored
	for _, v := range ignored {
		if os.Getenv(v.name) != "" {
			set = append(set, Ignored{v.name, v.advice})
		}
	}
	return set
}
