package cli

import (
	"bufio"
	"fmt"
	"strings"
)

// confirm asks a person. Only a clear yes is one.
func (p *program) confirm(question string) bool {
	screen := p.out
	if p.json {
		screen = p.err
	}
	_, _ = fmt.Fprintf(screen, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // none is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}
