package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// maxSecret bounds what is read; the hub refuses less.
const maxSecret = 120 << 10 // bytes

// secretInput reads a secret: on a terminal a line that is not shown, else all
// of standard input without its last line break.
func (p *program) secretInput(ctx context.Context, prompt string) (string, error) {
	text, err := "", error(nil)
	if terminal, ok := p.in.(*os.File); ok && p.asks {
		text, err = p.hidden(ctx, terminal, prompt)
	} else {
		text, err = wholeInput(p.in)
	}
	switch {
	case err != nil:
		return "", err
	case text == "":
		return "", fault.New(fault.Invalid, "nothing was entered; nothing was changed")
	case !utf8.ValidString(text):
		return "", fault.New(fault.Invalid, "the value is no text; encode it, for example with base64")
	}
	return text, nil
}

func wholeInput(in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxSecret+1))
	switch {
	case err != nil:
		return "", fault.Wrap(err, fault.Invalid, "standard input cannot be read")
	case len(data) > maxSecret:
		return "", fault.New(fault.Invalid, "the value is too long for a secret; keep it in a file and give the server the file's name")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// hidden reads a line without echo. An interrupt gives the terminal back as it
// was.
func (p *program) hidden(ctx context.Context, terminal *os.File, prompt string) (string, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "this terminal cannot hide what is typed; use a pipe")
	}
	_, _ = io.WriteString(p.err, safetext.Prose(prompt))
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(fd)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		_, _ = io.WriteString(p.err, "\n")
		if l.err != nil {
			return "", fault.Wrap(l.err, fault.Invalid, "nothing was entered; nothing was changed")
		}
		return string(l.text), nil
	case <-ctx.Done():
		_ = term.Restore(fd, before)
		return "", fault.New(fault.Invalid, "interrupted; nothing was changed")
	}
}
