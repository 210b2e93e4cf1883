package normalize

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readable returns at most decodedAtMost bytes of text if they can be read, that is, if
// at least 95 % of them are printable ASCII, and otherwise "".
func readable(text []byte) string {
	if len(text) > decodedAtMost {
		text = text[:decodedAtMost]
	}
	good := 0
	for _, c := range text {
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			good++
		}
	}
	if len(text) == 0 || good*100 < len(text)*95 {
		return ""
	}
	return string(text)
}

// tagText decodes tag characters, each of which stands for an ASCII character.
func tagText(run string) string {
	var out []byte
	for _, r := range run {
		if r >= 0xE0020 && r < 0xE007F {
			out = append(out, byte(r-0xE0000))
		}
	}
	return readable(out)
}

// selectorText decodes variation selectors, each of which stands for a byte: the
// first 16 are U+FE00 to U+FE0F, the others begin at U+E0100.
func selectorText(run string) string {
	var direct, shifted []byte
	for _, r := range run {
		switch {
		case r >= 0xE0100 && r <= 0xE01EF:
			direct = append(direct, byte(r-0xE0100))
			shifted = append(shifted, byte(r-0xE0100+16))
		case r >= 0xFE00 && r <= 0xFE0F:
			shifted = append(shifted, byte(r-0xFE00))
		}
	}
	if text := readable(shifted); text != "" {
		return text
	}
	return readable(direct)
}

// privateText decodes private-use characters. Each stands for an ASCII
// character whose code point is smaller by 0xE000, 0xF0000 or 0x100000.
func privateText(run string) string {
	var out []byte
	for _, r := range run {
		for _, base := range []rune{0xE000, 0xF0000, 0x100000} {
			if c := r - base; c >= ' ' && c < 0x7f {
				out = append(out, byte(c))
			}
		}
	}
	if len(out) < 4 {
		return ""
	}
	return readable(out)
}

// bitText decodes zero-width characters as bits, most significant first. The two most
// frequent characters of the run stand for 0 and 1; because either may stand for 1,
// both ways are tried. Other characters are ignored.
func bitText(run string) string {
	if utf8.RuneCountInString(run) < 3*zeroWidthRun {
		return ""
	}
	count := make(map[rune]int)
	for _, r := range run {
		count[r]++
	}
	var zero, one rune
	for r, n := range count {
		switch {
		case n > count[zero] || n == count[zero] && r < zero:
			zero, one = r, zero
		case n > count[one] || n == count[one] && r < one:
			one = r
		}
	}
	for _, ones := range []rune{one, zero} {
		var bits []byte
		for _, r := range run {
			switch r {
			case ones:
				bits = append(bits, 1)
			case zero, one:
				bits = append(bits, 0)
			}
		}
		for _, width := range []int{8, 7} {
			if text := readable(packBits(bits, width)); text != "" {
				return text
			}
		}
	}
	return ""
}

func packBits(bits []byte, width int) []byte {
	var out []byte
	for ; len(bits) >= width; bits = bits[width:] {
		var c byte
		for _, bit := range bits[:width] {
			c = c<<1 | bit
		}
		out = append(out, c)
	}
	return out
}

// reversed returns the text after a bidirectional control in reverse order, up to the
// next control or the end of the line. People see the text in this order if the control
// reverses it.
func reversed(s string, from int) string {
	rest := s[from:]
	end := strings.IndexFunc(rest, func(r rune) bool { return classOf(r) == Directions || r == '\n' })
	if end < 0 {
		end = len(rest)
	}
	rest = rest[:min(end, decodedAtMost)]
	out := []rune(strings.ToValidUTF8(rest, ""))
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return string(out)
}

// Encoded is a part of a text that decodes to readable text.
type Encoded struct {
	Start, End int
	Form       string // "base64", "hexadecimal", "percent encoding" or "character references"
	Decoded    string
}

// These are the minimum lengths of encoded texts: shorter ones are not decoded. minBase64 and minHex count characters;
// minPercents counts encoded characters, such as %41 and &#65;.
const (
	minBase64   = 20
	minHex      = 32
	minPercents = 6
)

