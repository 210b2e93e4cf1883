package jsonscan

import "bytes"

// Find returns the positions of the value of a member of the object in data,
// which must be valid JSON; start is -1 if data is not an object or has no such
// member. Of several members with the same name the last one counts, as in
// encoding/json.
func Find(data []byte, name string) (start, end int) {
	start = -1
	at := Space(data, 0)
	if at >= len(data) || data[at] != '{' {
		return -1, 0
	}
	for at = Space(data, at+1); at < len(data) && data[at] == '"'; at = Space(data, at+1) {
		quote := at
		if at = endOfString(data, at); at < 0 {
			return -1, 0
		}
		found := string(decoded(data[quote:at])) == name
		value := Space(data, Space(data, at)+1) // after the colon
		if at = End(data, value); at < 0 {
			return -1, 0
		}
		if found {
			start, end = value, at
		}
		if at = Space(data, at); at >= len(data) || data[at] != ',' {
			break
		}
	}
	return start, end
}

// Object steps through the members of an object in valid JSON:
//
//	o := jsonscan.Members(data, at)
//	for o.Next() {
//		use(o.Name(), o.Value())
//	}
//	if o.Close() < 0 {
//		// not an object, or not valid
//	}
//
// Use an Object in one loop only; do not copy or share it.
type Object struct {
	cursor
	nameStart, nameEnd int // of the current member's name, including the quotes
}

// Members returns a cursor placed before the first member of the object at a
// position. White space may precede the object.
func Members(data []byte, at int) Object { return Object{cursor: begin(data, at, '{')} }

// Next moves to the next member; it returns false after the last one, and if
// the text is not an object.
func (o *Object) Next() bool {
	at, ok := o.next('}')
	if !ok {
		return false
	}
	data := o.data
	if data[at] != '"' {
		return o.fail()
	}
	end := endOfString(data, at)
	if end < 0 {
		return o.fail()
	}
	o.nameStart, o.nameEnd = at, end
	if at = Space(data, end); at >= len(data) || data[at] != ':' {
		return o.fail()
	}
	if at = Space(data, at+1); at >= len(data) {
		return o.fail()
	}
	o.start, o.end = at, 0
	return true
}

// NameStart returns the position of the quote before the name of the current
// member.
func (o *Object) NameStart() int { return o.nameStart }

// Name returns the name of the current member as it is written between its
// quotes, with its escapes.
func (o *Object) Name() []byte { return o.data[o.nameStart+1 : o.nameEnd-1] }

// Quoted returns the name of the current member as it is written, with its
// quotes; String decodes it.
func (o *Object) Quoted() []byte { return o.data[o.nameStart:o.nameEnd] }

// Named reports whether name is the decoded name of the current member.
func (o *Object) Named(name string) bool {
	written := o.Name()
	if bytes.IndexByte(written, '\\') < 0 {
		return string(written) == name
	}
	text, ok := String(o.Quoted())
	return ok && text == name
}

// Array steps through the elements of an array in valid JSON, as Object steps
// through members.
type Array struct{ cursor }

// Elements returns a cursor placed before the first element of the array at a
// position. White space may precede the array.
func Elements(data []byte, at int) Array { return Array{begin(data, at, '[')} }

// Next moves to the next element; it returns false after the last one, and if
// the text is not an array.
func (a *Array) Next() bool {
	at, ok := a.next(']')
	if ok {
		a.start, a.end = at, 0
	}
	return ok
}

// cursor is the state that Object and Array share. Its numbers are positions in data.
type cursor struct {
	data   []byte
	start  int // start of the current value; 0 before the first value
	end    int // end of the current value, 0 until it is known; before the first value, the position after the opening bracket
	closed int // position after the closing bracket, 0 until it is reached; -1 if the text is not valid
}

func begin(data []byte, at int, bracket byte) cursor {
	at = Space(data, at)
	if at >= len(data) || data[at] != bracket {
		return cursor{data: data, closed: -1}
	}
	return cursor{data: data, end: at + 1}
}

// next returns where the next member or element begins; ok is false if there is
// none.
func (c *cursor) next(bracket byte) (at int, ok bool) {
	if c.closed != 0 {
		return 0, false
	}
	data, at := c.data, c.End()
	if at < 0 {
		return 0, c.fail()
	}
	if at = Space(data, at); at >= len(data) {
		return 0, c.fail()
	}
	switch {
	case data[at] == bracket:
		c.closed = at + 1
		return 0, false
	case c.start == 0:
		return at, true
	case data[at] != ',':
		return 0, c.fail()
	}
	if at = Space(data, at+1); at >= len(data) {
		return 0, c.fail()
	}
	return at, true
}

func (c *cursor) fail() bool {
	c.closed = -1
	return false
}

// Start returns the position of the current value.
func (c *cursor) Start() int { return c.start }

// End returns the position after the current value, or -1 if the value is not
// valid.
func (c *cursor) End() int {
	if c.end == 0 {
		c.end = End(c.data, c.start)
	}
	return c.end
}

// Value returns the bytes of the current value, nil if the value is not valid. The
// result aliases the text, but appending to the result does not change the text.
func (c *cursor) Value() []byte {
	end := c.End()
	if end < 0 {
		return nil
	}
	return c.data[c.start:end:end]
}

// SetEnd sets the position after the current value, so that Next and End need not
// search for it. Callers use it when they have already scanned the value. A
// negative end marks the text as not valid.
func (c *cursor) SetEnd(end int) { c.end = end }

// Close returns the position after the closing bracket once Next has returned
// false, 0 before, and -1 if the text is not valid or not an object or array.
func (c *cursor) Close() int { return c.closed }
