package names

// noScheme is the scheme that shownURI inserts before a URI without a scheme.
const noScheme = "x-ref:"

// shownURI returns the form in which clients are shown a server's URI or URI template. If a client expands the shown
// form of a template, it gets the shown form of the URI to which the server's template expands.
//
//	file:///a       gh+file:///a
//	notes           gh+x-ref:notes
//	ui://a/x        ui://gh+a/x
//	skill://p/s.md  skill://gh/p/s.md
//
// MCP Apps require URIs that begin with ui://. In a skill URI, the slug is the first folder, so that relative links
// between the files of a skill still work.
func shownURI(slug, uri string) string {
	at, after := place(uri, false)
	return uri[:at] + slug + after + uri[at:]
}

// shownTaskID returns the form in which clients are shown a server's task id.
func shownTaskID(slug, id string) string { return slug + "+" + id }

// text is a decoded text, or the contents of a JSON string between its quotes.
type text interface{ string | []byte }

// place returns the position at which the slug is inserted in a URI, and the text that follows the slug. If
// escaped is true, the URI may contain JSON escapes.
func place[T text](uri T, escaped bool) (at int, after string) {
	if at, ok := skip(uri, 0, "ui://", escaped); ok {
		return at, "+"
	}
	if at, ok := skip(uri, 0, "skill://", escaped); ok {
		return at, "/"
	}
	if _, ok := skip(uri, 0, noScheme, escaped); ok || !hasScheme(uri, escaped) {
		return 0, "+" + noScheme
	}
	return 0, "+"
}

// split finds what shownURI has inserted in a URI: the slug, with its separator and scheme, is uri[from:to]. ok is
// false if the URI has no known slug in this place.
func split[T text](uri T, escaped bool, known func(slug string) bool) (slug string, from, to int, ok bool) {
	if at, found := skip(uri, 0, "ui://", escaped); found {
		slug, to, ok = slugAt(uri, at, '+', escaped)
		return slug, at, to, ok && known(slug)
	}
	if at, found := skip(uri, 0, "skill://", escaped); found {
		slug, to, ok = slugAt(uri, at, '/', escaped)
		return slug, at, to, ok && known(slug)
	}
	if slug, to, ok = slugAt(uri, 0, '+', escaped); !ok || !known(slug) {
		return "", 0, 0, false
	}
	to, _ = skip(uri, to, noScheme, escaped)
	return slug, 0, to, true
}

// slugAt reads the slug at a position of s and the separator after it. It returns the slug and the position
// after the separator.
func slugAt[T text](s T, at int, separator byte, escaped bool) (slug string, end int, ok bool) {
	read := make([]byte, 0, 64)
	for {
		c, next := char(s, at, escaped)
		switch {
		case c == separator:
			return string(read), next, len(read) > 0
		case !isSlug(c):
			return "", at, false
		}
		read = append(read, c)
		at = next
	}
}

// skip reports whether s contains word at a position, and returns the position after the word.
func skip[T text](s T, at int, word string, escaped bool) (end int, ok bool) {
	end = at
	for i := range len(word) {
		c, next := char(s, end, escaped)
		if c != word[i] {
			return at, false
		}
		end = next
	}
	return end, true
}

// hasScheme reports whether a URI begins with a scheme as RFC 3986 defines it.
// Template expressions are not part of a scheme.
func hasScheme[T text](uri T, escaped bool) bool {
	for at := 0; ; {
		c, next := char(uri, at, escaped)
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		switch {
		case at == 0 && !letter:
			return false
		case c == ':':
			return true
		case !letter && !isSlug(c) && c != '+':
			return false
		}
		at = next
	}
}

// char returns the character at a position and the position after it. c is 0 at the end of s, for a character
// outside ASCII, and for an escaped control character.
func char[T text](s T, at int, escaped bool) (c byte, next int) {
	switch {
	case at >= len(s):
		return 0, at
	case s[at] >= 0x80:
		return 0, at + 1
	case s[at] != '\\' || !escaped:
		return s[at], at + 1
	case at+1 < len(s) && s[at+1] != 'u':
		if c := s[at+1]; c == '/' || c == '\\' || c == '"' {
			return c, at + 2
		}
	case at+6 <= len(s) && s[at+2] == '0' && s[at+3] == '0':
		if c := hexDigit(s[at+4])<<4 | hexDigit(s[at+5]); c < 0x80 {
			return c, at + 6
		}
	}
	return 0, at + 1
}

// hexDigit returns the value of a hexadecimal digit of valid JSON.
func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
