package minilm_test

import (
	"fmt"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
)

func Example() {
	encoder := minilm.New()
	similarity := func(a, b []float32) (cosine float32) {
		for i := range a { // vectors have length 1
			cosine += a[i] * b[i]
		}
		return cosine
	}

	query := encoder.Encode("What will the weather be like tomorrow?", 0)
	for _, text := range []string{"forecast for the coming days", "merge a pull request"} {
		fmt.Printf("%t %s\n", similarity(query, encoder.Encode(text, 0)) > 0.4, text)
	}
	// Output:
	// true forecast for the coming days
	// false merge a pull request
}
