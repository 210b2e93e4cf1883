package jsonscan

// Span is a part of a text: the bytes from Start up to End.
type Span struct{ Start, End int }

// AppendCuts appends the spans of data that must be removed to delete some members of
// the object at a position: the members for whose decoded names drop returns true. data
// must be valid JSON. A span includes a comma where necessary, so that what remains is
// an object. The spans are in order and do not overlap.
func AppendCuts(cuts []Span, data []byte, at int, drop func(name []byte) bool) []Span {
	before := len(cuts)
	kept, open, last := false, false, 0 // open: the last span reaches to the next member
	o := Members(data, at)
	for o.Next() {
		if open {
			cuts[len(cuts)-1].End = o.NameStart()
		}
		end := o.End()
		switch dropped := drop(decoded(o.Quoted())); {
		case !dropped:
			kept, open = true, false
		case kept:
			cuts = append(cuts, Span{last, end})
		default:
			cuts, open = append(cuts, Span{o.NameStart(), end}), true
		}
		last = end
	}
	if o.Close() < 0 {
		return cuts[:before]
	}
	return cuts
}

// AppendWithout appends data without cuts, which must be in order and must not
// overlap.
func AppendWithout(dst, data []byte, cuts []Span) []byte {
	at := 0
	for _, cut := range cuts {
		dst = append(dst, data[at:cut.Start]...)
		at = cut.End
	}
	return append(dst, data[at:]...)
}
