package injection

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, name, address or number of a text.
type token struct {
	mask       mask
	word       int32 // index in the lexicon, 0 if unknown
	start, end int32 // bytes of the normalised text
	form       form
	clause     bool // begins a clause
	comma      bool // follows a comma
	colon      bool // follows a colon or a dash
	quoted     bool // is within quotes
	code       bool // is within backticks
	comment    bool // is within an HTML comment
}

// reader splits a text into tokens and sentences.
type reader struct {
	lex     *lexicon
	names   Names
	text    string
	at      int
	tokens  []token
	breaks  []int // indexes of tokens at which sentences begin
	quote   int   // end of the current quotation
	code    int   // end of the current code span
	comment int   // end of the current HTML comment
	classes classSet
	comma   bool
	colon   bool
}

// classSet holds the classes that the code assigns or tests by name.
type classSet struct {
	foreign, sibling, own, ident, property, url, mail, ip, host, secretPath, path, number mask
	quoted, code, assigned, word, lookup, startup, lead, call, tool, yield, this          mask
}

func newClassSet(l *lexicon) classSet {
	m := l.mustClass
	return classSet{
		m("foreign"), m("sibling"), m("own"), m("ident"), m("property"), m("url"), m("mail"), m("ip"), m("host"), m("secretpath"),
		m("path"), m("number"), m("quoted"), m("code"), m("assigned"), m("word"), m("lookup"), m("startup"), m("lead"), m("callverb"),
		m("toolnoun"), m("yield"), m("this"),
	}
}

// longestSentence is the length in bytes after which a sentence ends even without
// punctuation.
const longestSentence = 600

// read splits a text into tokens and sentences.
func (r *reader) read(text string) {
	r.text, r.at, r.tokens, r.breaks = text, 0, r.tokens[:0], append(r.breaks[:0], 0)
	r.quote, r.code, r.comment, r.comma, r.colon = 0, 0, 0, false, false
	for r.at < len(text) {
		c := text[r.at]
		switch {
		case c == '\n':
			r.line()
		case c <= ' ':
			r.at++
		case wordByte[c] || c >= utf8.RuneSelf:
			r.chunk()
		default:
			r.punctuation(c)
		}
		if n := len(r.tokens); n > r.breaks[len(r.breaks)-1] &&
			int(r.tokens[n-1].end-r.tokens[r.breaks[len(r.breaks)-1]].start) > longestSentence {
			r.stop()
		}
	}
	r.stop()
}

// wordByte marks the ASCII characters that begin a word, name, path or address; see
// chunk.
var wordByte = func() (set [256]bool) {
	for c := '0'; c <= 'z'; c++ {
		set[c] = c <= '9' || c >= 'a' || c >= 'A' && c <= 'Z'
	}
	for _, c := range `~/.$%_@\` {
		set[c] = true
	}
	return set
}()

// stop ends the current sentence.
func (r *reader) stop() {
	if len(r.tokens) > r.breaks[len(r.breaks)-1] {
		r.breaks = append(r.breaks, len(r.tokens))
	}
	r.comma, r.colon = false, false
}

// line ends the sentence at the end of a line, unless the text seems to be wrapped
// there: the next line begins with a lower-case letter or a backtick and not like an
// entry of a list, and this line does not end with a colon.
func (r *reader) line() {
	r.at++
	at := r.at
	for at < len(r.text) && (r.text[at] == ' ' || r.text[at] == '\t' || r.text[at] == '\r') {
		at++
	}
	if at < len(r.text) && (r.text[at] >= 'a' && r.text[at] <= 'z' || r.text[at] == '`') && !r.colon && !listMark(r.text[at:]) {
		return
	}
	r.stop()
}

// listMark reports whether a line begins like an entry of a list of arguments: "name:
// text", "name (type) text" or "a) text".
func listMark(line string) bool {
	for i := range min(len(line), 40) {
		switch c := line[i]; {
		case c == ':' || c == '(' && i > 0 || c == ')' || c == '=':
			return true
		case c == ' ':
			return i+1 < len(line) && (line[i+1] == '(' || line[i+1] == '-' || line[i+1] == ':')
		}
	}
	return false
}

