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

// OwnerOf returns the process that listens on a TCP port of this machine. Of a process of another user, it may know only
// the user. If several processes listen on different addresses, it prefers the one that 127.0.0.1 leads to.
func OwnerOf(_ context.Context, port int) (Listener, bool) {
	socket, uid, found := listeningOn(port)
	if !found {
		return Listener{}, false
	}
	l := Listener{User: userName(uid)}
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, file := range files {
		if link, err := os.Readlink(file); err != nil || link != socket {
			continue
		}
		process := filepath.Dir(filepath.Dir(file))
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		l.PID, l.Name = pid, strings.TrimSpace(string(name))
		break
	}
	return l, true
}

// listeningOn returns the link to the socket that listens on a port, as /proc/PID/fd has it, and the id of its user.
func listeningOn(port int) (socket, uid string, found bool) {
	suffix := ":" + strings.ToUpper(strconv.FormatInt(int64(port)+1<<16, 16))[1:] // four digits
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			// Columns: sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode
			f := strings.Fields(line)
			if len(f) < 10 || !strings.HasSuffix(f[1], suffix) || f[3] != listening {
				continue
			}
			address := strings.TrimSuffix(f[1], suffix)
			reached := strings.HasSuffix(address, "0100007F") || strings.HasSuffix(address, "7F000001") // in either byte order
			if reached || !found {
				socket, uid, found = "socket:["+f[9]+"]", f[7], true
			}
			if reached {
				return socket, uid, found
			}
		}
	}
	return socket, uid, found
}
