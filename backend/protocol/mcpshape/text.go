package mcpshape

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// wholeCharacters replaces the escapes of unpaired surrogates in valid JSON by \ufffd, which
// has the same length. The result is raw itself if it contains no such escapes.
func wholeCharacters(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	out := raw
	for at := bytes.IndexByte(raw, '\\'); at >= 0 && at+1 < len(raw); {
		switch unit, next := escaped(raw, at), escaped(raw, at+6); {
		case unit < 0: // an escape of one character
			at += 2
		case unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000:
			at += 12
		case unit >= 0xd800 && unit < 0xe000:
			if same(out, raw) {
				out = bytes.Clone(raw)
			}
			copy(out[at:], `\ufffd`)
			at += 6
		default:
			at += 6
		}
		more := bytes.IndexByte(raw[min(at, len(raw)):], '\\')
		if more < 0 {
			break
		}
		at += more
	}
	return out
}

// escaped returns the UTF-16 unit of the escape at a position, and -1 if there is none.
func escaped(raw []byte, at int) int64 {
	if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseInt(string(raw[at+2:at+6]), 16, 32)
	if err != nil {
		return -1
	}
	return unit
}

// base64Digits are the characters of base64 without the padding character.
var base64Digits = func() (is [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		is[c] = true
	}
	return is
}()

// base64 accepts base64 strings. It corrects strings that contain white space, use the
// URL-safe alphabet, lack padding or begin with the prefix of a data URI.
var base64 scalar = func(raw json.RawMessage) (json.RawMessage, string) {
	if raw[0] != '"' {
		return nil, is(raw)
	}
	if body := raw[1 : len(raw)-1]; isBase64(body) {
		return raw, ""
	}
	value, _ := jsonrpc.String(raw)
	if isBase64([]byte(value)) { // written with escapes, such as \/
		return raw, ""
	}
	if head, data, ok := strings.Cut(value, ";base64,"); ok && strings.HasPrefix(head, "data:") {
		value = data
	}
	value = strings.NewReplacer("-", "+", "_", "/", " ", "", "\n", "", "\r", "", "\t", "").Replace(value)
	value = strings.TrimRight(value, "=")
	value += strings.Repeat("=", (4-len(value)%4)%4)
	if !isBase64([]byte(value)) {
		return nil, "is no base64"
	}
	return jsonrpc.Quote(value), ""
}

func isBase64(body []byte) bool {
	if len(body)%4 != 0 {
		return false
	}
	end := len(body)
	for range 2 {
		if end > 0 && body[end-1] == '=' {
			end--
		}
	}
	return !slices.ContainsFunc(body[:end], func(c byte) bool { return !base64Digits[c] })
}