// Decode returns the parts of a text that are encoded and decode to readable text.
func Decode(s string) []Encoded {
	if len(s) < 3*minPercents {
		return nil
	}
	var found []Encoded
	for i := 0; i < len(s); {
		if !inBase64[s[i]] {
			i++
			continue
		}
		start, letters, digits := i, 0, 0
		for ; i < len(s) && inBase64[s[i]]; i++ {
			switch c := s[i]; {
			case c >= '0' && c <= '9':
				digits++
			case c|0x20 >= 'a' && c|0x20 <= 'f':
			default:
				letters++
			}
		}
		if i-start < minBase64 {
			continue
		}
		run := s[start:i]
		if letters == 0 && digits > 0 && len(run) >= minHex {
			if e, ok := fromHex(run); ok {
				found = append(found, Encoded{start, i, "hexadecimal", e})
				continue
			}
		}
		for i < len(s) && s[i] == '=' && i-start-len(run) < 2 {
			i++
		}
		if text := fromBase64(run); text != "" {
			found = append(found, Encoded{start, i, "base64", text})
		}
	}
	if e, ok := fromPercents(s); ok {
		found = append(found, e)
	}
	if e, ok := fromReferences(s); ok {
		found = append(found, e)
	}
	return found
}

var inBase64 = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isAlnum(byte(c)) || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return set
}()

func fromHex(run string) (string, bool) {
	out, err := hex.DecodeString(run[:len(run)&^1])
	if err != nil {
		return "", false
	}
	text := readable(out)
	return text, text != ""
}

// fromBase64 decodes standard and URL-safe base64 without padding. Ordinary words
// joined by hyphens or slashes rarely decode to readable text.
func fromBase64(run string) string {
	run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	for skip := 0; skip < 2 && len(run)-skip >= minBase64; skip++ { // the first byte may belong to a label in front of the encoded text
		whole := run[skip:]
		whole = whole[:len(whole)/4*4+[]int{0, 0, 2, 3}[len(whole)%4]]
		out, err := base64.RawStdEncoding.DecodeString(whole)
		if err != nil {
			continue
		}
		if text := readable(out); text != "" {
			return text
		}
	}
	return ""
}

// fromPercents decodes the part of a text from its first to its last %xx.
func fromPercents(s string) (e Encoded, ok bool) {
	first := strings.IndexByte(s, '%')
	if first < 0 || strings.Count(s, "%") < minPercents {
		return e, false
	}
	count, last := 0, first
	for i := first; i+2 < len(s); i++ {
		if s[i] == '%' && isHex(s[i+1]) && isHex(s[i+2]) {
			count++
			last = i + 3
		}
	}
	if count < minPercents {
		return e, false
	}
	text, err := url.PathUnescape(s[first:last])
	if err != nil {
		return e, false
	}
	text = readable([]byte(text))
	return Encoded{first, last, "percent encoding", text}, text != ""
}

// fromReferences decodes numeric character references such as &#105; and escapes
// such as \x69 and \u0069.
func fromReferences(s string) (e Encoded, ok bool) {
	first := strings.IndexAny(s, `&\`)
	if first < 0 {
		return e, false
	}
	var out strings.Builder
	count, last, length := 0, first, 0
	for i := first; i < len(s); {
		r, size := reference(s[i:])
		if size == 0 {
			out.WriteByte(s[i])
			i++
			continue
		}
		if count == 0 {
			first = i
			out.Reset()
		}
		out.WriteRune(r)
		i += size
		count++
		last, length = i, out.Len()
	}
	if count < minPercents {
		return e, false
	}
	text := readable([]byte(out.String()[:length]))
	return Encoded{first, last, "character references", text}, text != ""
}

func reference(s string) (r rune, size int) {
	digits, base, end, before := "", 16, "", 2
	switch {
	case strings.HasPrefix(s, "&#x"):
		digits, end, before = s[3:], ";", 3
	case strings.HasPrefix(s, "&#"):
		digits, base, end = s[2:], 10, ";"
	case strings.HasPrefix(s, `\x`) && len(s) >= 4:
		digits = s[2:4]
	case strings.HasPrefix(s, `\u`) && len(s) >= 6:
		digits = s[2:6]
	default:
		return 0, 0
	}
	n := 0
	for n < len(digits) && n < 6 && isHex(digits[n]) {
		c := digits[n]
		v := rune(c - '0')
		if c > '9' {
			v = rune(c|0x20) - 'a' + 10
		}
		if int(v) >= base {
			break
		}
		r = r*rune(base) + v
		n++
	}
	if n == 0 || end == "" && n < len(digits) || end != "" && !strings.HasPrefix(digits[n:], end) || r > unicode.MaxRune {
		return 0, 0
	}
	return r, before + n + len(end)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
