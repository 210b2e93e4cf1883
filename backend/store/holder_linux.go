package store

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// lockHolder returns the name of the program that holds a lock of a database, as the end of an error message, or "".
// It reads the kernel's list of locks, because opening and closing the files of the database would release the locks
// of this process.
func lockHolder(file string) string {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	inodes := make(map[string]bool)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		var stat syscall.Stat_t
		if syscall.Stat(file+suffix, &stat) == nil {
			inodes[strconv.FormatUint(stat.Ino, 10)] = true
		}
	}
	for line := range strings.Lines(string(locks)) {
		// A line looks like this: 1: POSIX  ADVISORY  WRITE 4242 08:01:131077 120 120
		fields := strings.Fields(line)
		if len(fields) < 8 || fields[3] != "WRITE" || !inodes[fields[5][strings.LastIndexByte(fields[5], ':')+1:]] {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && pid > 0 && pid != os.Getpid() {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			return fmt.Sprintf(" (process %d, %s)", pid, safetext.Visible(string(bytes.TrimSpace(name))))
		}
	}
	return ""
}