// punctuation reads a character that belongs to no word.
func (r *reader) punctuation(c byte) {
	switch c {
	case ';', '!', '?', '{', '}':
		r.stop()
	case ',', '(', ')':
		r.comma = true
	case ':', '[', ']', '#', '|':
		r.colon = true
	case '"', '\'':
		r.quotation(c)
		return
	case '`':
		r.codeSpan()
		return
	case '<':
		r.tag()
		return
	case '-', '*', '+':
		r.mark()
		return
	case '=':
		if n := len(r.tokens); n > 0 {
			r.tokens[n-1].mask.add(r.classes.assigned)
		}
	}
	r.at++
}

// mark reads a character that begins an entry of a list or stands for a dash.
func (r *reader) mark() {
	i := r.at - 1
	for i >= 0 && (r.text[i] == ' ' || r.text[i] == '\t') {
		i--
	}
	if (i < 0 || r.text[i] == '\n') && r.at+1 < len(r.text) && r.text[r.at+1] == ' ' {
		r.stop()
	} else if r.text[r.at] == '-' && r.at > 0 && r.text[r.at-1] <= ' ' {
		r.colon = true
	}
	r.at++
}

// longestQuote is the length of the longest quotation or code span, in bytes.
const longestQuote = 240

// quotation sets r.quote to the end of the quotation that begins at r.at, if it ends on
// the same line and is not longer than longestQuote.
func (r *reader) quotation(c byte) {
	r.at++
	if r.at <= r.quote || r.at >= len(r.text) || r.text[r.at] <= ' ' || r.at > 1 && alnum(r.text[r.at-2]) {
		return
	}
	rest := r.text[r.at:min(len(r.text), r.at+longestQuote)]
	rest, _, _ = strings.Cut(rest, "\n")
	for i := 0; i < len(rest); i++ {
		if rest[i] == c && (i+1 == len(rest) || !alnum(rest[i+1])) {
			r.quote = r.at + i
			return
		}
	}
}

func (r *reader) codeSpan() {
	for r.at < len(r.text) && r.text[r.at] == '`' {
		r.at++
	}
	if r.at <= r.code {
		return
	}
	rest := r.text[r.at:min(len(r.text), r.at+longestQuote)]
	if end := strings.IndexByte(rest, '`'); end > 0 && !strings.Contains(rest[:end], "\n") {
		r.code = r.at + end
	}
}

