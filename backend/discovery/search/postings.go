package search

import (
	"runtime"
	"sync"
)

// buildPostings fills in x.starts, x.tools and x.weights. The result does not
// depend on the number of goroutines.
func (x *index) buildPostings() {
	size := x.vocabulary.size()
	chunks := x.chunks()
	inParallel(chunks, func(s *chunk) { x.collect(s, size) })
	x.starts = make([]int32, size+1)
	for t := range size {
		at := x.starts[t]
		for _, s := range chunks {
			at, s.places[t] = at+s.places[t], at
		}
		x.starts[t+1] = at
	}
	idf := make([]float32, size)
	for t := range idf {
		idf[t] = x.idf(int32(t))
	}
	x.tools, x.weights = make([]int32, x.starts[size]), make([]float32, x.starts[size])
	inParallel(chunks, func(s *chunk) { x.distribute(s, idf) })
}

// chunk is a range of consecutive documents and their part of the postings.
type chunk struct {
	first, last int       // documents first to last-1
	terms       []int32   // terms of all documents, one document after the other
	weights     []float32 // weight of each of the terms, without idf
	ends        []int     // end of each document in terms
	// places holds, by term, first the number of documents that contain the term
	// and then the index of the chunk's next posting.
	places []int32
}

// chunks divides the documents into one chunk per goroutine.
func (x *index) chunks() []*chunk {
	n := len(x.documents)
	count := workersFor(n)
	out := make([]*chunk, count)
	for i := range out {
		out[i] = &chunk{first: n * i / count, last: n * (i + 1) / count}
	}
	return out
}

// workersFor returns the number of goroutines with which to index a number of tools.
func workersFor(tools int) int { return max(min(runtime.GOMAXPROCS(0), tools/minPerWorker), 1) }

// inParallel calls do for each element concurrently and returns when all calls
// have returned. There must be at least one element.
func inParallel[T any](all []T, do func(T)) {
	var group sync.WaitGroup
	for _, one := range all[1:] {
		group.Go(func() { do(one) })
	}
	do(all[0])
	group.Wait()
}

// collect fills in the terms, weights and counts of a chunk; size is the number
// of terms.
func (x *index) collect(s *chunk, size int) {
	words := 0
	for _, d := range x.documents[s.first:s.last] {
		words += len(d.words)
	}
	s.terms, s.weights = make([]int32, 0, 2*words), make([]float32, 0, 2*words)
	s.places = make([]int32, size)
	freqs := make([]float32, size) // term frequencies of one document, by term
	for _, d := range x.documents[s.first:s.last] {
		began := len(s.terms)
		s.terms = x.weigh(d, freqs, s.terms)
		for _, t := range s.terms[began:] {
			s.weights = append(s.weights, freqs[t]/(saturation+freqs[t]))
			freqs[t] = 0
			s.places[t]++
		}
		s.ends = append(s.ends, len(s.terms))
	}
}

// distribute copies the weights of a chunk to their places in the postings.
func (x *index) distribute(s *chunk, idf []float32) {
	at := 0
	for i, end := range s.ends {
		for ; at < end; at++ {
			t := s.terms[at]
			place := s.places[t]
			x.tools[place], x.weights[place] = int32(s.first+i), s.weights[at]*idf[t]
			s.places[t] = place + 1
		}
	}
}
