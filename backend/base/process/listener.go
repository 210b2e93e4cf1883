package process

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// Listener is a process that listens on a TCP port.
type Listener struct {
	PID  int    // 0 if the system does not report it, which it may do only to the same user
	Name string // of its program; "" if unknown
	User string // who runs it; "" if unknown
}

// String returns the process for people, such as "process 4711, python3, of user alice".
func (l Listener) String() string {
	text := "a process"
	if l.PID > 0 {
		text = fmt.Sprintf("process %d", l.PID)
	}
	comma := ""
	if l.Name != "" { // a program chooses its name
		text, comma = text+", "+safetext.Label(l.Name), ","
	}
	if l.User != "" {
		text += comma + " of user " + safetext.Label(l.User)
	}
	return text
}

// Foreign reports whether the process is known to belong to another user than this one.
func (l Listener) Foreign() bool {
	return l.User != "" && l.User != userName(strconv.Itoa(os.Geteuid()))
}

// userName returns the name of a user, or the id if it has no name.
func userName(id string) string {
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// ownerInLsof reads the output of lsof -FpcL: lines with p and the id of a process, each followed by one with c and the
// name of its program, and one with L and the name of its user.
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
		case strings.HasPrefix(line, "L") && ok:
			l.User = line[1:]
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
