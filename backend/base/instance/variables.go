package instance

import (
	"encoding/json"
	"os"
)

// setupVariables is the environment variable with which KeepSetupVariables passes
// variables to a hub, as a JSON object. It is never passed on a command line.
const setupVariables = "AGENT_DISCOVER_SETUP_VARIABLES"

// KeepSetupVariables saves the named environment variables, as far as they are set,
// for a hub that this process may start. A hub gets no other variables of the
// process that starts it, but a setup file may refer to variables that an editor
// passes to the companion.
func KeepSetupVariables(names []string) error {
	values := SetupVariables()
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			values[name] = value
		}
	}
	if len(values) == 0 {
		return nil
	}
	data, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return os.Setenv(setupVariables, string(data))
}

// SetupVariables returns the variables that the process which started this hub has
// saved with KeepSetupVariables.
func SetupVariables() map[string]string {
	values := make(map[string]string)
	_ = json.Unmarshal([]byte(os.Getenv(setupVariables)), &values) // fails if the variable is not set
	return values
}
