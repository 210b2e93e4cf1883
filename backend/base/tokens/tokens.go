// Package tokens answers what a text costs in a model's context, counted with
// the o200k_base vocabulary, which is part of the program.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The vocabulary takes about 20 MB once it is used, so it waits for that.
var o200k = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of tokens in text. It is safe for concurrent use.
func Count(text string) int {
	n, err := o200k().Count(text)
	if err != nil { // the codec fails on no input that we know; estimate
		return len(text) / 4
	}
	return n
}
