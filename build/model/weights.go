package main

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The sizes of the model. Of its 512 positions, 256 are used.
const (
	words     = 30522
	positions = 256
	hidden    = 384
	inner     = 1536
	layers    = 6
	headSize  = 32
)

// form is the name of the format, with which the file of weights begins.
const form = "minilm-l6-int8-2"

// lane is the number of rows that interleave groups.
const lane = 16

// layOut encodes the weights in the form that backend/discovery/minilm reads; see the variable weights there.
func layOut(t tensors) ([]byte, error) {
	w := writer{tensors: t, out: []byte(form)}
	w.embeddings()
	w.norm("embeddings.LayerNorm")
	for n := range layers {
		w.layer(fmt.Sprintf("encoder.layer.%d.", n))
	}
	return w.out, w.err
}

// writer appends the parts of the model. It keeps the first error.
type writer struct {
	tensors  tensors
	out      []byte
	matrices int // number of matrices written
	err      error
}

// take returns a tensor of the source, or zeros after an error.
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

// embeddings writes the embeddings of words, of positions and of the only token type in use.
func (w *writer) embeddings() {
	byWord := w.take("embeddings.word_embeddings.weight", words, hidden)
	byPosition := w.take("embeddings.position_embeddings.weight", 512, hidden)[:positions*hidden]
	for _, table := range [][]float32{byWord, byPosition} {
		small := quantise(table, hidden)
		w.floats(small.scales)
		w.bytes(small.values)
	}
	w.floats(w.take("embeddings.token_type_embeddings.weight", 2, hidden)[:hidden])
}

// layer writes a layer of the transformer.
func (w *writer) layer(name string) {
	attention := name + "attention."
	w.attention(attention + "self.")
	w.matrix(w.dense(attention+"output.dense", hidden, hidden))
	w.norm(attention + "output.LayerNorm")
	w.matrix(w.dense(name+"intermediate.dense", inner, hidden))
	w.matrix(w.dense(name+"output.dense", hidden, inner))
	w.norm(name + "output.LayerNorm")
}

// attention writes queries, keys and values as one matrix. The queries are divided by the square root of the head size,
// so that minilm need not divide each score by it.
func (w *writer) attention(name string) {
	all := w.dense(name+"query", hidden, hidden)
	for i := range all.values {
		all.values[i] /= float32(math.Sqrt(headSize))
	}
	for i := range all.bias {
		all.bias[i] /= float32(math.Sqrt(headSize))
	}
	for _, part := range []string{"key", "value"} {
		next := w.dense(name+part, hidden, hidden)
		all.values = append(all.values, next.values...)
		all.bias = append(all.bias, next.bias...)
	}
	w.matrix(all)
}

// dense is a matrix in row order and its bias.
type dense struct {
	columns      int
	values, bias []float32
}

// dense reads a matrix and its bias.
func (w *writer) dense(name string, rows, columns int) dense {
	return dense{columns, w.take(name+".weight", rows, columns), w.take(name+".bias", rows)}
}

// matrix writes the next matrix: the indexes of the exact columns; the bias and the exact columns; the scales of the
// other columns, with one row per section; and the integers.
func (w *writer) matrix(m dense) {
	kept := exact[w.matrices]
	w.matrices++
	for _, column := range kept {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(column))
	}
	w.floats(m.bias)
	for _, column := range kept {
		w.floats(m.cut(column))
	}
	small := quantise(m.values, section)
	w.floats(transpose(small.scales, m.columns/section))
	w.bytes(interleave(small.values, m.columns))
}

// cut returns a column and sets it to zero in the matrix.
func (m dense) cut(column int) []float32 {
	values := make([]float32, len(m.bias))
	for row := range values {
		at := &m.values[row*m.columns+column]
		values[row], *at = *at, 0
	}
	return values
}

// norm writes the scale and the bias of a layer normalisation.
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
