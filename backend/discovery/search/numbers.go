package search

import "encoding/binary"

// numbers are those of words. Most words are short: they are looked up as
// integers, which takes a fraction of the time of a map. It is for one at a
// time.
type numbers struct {
	short []short // open addressing; a power of two, at most half full
	held  int
	long  map[string]int32
}

// short is a word of at most eight bytes, 0 for none.
type short struct {
	word   uint64
	number int32
}

func newNumbers() numbers { return numbers{short: make([]short, 1<<10), long: make(map[string]int32)} }

// of returns the number of a word, which make gives to a new one.
func (n *numbers) of(word []byte, make func([]byte) int32) int32 {
	var room [8]byte
	if len(word) > len(room) {
		number, ok := n.long[string(word)]
		if !ok {
			number = make(word)
			n.long[string(word)] = number
		}
		return number
	}
	copy(room[:], word)
	packed := binary.LittleEndian.Uint64(room[:])
	at := n.place(packed)
	if n.short[at].word == packed {
		return n.short[at].number
	}
	number := make(word)
	n.short[at] = short{packed, number}
	if n.held++; 2*n.held > len(n.short) {
		n.grow()
	}
	return number
}

// place is where a word stands or is to stand.
func (n *numbers) place(packed uint64) int {
	const golden = 0x9e3779b97f4a7c15
	mask := len(n.short) - 1
	at := int(packed*golden>>32) & mask
	for n.short[at].word != 0 && n.short[at].word != packed {
		at = (at + 1) & mask
	}
	return at
}

func (n *numbers) grow() {
	old := n.short
	n.short = make([]short, 2*len(old))
	for _, s := range old {
		if s.word != 0 {
			n.short[n.place(s.word)] = s
		}
	}
}
