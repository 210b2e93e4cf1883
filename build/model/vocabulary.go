package main

import (
	"encoding/binary"
	"fmt"
)

// slots is the size of the hash table: a power of two that is at least twice the number of words, so that probe
// sequences are short.
const slots = 1 << 16

// tabulate encodes the vocabulary in the form that backend/discovery/minilm reads, in little-endian order: the number
// of words; the offset of each word in the text, and the end of the text; the hash table, whose slots contain the ID of
// a word plus one, or 0; and the text. A word is in the slot of its hash or the next free one.
func tabulate(words []string) ([]byte, error) {
	if len(words) >= slots {
		return nil, fmt.Errorf("the vocabulary has %d words, more than the hash table holds", len(words))
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(words)))
	at := 0
	for _, word := range words {
		out = binary.LittleEndian.AppendUint32(out, uint32(at))
		at += len(word)
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(at))
	for _, id := range table(words) {
		out = binary.LittleEndian.AppendUint16(out, id)
	}
	for _, word := range words {
		out = append(out, word...)
	}
	return out, nil
}

// table returns the hash table of the words.
func table(words []string) []uint16 {
	ids := make([]uint16, slots)
	for id, word := range words {
		hash := uint32(2166136261) // FNV-1a, with the upper half folded into the lower
		for i := range len(word) {
			hash = (hash ^ uint32(word[i])) * 16777619
		}
		slot := (hash ^ hash>>16) % slots
		for ids[slot] != 0 {
			slot = (slot + 1) % slots
		}
		ids[slot] = uint16(id + 1)
	}
	return ids
}
