package jsonrpc

const (
	maxJoinedSize  = 8 << 20 // bytes of a message that was written over several lines
	maxJoinedLines = 200_000
)

// joiner puts together the messages that a peer writes over several lines, with indentation, although a message must be
// one line. Such a message begins with a line that is only an opening brace. A joiner passes on all other lines as
// they are.
type joiner struct {
	text  []byte // the lines so far, with spaces instead of line ends; empty between messages
	depth int    // number of brackets that are open
	lines int
}

// add adds a line. It returns the texts that are complete: none while a message is incomplete. If a line shows that the
// lines before it were no message, they come first.
func (j *joiner) add(line []byte) (complete [][]byte) {
	if len(j.text) == 0 {
		if string(line) != "{" {
			return [][]byte{line}
		}
		j.text, j.depth, j.lines = append(j.text, line...), 1, 1
		return nil
	}
	if isMessage(line) {
		return [][]byte{j.end(), line}
	}
	j.text, j.lines = append(append(j.text, ' '), line...), j.lines+1
	j.depth += depthOf(line)
	if j.depth > 0 && len(j.text) <= maxJoinedSize && j.lines <= maxJoinedLines {
		return nil
	}
	return [][]byte{j.end()}
}

// end returns the text so far, nil if there is none, and begins anew.
func (j *joiner) end() (text []byte) {
	if len(j.text) > 0 {
		text = j.text
	}
	*j = joiner{}
	return text
}

// isMessage reports whether a line alone is a message. A line of an indented message is at most a part of one.
func isMessage(line []byte) bool {
	if line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	m, err := Parse(line)
	return err == nil && (m.Method != "" || m.ID != nil)
}

// depthOf returns how many brackets a line opens that it does not close. It is negative if it closes more.
func depthOf(line []byte) (depth int) {
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '"':
			at = endOfString(line, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return depth
}
