package embedding

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// provider computes vectors.
type provider interface {
	// embed returns a vector for each text, unchecked. The provider need not read more
	// than the given number of tokens of each text. Errors contain no secrets.
	embed(ctx context.Context, texts []string, tokens int) ([][]float32, error)
	// batch is the largest number of texts in one request.
	batch() int
	// run does the provider's background work until ctx ends.
	run(ctx context.Context)
}

// maxDimensions is more than any known embedding model has.
const maxDimensions = 8192

// errRefused is wrapped by errors that the texts may have caused, rather than
// the provider's state.
var errRefused = errors.New("texts refused")

// embed requests vectors from the provider and scales them to length 1. It
// records the outcome in x.health, unless the texts may have caused the error.
func (x *Index) embed(ctx context.Context, texts []string, tokens int) ([][]float32, error) {
	timed, cancel := context.WithTimeout(ctx, x.requestTimeout)
	defer cancel()
	vectors, err := x.provider.embed(timed, texts, tokens)
	if err == nil {
		err = x.normalizeAll(vectors, len(texts))
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // the hub is shutting down, which is no failure of the provider
	case !errors.Is(err, errRefused):
		x.recordOutcome(err)
	}
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// probe embeds a sample text, records the outcome and reports whether the
// provider works.
func (x *Index) probe(ctx context.Context) bool {
	_, err := x.embed(ctx, []string{sampleText}, toolTokens)
	if errors.Is(err, errRefused) { // every model accepts the sample text, so the provider must be the cause
		x.recordOutcome(err)
	}
	return err == nil
}

// normalizeAll checks that the number of vectors is texts and that each vector is
// valid, and scales them to length 1.
func (x *Index) normalizeAll(vectors [][]float32, texts int) error {
	if len(vectors) != texts {
		return fault.New(fault.Failed, "the model returned %d vectors for %d texts", len(vectors), texts)
	}
	dimensions := x.Vectors().Dimensions()
	for _, v := range vectors {
		dimensions = cmp.Or(dimensions, len(v))
		switch {
		case len(v) == 0 || len(v) > maxDimensions:
			return fault.New(fault.Failed, "the model returned a vector of %d numbers; is it an embedding model?", len(v))
		case len(v) != dimensions:
			return fault.New(fault.Failed,
				"the model returned vectors of %d numbers, earlier ones had %d; if the model has changed, give it a different name in "+
					"search.model", len(v), dimensions)
		case !normalize(v):
			return fault.Wrap(errRefused, fault.Failed, "the model returned a vector of zeros; is it an embedding model?")
		}
	}
	return nil
}

// normalize scales a vector to length 1. It returns false for a vector of
// length 0 or without a finite length.
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
