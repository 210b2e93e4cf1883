package search

import (
	"runtime"
	"sync"
)

// post makes the postings.
func (x *index) post() {
	size := x.vocabulary.size()
	stretches := x.stretches()
	each(stretches, func(s *stretch) { x.gather(s, size) })
	x.starts = make([]int32, size+1)
	for t := range size {
		at := x.starts[t]
		for _, s := range stretches {
			at, s.places[t] = at+s.places[t], at
		}
		x.starts[t+1] = at
	}
	rarity := make([]float32, size)
	for t := range rarity {
		rarity[t] = x.rarity(int32(t))
	}
	x.tools, x.worths = make([]int32, x.starts[size]), make([]float32, x.starts[size])
	each(stretches, func(s *stretch) { x.scatter(s, rarity) })
}

// stretch is the part in the postings of documents that follow each other.
type stretch struct {
	first, last int       // documents, the last not included
	terms       []int32   // of all of them, one after the other
	worths      []float32 // of each of the terms, but for its rarity
	ends        []int     // where the terms of each document end
	// places is for each term how often it is there, and then where the next
	// tool that holds it goes.
	places []int32
}

// stretches are one for each processor that is worth it.
func (x *index) stretches() []*stretch {
	n := len(x.documents)
	count := processors(n)
	out := make([]*stretch, count)
	for i := range out {
		out[i] = &stretch{first: n * i / count, last: n * (i + 1) / count}
	}
	return out
}

// processors is how many so many tools are worth.
func processors(tools int) int { return max(min(runtime.GOMAXPROCS(0), tools/minShare), 1) }

// each does something with all at the same time.
func each[T any](all []T, do func(T)) {
	var others sync.WaitGroup
	for _, one := range all[1:] {
		others.Go(func() { do(one) })
	}
	do(all[0])
	others.Wait()
}

// gather finds the terms of the documents of a stretch.
func (x *index) gather(s *stretch, size int) {
	words := 0
	for _, d := range x.documents[s.first:s.last] {
		words += len(d.words)
	}
	s.terms, s.worths = make([]int32, 0, 2*words), make([]float32, 0, 2*words)
	s.places = make([]int32, size)
	freqs := make([]float32, size) // of one document
	for _, d := range x.documents[s.first:s.last] {
		began := len(s.terms)
		s.terms = x.weigh(d, freqs, s.terms)
		for _, t := range s.terms[began:] {
			s.worths = append(s.worths, freqs[t]/(saturation+freqs[t]))
			freqs[t] = 0
			s.places[t]++
		}
		s.ends = append(s.ends, len(s.terms))
	}
}

// scatter puts the tools of a stretch where their terms are.
func (x *index) scatter(s *stretch, rarity []float32) {
	at := 0
	for i, end := range s.ends {
		for ; at < end; at++ {
			t := s.terms[at]
			place := s.places[t]
			x.tools[place], x.worths[place] = int32(s.first+i), s.worths[at]*rarity[t]
			s.places[t] = place + 1
		}
	}
}
