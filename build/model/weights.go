package main

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The sizes of the model, and how many of its positions are kept.
const (
	words     = 30522
	positions = 256
	hidden    = 384
	inner     = 1536
	layers    = 6
	headSize  = 32
)

// lane is how many rows of a matrix lie side by side.
const lane = 16

// layOut writes the weights as backend/encoder reads them: all floats are of 32 bits, little-endian; see layout there.
func layOut(t tensors) ([]byte, error) {
	w := writer{tensors: t, out: []byte("minilm-l6-int8-1")}
	w.embeddings()
	w.norm("embeddings.LayerNorm")
	for n := range layers {
		w.layer(fmt.Sprintf("encoder.layer.%d.", n))
	}
	return w.out, w.err
}

// writer appends one part of the model after the other; the first error stays.
type writer struct {
	tensors tensors
	out     []byte
	err     error
}

func (w *writer) take(name string, shape ...int) []float32 {
	values, err := w.tensors.take(name, shape...)
	if err != nil && w.err == nil {
		w.err = err
	}
	if err != nil {
		size := 1
		for _, n := range shape {
			size *= n
		}
		return make([]float32, size)
	}
	return values
}

// embeddings writes what a word and a position begin with. There is one kind of token only: its vector goes into the
// positions.
func (w *writer) embeddings() {
	byWord := w.take("embeddings.word_embeddings.weight", words, hidden)
	byPosition := w.take("embeddings.position_embeddings.weight", 512, hidden)[:positions*hidden]
	kind := w.take("embeddings.token_type_embeddings.weight", 2, hidden)[:hidden]
	for i := range byPosition {
		byPosition[i] += kind[i%hidden]
	}
	for _, table := range [][]float32{byWord, byPosition} {
		small := quantise(table, hidden)
		w.floats(small.scales)
		w.bytes(small.values)
	}
}

func (w *writer) layer(name string) {
	attention := name + "attention."
	w.attention(attention + "self.")
	w.matrix(w.dense(attention+"output.dense", hidden, hidden))
	w.norm(attention + "output.LayerNorm")
	w.matrix(w.dense(name+"intermediate.dense", inner, hidden))
	w.matrix(w.dense(name+"output.dense", hidden, inner))
	w.norm(name + "output.LayerNorm")
}

// attention writes queries, keys and values as one matrix. What scores are divided by goes into the queries.
func (w *writer) attention(name string) {
	all := w.dense(name+"query", hidden, hidden)
	for i := range all.scales {
		all.scales[i] *= float32(1 / math.Sqrt(headSize))
		all.bias[i] *= float32(1 / math.Sqrt(headSize))
	}
	for _, part := range []string{"key", "value"} {
		next := w.dense(name+part, hidden, hidden)
		all.values = append(all.values, next.values...)
		all.scales = append(all.scales, next.scales...)
		all.bias = append(all.bias, next.bias...)
	}
	w.matrix(all)
}

// dense is a matrix of small integers with what each of its rows is multiplied by, and what is then added.
type dense struct {
	small
	bias []float32
}

func (w *writer) dense(name string, rows, columns int) dense {
	return dense{quantise(w.take(name+".weight", rows, columns), columns), w.take(name+".bias", rows)}
}

func (w *writer) matrix(m dense) {
	w.floats(m.scales)
	w.floats(m.bias)
	w.bytes(interleave(m.values, m.columns))
}

func (w *writer) norm(name string) {
	w.floats(w.take(name+".weight", hidden))
	w.floats(w.take(name+".bias", hidden))
}

func (w *writer) floats(values []float32) {
	for _, value := range values {
		w.out = binary.LittleEndian.AppendUint32(w.out, math.Float32bits(value))
	}
}

func (w *writer) bytes(values []int8) {
	for _, value := range values {
		w.out = append(w.out, byte(value))
	}
}
