package hub

import (
	"errors"
	"io"
	"log/slog"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

func (h *Hub) openLog() {
	file := &lumberjack.Logger{Filename: h.options.Folder.Log(), MaxSize: 5, MaxBackups: 3} // MB, files
	h.logFile = file
	var out io.Writer = file
	if h.options.Console != nil {
		out = io.MultiWriter(file, h.options.Console)
	}
	h.log = newLog(out, h.given)
}

// newLog returns a log that covers credentials whoever writes to it, and what
// servers were given. Of a
// fault it keeps the message alone: the cause may be what a server wrote, with
// credentials that nothing but the message's author could know.
func newLog(out io.Writer, given *secrets.Given) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case string:
			a.Value = slog.StringValue(given.Text(v))
		case error:
			text := v.Error()
			if known, ok := errors.AsType[*fault.Error](v); ok {
				text = known.Message
			}
			a.Value = slog.StringValue(given.Text(text))
		}
		return a
	}}))
}
