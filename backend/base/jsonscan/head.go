package jsonscan

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// StringHead decodes about the first limit bytes of a JSON string: at least limit bytes if the string has that many,
// and at most utf8.UTFMax more than limit. It returns "" if raw is not a JSON string. Unlike String, it does not
// replace invalid UTF-8.
func StringHead(raw []byte, limit int) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	body := raw[1 : len(raw)-1]
	out := make([]byte, 0, min(len(body), limit+utf8.UTFMax))
	for len(body) > 0 && len(out) < limit {
		near := body[:min(len(body), limit-len(out))]
		plain := bytes.IndexByte(near, '\\')
		if plain < 0 {
			plain = len(near)
		}
		out, body = append(out, near[:plain]...), body[plain:]
		if plain < len(near) {
			r, size := escaped(body)
			out, body = utf8.AppendRune(out, r), body[size:]
		}
	}
	return string(out)
}

// escaped decodes the escape sequence at the beginning of body and returns it
// with its length in bytes.
func escaped(body []byte) (rune, int) {
	if len(body) < 2 {
		return utf8.RuneError, len(body)
	}
	if i := strings.IndexByte("nrtbf", body[1]); i >= 0 {
		return rune("\n\r\t\b\f"[i]), 2
	}
	if body[1] != 'u' {
		return rune(body[1]), 2 // a quote, a slash or a backslash
	}
	r := unit(body)
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, unit(body[min(6, len(body)):])); pair != utf8.RuneError {
			return pair, 12
		}
		r = utf8.RuneError
	}
	return r, min(6, len(body))
}

// unit decodes one \uXXXX escape at the beginning of body. It returns
// utf8.RuneError when body begins with something else.
func unit(body []byte) rune {
	if len(body) < 6 || body[0] != '\\' || body[1] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(body[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
