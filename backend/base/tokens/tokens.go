// Package tokens counts or estimates how many tokens of a model's context a text
// takes, with the o200k_base vocabulary, which is part of the program.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// o200k loads the vocabulary at its first use, because it takes about 20 MB.
var o200k = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of tokens in text. It is safe for concurrent use.
func Count(text string) int {
	n, err := o200k().Count(text)
	if err != nil { // no input is known for which the codec fails
		return len(text) / 4
	}
	return n
}
