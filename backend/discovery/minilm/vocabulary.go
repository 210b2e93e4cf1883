package minilm

import (
	_ "embed"
	"encoding/binary"
	"sync"
	"unsafe"
)

// vocabularyData is written by build/model, in little-endian order: the number of words; the offset of each in the text,
// and the end of the text; a hash table of 65536 slots, each with the ID of a word plus one, or 0; and the text.
//
//go:embed vocabulary.bin
var vocabularyData string

// slots is the size of the hash table.
const slots = 1 << 16

// The IDs of special tokens.
const (
	unknown = 100
	begin   = 101
	end     = 102
)

// vocabulary looks up the IDs of words in the embedded data. Pieces that continue a word begin with "##".
type vocabulary struct {
	starts, table []byte
	text          []byte
}

func readVocabulary(written string) vocabulary {
	data := unsafe.Slice(unsafe.StringData(written), len(written))
	count := binary.LittleEndian.Uint32(data)
	table := 4 + 4*(count+1)
	return vocabulary{starts: data[4:table], table: data[table : table+2*slots], text: data[table+2*slots:]}
}

// known is the vocabulary for Knows. It shares the embedded data with the vocabularies of encoders.
var known = sync.OnceValue(func() vocabulary { return readVocabulary(vocabularyData) })

// Knows reports whether the vocabulary of the encoder has a lower-case word as a whole, not in pieces. It has 22,000 such
// words: common English words, names and words of other languages. Knows loads no weights.
func Knows(word string) bool {
	sum := noHash
	for i := range len(word) {
		sum = sum.add(word[i])
	}
	_, found := known().find(sum, "", []byte(word))
	return found
}

// word returns the word with an ID.
func (v vocabulary) word(id int) string {
	from, to := binary.LittleEndian.Uint32(v.starts[4*id:]), binary.LittleEndian.Uint32(v.starts[4*id+4:])
	return string(v.text[from:to])
}

// find returns the ID of the word that consists of the prefix and the piece, and whether it exists. sum is the hash of
// both.
func (v vocabulary) find(sum hash, prefix string, piece []byte) (uint16, bool) {
	for slot := uint32(sum^sum>>16) % slots; ; slot = (slot + 1) % slots {
		id := int(binary.LittleEndian.Uint16(v.table[2*slot:])) - 1
		if id < 0 {
			return 0, false
		}
		from, to := binary.LittleEndian.Uint32(v.starts[4*id:]), binary.LittleEndian.Uint32(v.starts[4*id+4:])
		word := v.text[from:to]
		if len(word) == len(prefix)+len(piece) && string(word[:len(prefix)]) == prefix && string(word[len(prefix):]) == string(piece) {
			return uint16(id), true
		}
	}
}

// hash is a 32-bit FNV-1a hash, which can be extended byte by byte.
type hash uint32

const noHash hash = 2166136261

func (h hash) add(b byte) hash { return (h ^ hash(b)) * 16777619 }
