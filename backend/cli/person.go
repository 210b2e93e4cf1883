package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// errNoPerson is returned by askPerson if the process has no terminal.
var errNoPerson = fault.New(fault.Denied, "nobody can be asked here, because this command has no terminal")

// askPerson shows a text and asks a yes-or-no question on the terminal that controls this process.
// It does not use standard input, so that a pipe, an agent or /dev/null cannot answer for a person.
func (p *program) askPerson(ctx context.Context, text, question string) (yes bool, err error) {
	terminal, err := p.terminal()
	if err != nil {
		return false, errNoPerson
	}
	answer := make(chan string, 1)
	go func() { // ends with the answer, or with this process
		_, _ = io.WriteString(terminal, safetext.Prose(text))
		_, _ = fmt.Fprintf(terminal, "%s [y/N] ", question)
		line, _ := bufio.NewReader(terminal).ReadString('\n') // an error leaves an incomplete answer, which is a no
		answer <- line
	}()
	select {
	case line := <-answer:
		_ = terminal.Close()
		return slices.Contains([]string{"y\n", "yes\n", "y\r\n", "yes\r\n"}, strings.ToLower(line)), nil
	case <-ctx.Done():
		return false, fault.New(fault.Invalid, "interrupted; nothing was changed")
	}
}

// decided calls do with a client that acts for a person who has just decided.
func decided(ctx context.Context, client *instance.Client, do func(*instance.Client) error) error {
	person, end, err := client.Person(ctx)
	if err != nil {
		return err
	}
	defer end()
	return do(person)
}
