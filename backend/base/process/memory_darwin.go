package process

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// privateBytes returns for each process its resident memory, including shared memory,
// which ps does not report separately.
func privateBytes(pids []int) map[int]uint64 {
	bytes := make(map[int]uint64)
	if len(pids) == 0 {
		return bytes
	}
	list := make([]string, len(pids))
	for i, pid := range pids {
		list[i] = strconv.Itoa(pid)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "/bin/ps", "-o", "pid=,rss=", "-p", strings.Join(list, ",")).Output() // fails if one has ended
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		pid, _ := strconv.Atoi(fields[0])
		kilobytes, _ := strconv.ParseUint(fields[1], 10, 64)
		bytes[pid] = kilobytes << 10
	}
	return bytes
}