// tag reads a tag or the beginning of a comment.
func (r *reader) tag() {
	rest := r.text[r.at:]
	if strings.HasPrefix(rest, "<!--") {
		r.stop()
		r.at += len("<!--")
		r.comment = len(r.text)
		if end := strings.Index(rest, "-->"); end >= 0 {
			r.comment = r.at - len("<!--") + end
		}
		return
	}
	end := strings.IndexAny(rest[1:min(len(rest), 80)], "<>\n")
	if end < 1 || rest[1+end] != '>' || !letter(rest[1]) && rest[1] != '/' && rest[1] != '|' {
		r.at++
		return
	}
	if r.at == 0 || r.text[r.at-1] <= ' ' || !alnum(r.text[r.at-1]) && r.text[r.at-1] != '/' {
		r.stop()
	}
	r.at += end + 2
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func alnum(c byte) bool  { return letter(c) || c >= '0' && c <= '9' }

// chunk reads characters up to white space or punctuation, and adds the tokens in
// them.
func (r *reader) chunk() {
	start := r.at
	end, plain := start, true
	h := hashStart
	for end < len(r.text) {
		c := r.text[end]
		if letter(c) {
			h = (h ^ uint32(c|0x20)) * hashPrime
			end++
			continue
		}
		if !chunkByte[c] && c < utf8.RuneSelf {
			break
		}
		plain = false
		end++
	}
	if plain && start >= r.code && start >= r.quote { // true for most words
		r.add(start, end, r.lex.find(h, r.text[start:end]), mask{})
		r.at = end
		return
	}
	trimmed := end
	for trimmed > start && strings.IndexByte(".:!?*_'", r.text[trimmed-1]) >= 0 {
		trimmed--
	}
	for start < trimmed && r.text[start] == '_' && strings.HasPrefix(r.text[trimmed:end], "_") {
		start++
	}
	if trimmed > start {
		r.classify(start, trimmed)
	}
	r.at = max(end, r.at)
	r.after(r.text[trimmed:end])
}

// chunkByte marks the bytes that may be in a chunk besides letters.
var chunkByte = func() (set [256]bool) {
	for c := '0'; c <= '9'; c++ {
		set[c] = true
	}
	for _, c := range `_-.:/\@~$%&#'?*+!` {
		set[c] = true
	}
	return set
}()

// after handles the punctuation at the end of a chunk, which may end the sentence.
func (r *reader) after(end string) {
	switch {
	case strings.ContainsAny(end, "!?"):
		r.stop()
	case strings.Contains(end, "."):
		if r.at >= len(r.text) || r.text[r.at] <= ' ' || strings.IndexByte("\"')]<`", r.text[r.at]) >= 0 || r.text[r.at] >= utf8.RuneSelf {
			if !r.abbreviation() {
				r.stop()
			}
		}
	case strings.Contains(end, ":"):
		r.colon = true
	}
}

// abbreviation reports whether the last token is an abbreviation, whose full stop does
// not end the sentence.
func (r *reader) abbreviation() bool {
	if len(r.tokens) == 0 {
		return true
	}
	t := r.tokens[len(r.tokens)-1]
	switch strings.ToLower(r.text[t.start:t.end]) {
	case "e.g", "i.e", "eg", "ie", "vs", "cf", "etc", "no":
		return true
	}
	return false
}

// add adds a token for a range of the text. word is the index of the range's word in the
// lexicon, or 0 if the lexicon does not contain it.
func (r *reader) add(start, end int, word int32, classes mask) {
	t := token{
		mask: classes, word: word, start: int32(start), end: int32(end), comma: r.comma, colon: r.colon, quoted: start < r.quote,
		code: start < r.code, comment: start < r.comment,
	}
	if word != 0 {
		e := &r.lex.words[word]
		t.mask.add(e.mask)
		t.form = e.form
	}
	if t.mask == (mask{}) {
		t.mask = r.classes.word
	}
	if t.quoted {
		t.mask.add(r.classes.quoted)
	}
	if t.code {
		t.mask.add(r.classes.code)
	}
	n := len(r.tokens)
	first := r.breaks[len(r.breaks)-1] == n
	t.clause = first || t.comma || t.colon || r.tokens[n-1].mask.has(r.classes.lead)
	r.comma, r.colon = false, false
	r.tokens = append(r.tokens, t)
}

// words adds the words of a part of the text that is not one name, path or address.
func (r *reader) words(start, end int) {
	for i := start; i < end; {
		if !alnum(r.text[i]) && r.text[i] < utf8.RuneSelf {
			i++
			continue
		}
		from, h := i, hashStart
		for i < end && (alnum(r.text[i]) || r.text[i] >= utf8.RuneSelf || r.text[i] == '\'' && i+1 < end && alnum(r.text[i+1])) {
			c := r.text[i]
			if letter(c) {
				c |= 0x20
			}
			h = (h ^ uint32(c)) * hashPrime
			i++
		}
		r.wordWithApostrophe(from, i, h)
	}
}

// contracted maps the letters before "n't" in irregular contractions to the full verb.
var contracted = map[string]string{"ca": "can", "wo": "will", "sha": "shall"}

func (r *reader) wordWithApostrophe(from, to int, h uint32) {
	text := r.text[from:to]
	if len(text) > 3 && strings.EqualFold(text[len(text)-3:], "n't") {
		verb := strings.ToLower(text[:len(text)-3])
		if full, ok := contracted[verb]; ok {
			verb = full
		}
		r.add(from, to-3, r.lex.lookup(verb), mask{})
		r.add(to-3, to, r.lex.lookup("not"), mask{})
		return
	}
	if word := r.lex.find(h, text); word != 0 {
		r.add(from, to, word, mask{})
		return
	}
	switch strings.ToLower(text) {
	case "dont", "don":
		r.add(from, to, r.lex.lookup("not"), mask{})
		return
	}
	if stem, ok := strings.CutSuffix(text, "'s"); ok {
		r.add(from, to, r.lex.lookup(stem), mask{})
		return
	}
	var classes mask
	if strings.TrimFunc(text, unicode.IsDigit) == "" {
		classes = r.classes.number
	}
	r.add(from, to, 0, classes)
}

// lookup returns the index of a word in the lexicon, whatever its letter case, or 0 if
// it is unknown.
func (l *lexicon) lookup(text string) int32 {
	h := hashStart
	for i := range len(text) {
		c := text[i]
		if letter(c) {
			c |= 0x20
		}
		h = (h ^ uint32(c)) * hashPrime
	}
	return l.find(h, text)
}
