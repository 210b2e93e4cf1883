package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// maxSecret bounds the length of a secret on standard input. The hub's own
// limit is lower.
const maxSecret = 120 << 10 // bytes

// prompting returns a program whose standard output is for questions and their
// explanations. With --json, this is standard error, because the real standard output
// must contain only JSON.
func (p *program) prompting() *program {
	if !p.json {
		return p
	}
	q := *p
	q.out = p.err
	return &q
}

// confirm asks a yes-or-no question. Everything but "y" and "yes" is a no.
func (p *program) confirm(question string) bool {
	_, _ = fmt.Fprintf(p.prompting().out, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // at the end of the input, the text so far is the answer
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}

// confirmDeletion returns nil if something may be deleted: the flag --yes is set, or the person at the terminal agrees.
// Without a terminal, the flag is required. refused says that nothing was deleted.
func (p *program) confirmDeletion(yes bool, question, refused string) error {
	switch {
	case yes:
		return nil
	case !p.interactive:
		return usagef("standard input is not a terminal, so this cannot be confirmed, and %s; add --yes", refused)
	case !p.confirm(question):
		return fault.New(fault.Denied, "%s", refused)
	}
	return nil
}

// deletes adds to a command that deletes something the flag that replaces the question.
func deletes(cmd *cobra.Command, yes *bool) *cobra.Command {
	cmd.Flags().BoolVar(yes, "yes", false, "do not ask; required without a terminal")
	return cmd
}

// readSecret reads a secret: a line without echo from a terminal, otherwise all
// of standard input without its last line break.
func (p *program) readSecret(ctx context.Context, prompt string) (string, error) {
	text, err := "", error(nil)
	if terminal, ok := p.in.(*os.File); ok && p.interactive {
		text, err = p.readHidden(ctx, terminal, prompt)
	} else {
		text, err = readAll(p.in)
	}
	switch {
	case err != nil:
		return "", err
	case text == "":
		return "", fault.New(fault.Invalid, "nothing was entered; nothing was changed")
	case !utf8.ValidString(text):
		return "", fault.New(fault.Invalid, "the value is not UTF-8 text; encode it, for example with base64")
	}
	return text, nil
}

func readAll(in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxSecret+1))
	switch {
	case err != nil:
		return "", fault.Wrap(err, fault.Invalid, "could not read standard input")
	case len(data) > maxSecret:
		return "", fault.New(fault.Invalid,
			"the value is too long for a secret; store it in a file and give the server the path of the file")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// readHidden reads a line without echo. When ctx is cancelled, it restores the
// terminal's state.
func (p *program) readHidden(ctx context.Context, terminal *os.File, prompt string) (string, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "this terminal cannot hide typed characters; send the value through a pipe")
	}
	p.notef("%s", prompt)
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
		p.notef("\n")
		if l.err != nil {
			return "", fault.Wrap(l.err, fault.Invalid, "nothing was entered; nothing was changed")
		}
		return string(l.text), nil
	case <-ctx.Done():
		_ = term.Restore(fd, before)
		return "", fault.New(fault.Invalid, "interrupted; nothing was changed")
	}
}

// readLine asks a question and returns the line that is typed, without white space around it.
func (p *program) readLine(ctx context.Context, prompt string) (string, error) {
	q := p.prompting()
	q.printf("%s", prompt)
	line := make(chan string, 1)
	go func() { // ends with the answer, or with this process
		text, _ := bufio.NewReader(p.in).ReadString('\n') // an error leaves an incomplete answer
		line <- text
	}()
	select {
	case text := <-line:
		return strings.TrimSpace(text), nil
	case <-ctx.Done():
		q.printf("\n")
		return "", fault.New(fault.Invalid, "interrupted; nothing was changed")
	}
}
