package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"hash/maphash"
	"io"
	"math"
	"unsafe"
)

// packed is the vocabulary, which build/tokens writes: the lengths of all tokens by rank, then their bytes.
//
//go:embed o200k.bin
var packed []byte

const (
	words = 199_998
	slots = 1 << 19
	none  = math.MaxUint32 // the rank of a text that is no token
)

// vocabulary holds the tokens and finds their ranks.
type vocabulary struct {
	text string   // all tokens, one after the other
	ends []uint32 // where each token ends, by rank
	seed maphash.Seed
	// slot is a hash table with linear probing. Its elements are rank + 1; 0 is an empty slot.
	slot []uint32
}

// load unpacks the vocabulary.
func load() *vocabulary {
	data, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil || len(data) < words {
		panic("the vocabulary of tokens is damaged") // it is part of the program
	}
	v := &vocabulary{
		text: unsafe.String(unsafe.SliceData(data[words:]), len(data)-words), // data is not modified
		ends: make([]uint32, words), seed: maphash.MakeSeed(), slot: make([]uint32, slots),
	}
	end := uint32(0)
	for rank, length := range data[:words] {
		end += uint32(length)
		v.ends[rank] = end
		at := v.hash(v.word(uint32(rank)))
		for v.slot[at] != 0 {
			at = (at + 1) % slots
		}
		v.slot[at] = uint32(rank) + 1
	}
	return v
}

func (v *vocabulary) hash(word string) uint64 { return maphash.String(v.seed, word) % slots }

func (v *vocabulary) word(rank uint32) string {
	start := uint32(0)
	if rank > 0 {
		start = v.ends[rank-1]
	}
	return v.text[start:v.ends[rank]]
}

// rank returns the rank of a token, and none for other texts.
func (v *vocabulary) rank(word string) uint32 {
	for at := v.hash(word); v.slot[at] != 0; at = (at + 1) % slots {
		if rank := v.slot[at] - 1; v.word(rank) == word {
			return rank
		}
	}
	return none
}
