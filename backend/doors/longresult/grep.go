package longresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// maxLine limits the shown part of a line, in bytes.
const maxLine = 1000

// beforeMatch is how many bytes of a long line are shown before a match.
const beforeMatch = 200

// grep returns the lines that match q.Grep. Of a long line, it returns the text around each match.
func (d *document) grep(c Client, q Query) (json.RawMessage, error) {
	pattern, err := regexp.Compile(q.Grep)
	if err != nil {
		return nil, fault.New(fault.Invalid, "grep is not a regular expression: %s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if err := d.checkOffset(q.Offset); err != nil {
		return nil, err
	}
	var out strings.Builder
	room, shownTo := c.room(), q.Offset
	for at := q.Offset; at < len(d.text); {
		begin, end := d.nextMatch(pattern, at)
		if begin < 0 {
			break
		}
		found, to := d.around(begin, end, shownTo, q.Context)
		if shownBytes([]byte(found), room) < len(found) {
			if out.Len() > 0 {
				next := fmt.Sprintf(`"handle":%q,"grep":%s,"offset":%d`, q.Handle, quote(q.Grep), begin)
				return texts(out.String(), fmt.Sprintf(`[There are further matches: %s.]`, c.call(next))), nil
			}
			found, to = d.around(begin, end, begin, 0) // without context lines, a match always fits
		}
		room -= len(quote(found))
		out.WriteString(found)
		at, shownTo = end, max(to, shownTo)
	}
	if out.Len() == 0 {
		return texts(fmt.Sprintf("No line matches %s from offset %d on.", quote(q.Grep), q.Offset)), nil
	}
	return texts(out.String(), "[These are all matches. The number before each line is its offset.]"), nil
}

// nextMatch returns the bounds of the first matching line at or after an offset, or of the part around the match if
// the line is long. begin is negative if no line matches.
func (d *document) nextMatch(pattern *regexp.Regexp, at int) (begin, end int) {
	for at < len(d.text) {
		end := d.endOfLine(at)
		match := pattern.FindIndex(bytes.TrimSuffix(d.text[at:end], []byte("\n")))
		switch {
		case match == nil:
			at = end
		case end-d.startOfLine(at) <= maxLine:
			return at, end
		default:
			begin = max(at, d.runeStart(at+match[0]-beforeMatch))
			return begin, min(end, d.runeStart(max(begin+maxLine, at+match[1])))
		}
	}
	return -1, -1
}

// runeStart returns the start of the character at an offset.
func (d *document) runeStart(at int) int {
	for at > 0 && at < len(d.text) && !utf8.RuneStart(d.text[at]) {
		at--
	}
	return at
}

// around returns the match from begin to end together with context lines before and after it. Each line begins with its
// offset. Lines before the offset shownTo are left out. to is the offset at which the returned text ends.
func (d *document) around(begin, end, shownTo, context int) (text string, to int) {
	if end > 0 && d.text[end-1] != '\n' && end < len(d.text) || begin != d.startOfLine(begin) {
		return fmt.Sprintf("%d: %s\n", begin, shortened(d.text[begin:end])), end // part of a long line
	}
	for range context {
		begin, end = d.startOfLine(begin-1), d.endOfLine(end)
	}
	var found strings.Builder
	for line := max(begin, shownTo); line < end; line = d.endOfLine(line) {
		fmt.Fprintf(&found, "%d: %s\n", line, shortened(d.text[line:d.endOfLine(line)]))
	}
	return found.String(), end
}

// endOfLine returns the offset after the line at an offset.
func (d *document) endOfLine(at int) int {
	if end := bytes.IndexByte(d.text[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(d.text)
}

// startOfLine returns the offset of the line that has the byte at an offset, which may
// be negative.
func (d *document) startOfLine(at int) int {
	return bytes.LastIndexByte(d.text[:max(at, 0)], '\n') + 1
}

// shortened returns a line without its line break, cut after maxLine bytes.
func shortened(line []byte) string {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) > maxLine {
		return strings.ToValidUTF8(string(line[:maxLine]), "") + "…"
	}
	return string(line)
}
