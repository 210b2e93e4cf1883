//go:build unix

package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

var (
	loginTimeout  = 10 * time.Second // for the interactive login shell
	secondTimeout = 5 * time.Second  // for the login shell that is not interactive
	rescueTimeout = 3 * time.Second  // for rescue
)

const (
	// beginMark and endMark enclose the environment, because start-up files may write before it and their programs
	// after it.
	beginMark = "--agent-discover-environment--"
	endMark   = "--agent-discover-environment-ends--"
	// report is the command that prints the environment, in the language of all shells.
	report = "echo " + beginMark + "; env -0 2>/dev/null || env; echo " + endMark

	// hangupGrace is how long a login shell and its programs may take to end after SIGHUP, before they get SIGTERM, and
	// how long the shell may take to end after it has reported its environment.
	hangupGrace = 500 * time.Millisecond
)

// question is one attempt to read the environment of a login shell.
type question struct {
	limit time.Duration
	shell string
	args  []string
	input string // standard input; if it is empty, start-up files that read find its end
	last  bool   // the last report counts, so the whole output is read
}

// rescue returns a question that is answered although the start-up files of a shell exit, hang or start another shell
// in its place. A shell that understands traps reads the files and reports what they have set when it ends or is hung
// up, and before it starts another program with exec. A shell that is started in its place finds the command in its
// input, and may set more.
func rescue(shell string) question {
	q := question{limit: rescueTimeout, shell: "/bin/sh", input: report + "\n", last: true}
	script := "agent_discover() { " + report + "; }\ntrap 'trap - 0; agent_discover; exit' 1\ntrap agent_discover 0\n"
	files := `/etc/profile "$HOME/.profile"`
	switch filepath.Base(shell) {
	case "bash":
		q.shell = shell
		script += "exec() { if [ $# -gt 0 ]; then agent_discover; trap - 0; fi; builtin exec \"$@\"; }\n"
		files = `/etc/profile "$(ls "$HOME/.bash_profile" "$HOME/.bash_login" "$HOME/.profile" 2>/dev/null | head -n 1)"`
	case "zsh":
		q.shell, q.args = shell, []string{"-f"} // without start-up files
		files = `"${ZDOTDIR:-$HOME}/.zshenv" /etc/zprofile /etc/zsh/zprofile "${ZDOTDIR:-$HOME}/.zprofile" ` +
			`"${ZDOTDIR:-$HOME}/.zshrc" "${ZDOTDIR:-$HOME}/.zlogin"`
	}
	q.args = append(q.args, "-c", script+"for file in "+files+"; do if [ -r \"$file\" ]; then . \"$file\"; fi; done")
	return q
}

// ask runs a shell and returns the environment that it reports. Programs that start-up files leave in the background
// keep running if the shell ends by itself. The error continues a sentence that begins with the shell.
func ask(ctx context.Context, q question) (Env, error) {
	ctx, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, q.shell, q.args...)
	cmd.Env = Clean().With("TERM", "dumb")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal, start-up files cannot ask questions
	if q.input != "" {
		cmd.Stdin = strings.NewReader(q.input)
	}
	// Send the signals of a closing terminal, so that programs of start-up files
	// can remove their locks. An interactive shell reacts only to SIGHUP, and a
	// shell under nohup only to SIGTERM. SIGTERM is sent later, because it would
	// also end the commands that clean up after SIGHUP. Kill ends the rest.
	var term *time.Timer
	cmd.Cancel = func() error {
		term = time.AfterFunc(hangupGrace, func() { Terminate(cmd.Process.Pid) })
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP)
	}
	cmd.WaitDelay = 3 * time.Second
	text, status, err := output(cmd, cancel, q.last)
	if term != nil {
		term.Stop()
	}
	if ctx.Err() != nil && cmd.Process != nil {
		Kill(cmd.Process.Pid)
	}
	if env := reported(text); env != nil {
		return env, nil
	}
	switch exit := (*exec.ExitError)(nil); {
	case err != nil:
		return nil, errors.New("could not be started: " + cmp.Or(errors.Unwrap(err), err).Error())
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, errors.New("did not answer within " + q.limit.String())
	case errors.As(status, &exit):
		return nil, errors.New("ended in its start-up files (" + exit.Error() + ")")
	}
	return nil, errors.New("did not run a command after its start-up files, which may start another program with exec")
}

// output starts cmd and returns what it writes: until the first report is complete, or the whole output if last is set.
// It ends cmd with stop if cmd does not end by itself after that, and returns how cmd has ended.
func output(cmd *exec.Cmd, stop func(), last bool) (text []byte, status, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = read.Close() }()
	cmd.Stdout = write
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return nil, nil, err
	}
	texts, ended := make(chan []byte, 1), make(chan error, 1)
	go func() { texts <- readReports(read, last) }() // ends with the pipe
	go func() { ended <- cmd.Wait() }()
	select {
	case text = <-texts:
		select {
		case status = <-ended:
		case <-time.After(hangupGrace):
			stop()
			status = <-ended
		}
	case status = <-ended:
		// The pipe has the output of the shell; programs in the background may keep it open.
		_ = read.SetReadDeadline(time.Now().Add(hangupGrace))
		text = <-texts
	}
	return text, status, nil
}

// readReports reads until the first complete report, or to the end if last is set.
func readReports(from *os.File, last bool) (text []byte) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		text = append(text, buffer[:n]...)
		if err != nil || !last && reported(text) != nil {
			return text
		}
	}
}

// reported returns the environment in the last complete report of a text; nil if there is none.
func reported(text []byte) Env {
	end := bytes.LastIndex(text, []byte(endMark+"\n"))
	if end < 0 {
		return nil
	}
	begin := bytes.LastIndex(text[:end], []byte(beginMark+"\n"))
	if begin < 0 {
		return nil
	}
	return parseEnv(text[begin+len(beginMark)+1 : end])
}
