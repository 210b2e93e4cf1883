package main

import (
	"encoding/binary"
	"fmt"
)

// slots is the size of the hash table; it has to be a power of two, and twice the number of words leaves runs short.
const slots = 1 << 16

// tabulate lays the vocabulary out as backend/discovery/minilm looks words up, little-endian: the number of words; where each
// word begins in the text, and at last where the text ends; the hash table, with the id plus one in each slot that is
// taken; and the text. A word is in the slot of its hash, or in the next free one after it.
func tabulate(words []string) ([]byte, error) {
	if len(words) >= slots {
		return nil, fmt.Errorf("%d words do not fit the table", len(words))
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

func table(words []string) []uint16 {
	ids := make([]uint16, slots)
	for id, word := range words {
		slot := hash(word) % slots
		for ids[slot] != 0 {
			slot = (slot + 1) % slots
		}
		ids[slot] = uint16(id + 1)
	}
	return ids
}

// hash is FNV-1a of 32 bits, with the upper half folded into the lower.
func hash(word string) uint32 {
	sum := uint32(2166136261)
	for i := range len(word) {
		sum = (sum ^ uint32(word[i])) * 16777619
	}
	return sum ^ sum>>16
}
