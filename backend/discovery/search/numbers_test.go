package search

import (
	"fmt"
	"strings"
	"testing"
)

func TestWordsKeepTheirNumbers(t *testing.T) {
	n, given := newNumbers(), make(map[string]int32)
	next := func(word []byte) int32 {
		if _, twice := given[string(word)]; twice {
			t.Fatalf("add is called twice for %q", word)
		}
		given[string(word)] = int32(len(given))
		return given[string(word)]
	}
	for range 2 {
		for i := range 5000 {
			for _, word := range []string{fmt.Sprint("w", i), strings.Repeat("x", i%12) + fmt.Sprint(i), "é" + fmt.Sprint(i)} {
				if got := n.of([]byte(word), next); got != given[word] {
					t.Fatalf("%q has the number %d, want %d", word, got, given[word])
				}
			}
		}
	}
}
