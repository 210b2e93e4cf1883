//go:build linux

package attack

import (
	"cmp"
	"os"
	"strings"
	"testing"
)

// row is an attack in the words of a table. root is set if only root can make it at all.
type row struct {
	name, words string
	root        bool
}

// rows are the attacks of a server in the order of the table.
var rows = []row{
	{"read key", "read `~/.ssh`", false},
	{"link to key", "read it through a symbolic link in its own folder", false},
	{"hard link to key", "read it through a hard link", false},
	{"key by a program", "read it with another program, started from memory", false},
	{"root of a program", "read it through `/proc/PID/root`", false},
	{"key through processes", "read it through open files and folders of processes that it sees", false},
	{"key by the helper", "read it with the helper of the sandbox, started with rules of its own", false},
	{"key in an open file", "read it from an open file that Agent Discover has inherited", false},
	{"swapped", "read it, or create files beside it, with folders that are exchanged for links during 20 starts", false},
	{"read editor", "read the configuration of editors", false},
	{"read token", "read the data folder of Agent Discover", false},
	{"read others", "read files of another server", false},
	{"list home", "list the names of your files", false},
	{"names by inotify", "learn which of your files are opened, with `inotify`", false},
	{"stat key", "find out sizes and times of your files", false},
	{"shadow", "read `/etc/shadow`, as root", true},
	{"write", "write to your home folder", false},
	{"cache", "write to your caches", false},
	{"shared", "write to folders for temporary files", false},
	{"empty", "empty a file", false},
	{"rename", "rename a file", false},
	{"mode", "change the mode of a file", false},
	{"times", "change the times of a file", false},
	{"xattr", "change extended attributes of a file", false},
	{"fd xattr", "set extended attributes of its own files", false},
	{"kernel", "change settings of the kernel, as root", true},
	{"device", "make a device, as root", true},
	{"set-id by chmod", "make a program that runs as you, with `chmod`", false},
	{"set-id by fchmod", "with `fchmod`", false},
	{"set-id by fchmodat", "with `fchmodat`", false},
	{"set-id by fchmodat2", "with `fchmodat2`", false},
	{"set-id by open", "with `open`", false},
	{"set-id by a nameless file", "with `open` and `O_TMPFILE`", false},
	{"set-id by openat2", "with `openat2`", false},
	{"set-id by mknod", "with `mknod`", false},
	{"environment of a program", "read variables of your programs", false},
	{"command line of a program", "read command lines of your programs", false},
	{"signal", "send signals to your programs", false},
	{"trace", "trace your programs", false},
	{"memory of a program", "read the memory of your programs", false},
	{"descriptor of a program", "take open files of your programs", false},
	{"limits of a program", "change limits of your programs", false},
	{"priority of a program", "change the priority of your programs", false},
	{"shared memory", "attach shared memory of your programs", false},
	{"messages", "put messages into queues of your programs", false},
	{"netlink", "send messages to other servers over netlink", false},
	{"terminal", "use your terminals", false},
	{"keyring", "use kernel keyrings", false},
	{"io_uring", "use `io_uring`, which is not filtered", false},
	{"userfaultfd", "use `userfaultfd`", false},
	{"user namespace", "create a user namespace", false},
	{"clone3", "create one with `clone3`", false},
	{"mount", "create a mount namespace", false},
	{"32-bit calls", "make system calls of another kind (x32)", false},
	{"socket in a temporary folder", "connect to a socket in `/tmp`, such as that of tmux or X11", false},
	{"datagrams", "send to a datagram socket in `/tmp`", false},
	{"datagrams of raw sockets", "send to it from a pair of raw sockets", false},
	{"socket in the home folder", "connect to a socket in your home folder", false},
	{"abstract socket", "connect to an abstract socket, such as that of X11 or D-Bus", false},
	{"TCP", "connect to a TCP port of this computer", false},
	{"UDP", "send to a UDP port of this computer", false},
	{"TCP while sending", "connect while it sends (TCP Fast Open)", false},
	{"MPTCP", "make an MPTCP socket", false},
	{"vsock", "make a vsock socket", false},
	{"crypto socket", "make an `AF_ALG` socket", false},
	{linker, "run code outside of its sandbox with `LD_PRELOAD`, `LD_AUDIT`, `LD_LIBRARY_PATH` or `LD_DEBUG_OUTPUT`", false},
	{tunables, "change programs outside of its sandbox with `GLIBC_TUNABLES`", false},
	{ofNode, "run code outside of its sandbox with `NODE_OPTIONS` or `NODE_PATH`", false},
	{interpreters, "with variables of Python, Perl, Ruby, Java and shells", false},
	{ofGit, "with variables of git", false},
	{programsPath, "with programs such as `bwrap` in its `PATH`", false},
	{"stay", "keep running after it was stopped", false},
}

// page is the page of the guide with the table.
const page = "../../frontend/guide/attacks.md"

// table is a table of the page. Its heading is the beginning of the first line.
type table struct {
	heading string
	columns []string
	rows    []row
}

// split returns the text of the page before the table, the table, and the text after it. The table ends with the last
// line that begins with a bar.
func (x table) split(text string) (start, found, end string) {
	start, found, has := strings.Cut(text, x.heading)
	if !has {
		return text, "", ""
	}
	for line := range strings.Lines(x.heading + found) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		end += line
	}
	return start, end, strings.TrimPrefix(x.heading+found, end)
}

// compare compares cells with those of the guide, or writes them. A cell is empty if its attack could not be tried here.
func (x table) compare(t *testing.T, cell func(column string, attack row) string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	start, documented, end := x.split(string(text))
	known := make(map[string][]string) // the cells of each row
	for line := range strings.Lines(documented) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		known[cells[0]] = cells[1:]
	}
	var out strings.Builder
	out.WriteString(x.heading)
	for _, column := range x.columns {
		out.WriteString(" " + column + " |")
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(x.columns)) + "\n")
	for _, row := range x.rows {
		was := append(known[row.words], make([]string, len(x.columns))...)
		line := "| " + row.words + " |"
		for n, column := range x.columns {
			now := cmp.Or(cell(column, row), was[n])
			switch {
			case now == "":
				t.Errorf("%s: %s: the attack has never been tried", column, row.words)
			case now != was[n] && !*update:
				t.Errorf("%s: %s: the guide says %q, the attack showed %q", column, row.words, was[n], now)
			}
			line += " " + now + " |"
		}
		out.WriteString(line + "\n")
	}
	if *update {
		if err := os.WriteFile(page, []byte(start+out.String()+end), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// refused is the cell of an attack that never succeeds.
const refused = "refused"

// cell says at which levels an attack, or a variation of it, has succeeded on a system, for any user. It is empty if
// nobody could try it.
func cell(results map[string]result, on, attack string, root bool) string {
	guard, strict, tried, starts := false, false, false, false
	for _, who := range []string{"user", "root"} {
		for name, possible := range results[who+" "+on+" guard"] {
			if name != attack && !strings.HasPrefix(name, attack+": ") || root && who != "root" {
				continue
			}
			tried = true
			guard = guard || possible
			strict = strict || results[who+" "+on+" strict"][name]
			starts = starts || results[who+" "+on+" strict"] != nil
		}
	}
	switch {
	case !tried:
		return ""
	case guard && !starts:
		return "**possible**, but `strict` does not start"
	case guard && strict:
		return "**possible**"
	case guard:
		return "possible in `guard`"
	case strict:
		return "possible in `strict`"
	}
	return refused
}
