package configedit

import "slices"

// Extension is a deviation from strict JSON that some parsers accept and others do not.
type Extension string

// The extensions that FindExtension recognizes.
const (
	ByteOrderMark Extension = "bom"
	Comment       Extension = "comment"
	TrailingComma Extension = "trailing-comma"
)

// FindExtension returns the first of the given extensions that a JSON text uses, and its line,
// counted from 1. found is false if the text uses none of them.
func FindExtension(text []byte, of []Extension) (which Extension, line int, found bool) {
	if len(of) == 0 {
		return "", 0, false
	}
	src, err := newSource(text)
	if err != nil {
		return "", 0, false
	}
	if src.start > 0 && slices.Contains(of, ByteOrderMark) {
		return ByteOrderMark, 1, true
	}
	strict, _ := strictJSON(src.body)
	for at := 0; at < len(strict); at++ {
		if strict[at] == src.body[at] {
			continue
		}
		which := TrailingComma
		end := at
		if src.body[at] == '/' {
			which, end = Comment, afterComment(src.body, at)-1
		}
		if slices.Contains(of, which) {
			return which, lineOf(src.body, at), true
		}
		at = end
	}
	return "", 0, false
}
