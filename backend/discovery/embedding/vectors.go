package embedding

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
)

// Vector is a vector of length 1 in a rounded form: number i is
// Values[i]*Scale. A vector of zeros has the scale 0. Values must not be
// modified.
type Vector struct {
	Scale  float32
	Values []int8
}

// Round rounds a vector such that no number changes by more than half of Scale.
func Round(exact []float32) Vector {
	most := float32(0)
	for _, n := range exact {
		most = max(most, n, -n)
	}
	v := Vector{Scale: most / math.MaxInt8, Values: make([]int8, len(exact))}
	if v.Scale == 0 {
		return v
	}
	for i, n := range exact {
		v.Values[i] = int8(math.Round(float64(n / v.Scale)))
	}
	return v
}

// Vectors is an immutable snapshot of the vectors of the tools.
type Vectors struct {
	model      string
	dimensions int
	at         map[key]int32
	scales     []float32
	values     []int8 // values of all vectors, one vector after the other
}

// key is a tool's hash in binary form, which takes half the memory of the
// hexadecimal form.
type key [sha256.Size]byte

func keyOf(hash string) (k key) {
	if len(hash) == hex.EncodedLen(len(k)) {
		if _, err := hex.Decode(k[:], []byte(hash)); err == nil {
			return k
		}
	}
	return sha256.Sum256([]byte(hash))
}

// Model returns an identifier of the model of the vectors and of the form of the
// embedded texts; it is empty with the provider "none". Vectors with different
// identifiers cannot be compared.
func (v *Vectors) Model() string { return v.model }

// Dimensions returns the number of values in each vector; 0 while it is
// unknown.
func (v *Vectors) Dimensions() int { return v.dimensions }

// Len returns the number of vectors.
func (v *Vectors) Len() int { return len(v.scales) }

// Of returns the vector of the tool with that catalog.Tool.Hash, and whether it
// exists.
func (v *Vectors) Of(hash string) (Vector, bool) {
	i, ok := v.at[keyOf(hash)]
	if !ok {
		return Vector{}, false
	}
	from, to := int(i)*v.dimensions, int(i+1)*v.dimensions
	return Vector{v.scales[i], v.values[from:to:to]}, true
}

// builder collects vectors and returns snapshots of them. Its slices are only
// appended to, so that earlier snapshots stay as they are.
type builder struct {
	Vectors
	capacity int  // expected number of vectors
	shared   bool // a snapshot shares the map: clone it before the next change
}

func newBuilder(model string, dimensions, capacity int) *builder {
	return &builder{Vectors{model: model, dimensions: dimensions, at: make(map[key]int32, capacity)}, capacity, false}
}

// add copies a vector into the builder. It returns false for a key that has a
// vector already and for a vector that is empty or has other dimensions than the
// first one.
func (b *builder) add(k key, scale float32, values []int8) bool {
	if b.dimensions == 0 {
		b.dimensions = len(values)
	}
	if _, known := b.at[k]; known || len(values) != b.dimensions || len(values) == 0 {
		return false
	}
	if b.values == nil {
		b.scales, b.values = make([]float32, 0, b.capacity), make([]int8, 0, b.capacity*b.dimensions)
	}
	if b.shared {
		b.at, b.shared = maps.Clone(b.at), false
	}
	b.at[k] = int32(len(b.scales))
	b.scales, b.values = append(b.scales, scale), append(b.values, values...)
	return true
}

// snapshot returns the vectors added so far.
func (b *builder) snapshot() *Vectors {
	b.shared = true
	v := b.Vectors
	return &v
}
