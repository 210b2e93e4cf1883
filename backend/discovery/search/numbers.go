package search

import "encoding/binary"

// numbers maps words to their numbers. Most words have at most eight bytes.
// They are looked up as integers, which is much faster than a lookup in a map.
// It must not be used concurrently.
type numbers struct {
	short []short // hash table with open addressing; its length is a power of two, and it is at most half full
	count int     // words in short
	long  map[string]int32
}

// short is a word of at most eight bytes, packed into an integer; 0 marks a
// free slot.
type short struct {
	word   uint64
	number int32
}

func newNumbers() numbers { return numbers{short: make([]short, 1<<10), long: make(map[string]int32)} }

// of returns the number of a word. For a new word it calls add to obtain one.
func (n *numbers) of(word []byte, add func([]byte) int32) int32 {
	var buffer [8]byte
	if len(word) > len(buffer) {
		number, ok := n.long[string(word)]
		if !ok {
			number = add(word)
			n.long[string(word)] = number
		}
		return number
	}
	copy(buffer[:], word)
	packed := binary.LittleEndian.Uint64(buffer[:])
	at := n.place(packed)
	if n.short[at].word == packed {
		return n.short[at].number
	}
	number := add(word)
	n.short[at] = short{packed, number}
	if n.count++; 2*n.count > len(n.short) {
		n.grow()
	}
	return number
}

// place returns the slot of a word, or the free slot in which it belongs.
func (n *numbers) place(packed uint64) int {
	const golden = 0x9e3779b97f4a7c15
	mask := len(n.short) - 1
	at := int(packed*golden>>32) & mask
	for n.short[at].word != 0 && n.short[at].word != packed {
		at = (at + 1) & mask
	}
	return at
}

// grow doubles the hash table.
func (n *numbers) grow() {
	old := n.short
	n.short = make([]short, 2*len(old))
	for _, s := range old {
		if s.word != 0 {
			n.short[n.place(s.word)] = s
		}
	}
}
