//go:build linux

package hubtest

func (s *Scenario) Confined(name, level string, command ...string) string {
	return s.JSON(map[string]any{"name": name, "sandbox": level, "warm": false, "command": command[0], "args": command[1:]})
}
