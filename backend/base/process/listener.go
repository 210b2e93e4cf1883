package process

import (
	"fmt"
	"strconv"
	"strings"
)

// Listener is a process that listens on a TCP port.
type Listener struct {
	PID  int
	Name string // of its program; "" if unknown
}

// String returns the process for people, such as "process 4711, python3".
func (l Listener) String() string {
	if l.Name == "" {
		return fmt.Sprintf("process %d", l.PID)
	}
	return fmt.Sprintf("process %d, %s", l.PID, l.Name)
}

// ownerInLsof reads the output of lsof -Fpc: lines with p and the id of a process, each followed by one with c and the
// name of its program.
func ownerInLsof(text string) (l Listener, ok bool) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "p") && ok:
			return l, true
		case strings.HasPrefix(line, "p"):
			pid, err := strconv.Atoi(line[1:])
			l.PID, ok = pid, err == nil
		case strings.HasPrefix(line, "c") && ok:
			l.Name = line[1:]
		}
	}
	return l, ok
}

// ownerInNetstat reads the output of netstat -ano on Windows: protocol, local address, remote address, a state in the
// language of the system, and the id of the process.
func ownerInNetstat(text string, port int) (l Listener, ok bool) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] != "TCP" || !strings.HasSuffix(f[1], ":"+strconv.Itoa(port)) || !strings.HasSuffix(f[2], ":0") {
			continue
		}
		if pid, err := strconv.Atoi(f[len(f)-1]); err == nil {
			return Listener{PID: pid}, true
		}
	}
	return l, false
}
