package process

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listening is the state of a listening socket in the tables of /proc/net.
const listening = "0A"

// OwnerOf returns the process that listens on a TCP port of this machine. It does not find processes of other users.
func OwnerOf(_ context.Context, port int) (Listener, bool) {
	sockets := make(map[string]bool)
	suffix := ":" + strings.ToUpper(strconv.FormatInt(int64(port)+1<<16, 16))[1:] // four digits
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			// Columns: sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode
			if f := strings.Fields(line); len(f) > 9 && strings.HasSuffix(f[1], suffix) && f[3] == listening {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	if len(sockets) == 0 {
		return Listener{}, false
	}
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		if link, err := os.Readlink(file); err != nil || !sockets[link] {
			continue
		}
		process := filepath.Dir(filepath.Dir(file))
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		return Listener{pid, strings.TrimSpace(string(name))}, true
	}
	return Listener{}, false
}
