package embedding

import (
	"context"
	"errors"
	"math"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// provider makes vectors.
type provider interface {
	// embed returns a vector for each text, as it comes: ask looks at it. The
	// provider may read no more than tokens of each. Errors hold no secret.
	embed(ctx context.Context, texts []string, tokens int) ([][]float32, error)
	// batch is how many texts it takes at once.
	batch() int
	// run does what it has to do besides, until ctx ends.
	run(ctx context.Context)
}

// maxDimensions is more than any known model has.
const maxDimensions = 8192

// errRefused is in errors that may be due to the texts.
var errRefused = errors.New("texts refused")

// ask has the provider make vectors of length 1. How it went is noted, unless
// the texts may be to blame.
func (x *Index) ask(ctx context.Context, texts []string, tokens int) ([][]float32, error) {
	timed, cancel := context.WithTimeout(ctx, x.Timeout)
	defer cancel()
	vectors, err := x.provider.embed(timed, texts, tokens)
	if err == nil {
		err = x.check(vectors, len(texts))
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // the hub ends
	case !errors.Is(err, errRefused):
		x.note(err)
	}
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// try reports whether the provider works at all, and notes that.
func (x *Index) try(ctx context.Context) bool {
	_, err := x.ask(ctx, []string{sample}, toolTokens)
	if errors.Is(err, errRefused) {
		x.note(err)
	}
	return err == nil
}

// check looks at what a provider gave, and makes the length of vectors 1.
func (x *Index) check(vectors [][]float32, texts int) error {
	if len(vectors) != texts {
		return fault.New(fault.Failed, "the model gave %d vectors for %d texts", len(vectors), texts)
	}
	dimensions := x.Vectors().Dimensions()
	for _, v := range vectors {
		if dimensions == 0 {
			dimensions = len(v)
		}
		switch {
		case len(v) == 0 || len(v) > maxDimensions:
			return fault.New(fault.Failed, "the model gave a vector of %d numbers; is it an embedding model?", len(v))
		case len(v) != dimensions:
			return fault.New(fault.Failed, "the model gives vectors of %d numbers, those before had %d; if it is another model now, give search.model another name", len(v), dimensions)
		case !normalize(v):
			return fault.Wrap(errRefused, fault.Failed, "the model gave a vector without a direction; is it an embedding model?")
		}
	}
	return nil
}

// normalize makes the length of a vector 1; false when it has none.
func normalize(v []float32) bool {
	total := 0.0
	for _, n := range v {
		total += float64(n) * float64(n)
	}
	length := math.Sqrt(total)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return false
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return true
}
