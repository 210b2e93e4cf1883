package embedding

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
)

// Vector is a direction, rounded: Values[i]*Scale is its i-th number. Before
// rounding its length was 1; that of nothing has the scale 0. Values belong to
// who gave the vector and are not to be changed.
type Vector struct {
	Scale  float32
	Values []int8
}

// Round returns a vector of which no number is off by more than half a scale.
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

// Vectors are the vectors of the known tools at one moment. They are
// immutable.
type Vectors struct {
	model      string
	dimensions int
	at         map[key]int32
	scales     []float32
	values     []int8 // all of them in one piece
}

// key is a tool's hash in half the room of its text.
type key [sha256.Size]byte

func keyOf(hash string) (k key) {
	if len(hash) == hex.EncodedLen(len(k)) {
		if _, err := hex.Decode(k[:], []byte(hash)); err == nil {
			return k
		}
	}
	return sha256.Sum256([]byte(hash))
}

// Model tells which model and which words of a tool the vectors are of: those
// of two models have nothing to do with each other. It is empty when tools are
// found by their words alone.
func (v *Vectors) Model() string { return v.model }

// Dimensions is how many numbers each vector has; 0 while that is not known.
func (v *Vectors) Dimensions() int { return v.dimensions }

// Len is how many vectors there are.
func (v *Vectors) Len() int { return len(v.scales) }

// Of returns the vector of the tool with a catalog.Tool.Hash.
func (v *Vectors) Of(hash string) (Vector, bool) {
	i, ok := v.at[keyOf(hash)]
	if !ok {
		return Vector{}, false
	}
	from, to := int(i)*v.dimensions, int(i+1)*v.dimensions
	return Vector{v.scales[i], v.values[from:to:to]}, true
}

// builder makes vectors. Those that it gave away stay as they were: what comes
// later lies behind what they see.
type builder struct {
	Vectors
	room  int  // vectors that will be there in the end
	given bool // somebody else has the map, too
}

func newBuilder(model string, dimensions, room int) *builder {
	return &builder{Vectors{model: model, dimensions: dimensions, at: make(map[key]int32, room)}, room, false}
}

// add takes a vector over, unless it has another number of dimensions than the
// first or is there.
func (b *builder) add(k key, scale float32, values []int8) bool {
	if b.dimensions == 0 {
		b.dimensions = len(values)
	}
	if _, known := b.at[k]; known || len(values) != b.dimensions || len(values) == 0 {
		return false
	}
	if b.values == nil {
		b.scales, b.values = make([]float32, 0, b.room), make([]int8, 0, b.room*b.dimensions)
	}
	if b.given {
		b.at, b.given = maps.Clone(b.at), false
	}
	b.at[k] = int32(len(b.scales))
	b.scales, b.values = append(b.scales, scale), append(b.values, values...)
	return true
}

// snapshot returns what is there now.
func (b *builder) snapshot() *Vectors {
	b.given = true
	v := b.Vectors
	return &v
}
