package cli

import "io"

// progressLine shows progress on standard error: on a terminal in one line that changes, otherwise
// in a line for each step.
type progressLine struct {
	p     *program
	step  string
	drawn bool // the cursor is on the progress line
}

// show shows a step. A terminal shows text, which is the step with details that change during the step. Without a
// terminal, the step is printed once.
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

// note prints a line that later steps do not overwrite.
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
