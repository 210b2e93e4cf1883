package process

import (
	"context"
	"os/exec"
	"path"
	"strings"
	"time"
)

// programs lists all running programs. On macOS, the comm field of ps is the path of
// the program. The option -ww keeps ps from shortening it.
func programs(ctx context.Context) []program {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "/bin/ps", "-axwwo", "comm=").Output()
	var list []program
	for line := range strings.Lines(string(out)) {
		file := strings.TrimSpace(line)
		list = append(list, program{path.Base(file), file})
	}
	return list
}
