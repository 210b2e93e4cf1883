package process

import (
	"context"
	"os"
	"strings"
)

// programs lists all running programs. Programs whose path this user may not read
// have only a name.
func programs(context.Context) []program {
	entries, _ := os.ReadDir("/proc")
	var list []program
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue
		}
		name, err := os.ReadFile("/proc/" + e.Name() + "/comm")
		if err != nil {
			continue
		}
		file, _ := os.Readlink("/proc/" + e.Name() + "/exe")
		list = append(list, program{strings.TrimSuffix(string(name), "\n"), strings.TrimSuffix(file, " (deleted)")})
	}
	return list
}
