package instance

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// output is the file to which background hubs print: messages of a failed start,
// and the report of a crash.
type output struct {
	file *os.File // nil if it cannot be written
	path string
	from int64 // offset at which the text of this start begins
}

// maxOutput is the size in bytes above which openOutput truncates the file.
const maxOutput = 1 << 20

func openOutput(folder paths.Folder) output {
	path := filepath.Join(filepath.Dir(folder.Log()), "hub-output.log")
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxOutput {
		flags |= os.O_TRUNC
	}
	file, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return output{}
	}
	from, _ := file.Seek(0, io.SeekEnd) // cannot fail for a regular file
	return output{file, path, from}
}

func (o output) close() {
	if o.file != nil {
		_ = o.file.Close() // nothing was written
	}
}

// words returns the line of the output of this start that explains why the hub ended, or "" if there is none.
func (o output) words() string {
	if o.path == "" {
		return ""
	}
	file, err := os.Open(o.path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // opened only for reading
	text, _ := io.ReadAll(io.NewSectionReader(file, o.from, 64<<10))
	return lastWords(text)
}

// lastWords returns the line of a program's output that says why it ended: the
// first line of a crash, otherwise the last line.
func lastWords(text []byte) string {
	const limit = 300
	last := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			break
		}
	}
	if len(last) > limit {
		last = last[:limit] + "…"
	}
	return strings.ToValidUTF8(last, "")
}

// killed is the error of a hub that another process has ended while it was starting.
type killed struct{ error }

// outrun is the error of a hub that ended because another hub runs or starts.
type outrun struct{ error }

// endOf returns an error that says why a process has ended. result is the error of Wait; words returns the line of the
// process's output that explains the end.
func endOf(result error, words func() string) error {
	var exit *exec.ExitError
	if errors.As(result, &exit) && exit.ExitCode() == ExitHeld {
		return outrun{result}
	}
	text := "the program ended at once"
	if exit != nil && exit.ExitCode() < 0 { // ended by a signal
		return killed{fmt.Errorf("%s with %w", text, result)}
	}
	if result != nil {
		text += " with " + result.Error()
	}
	if said := words(); said != "" {
		text += ": " + said
	}
	return errors.New(text)
}

// logFailure adds a failed start to the hub's log. No hub runs at that time, so no other process has the log open.
func (l launch) logFailure(way string, why error) {
	file, err := os.OpenFile(l.folder.Log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	slog.New(slog.NewTextHandler(file, nil)).Warn("hub not started", "way", way, "program", l.args[0], "reason", fmt.Sprint(why))
	_ = file.Close() // a log that cannot be written must not prevent the start
}
