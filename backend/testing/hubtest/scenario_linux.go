//go:build linux

package hubtest

// Confined returns a request body that configures a server with a sandbox level.
func (s *Scenario) Confined(name, level string, command ...string) string {
	return s.JSON(map[string]any{"name": name, "sandbox": level, "warm": false, "command": command[0], "args": command[1:]})
}
