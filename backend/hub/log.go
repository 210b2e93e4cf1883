package hub

import (
	"errors"
	"io"
	"log/slog"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

func (h *Hub) openLog() {
	file := &lumberjack.Logger{Filename: h.options.Folder.Log(), MaxSize: 5, MaxBackups: 3} // MaxSize is in MB
	h.logFile = file
	var out io.Writer = file
	if h.options.Console != nil {
		out = tee{h.options.Console, file}
	}
	h.log = newLog(out, h.redactor)
}

// tee writes to all writers, even if one of them fails: a full disk must not
// silence the console.
type tee []io.Writer

func (t tee) Write(p []byte) (int, error) {
	var errs []error
	for _, w := range t {
		_, err := w.Write(p)
		errs = append(errs, err)
	}
	return len(p), errors.Join(errs...)
}

// newLog returns a logger that redacts credentials and the secrets that servers were given. It logs only the message
// of a fault, because the cause may quote a server's output, with credentials that cannot be recognised.
func newLog(out io.Writer, redactor *redact.KnownSecrets) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case string:
			a.Value = slog.StringValue(redactor.Text(v))
		case error:
			text := v.Error()
			if known, ok := errors.AsType[*fault.Error](v); ok {
				text = known.Message
			}
			a.Value = slog.StringValue(redactor.Text(text))
		}
		return a
	}}))
}
