package cli

import "io"

// progressLine shows how far something is, on standard error: in one line that changes on a terminal, otherwise in a line
// for each step.
type progressLine struct {
	p     *program
	step  string
	drawn bool // the last line on the terminal is this one
}

// show shows a step. text is the step with what changes while it lasts.
func (l *progressLine) show(step, text string) {
	if !l.p.errTerminal {
		if l.step != step {
			l.p.notef("%s\n", step)
		}
		l.step = step
		return
	}
	l.clear()
	l.p.notef("%s", text)
	l.drawn = true
}

// note prints a line that stays.
func (l *progressLine) note(text string) {
	l.clear()
	l.p.notef("%s\n", text)
}

// clear removes the line from the terminal.
func (l *progressLine) clear() {
	if l.drawn {
		_, _ = io.WriteString(l.p.err, "\r\x1b[K")
	}
	l.drawn = false
}
