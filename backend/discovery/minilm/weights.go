package minilm

import (
	_ "embed"
	"encoding/binary"
	"math"
	"unsafe"
)

// weights is written by build/model. It contains the name of the format; the embeddings of words and of positions, each
// as one scale per row followed by the rows; the embedding of the token type; a norm; and the layers, with the fields of
// layer in order. A matrix consists of the fields of matrix in order, its integers with sixteen rows interleaved. Floats
// and other numbers have 32 bits, in little-endian order.
//
// It is a string because the linker places strings in read-only memory, whose
// pages the system can drop and load again.
//
//go:embed weights.bin
var weights string

// form is the name of the format, with which weights begins.
const form = "minilm-l6-int8-2"

// The sizes of the model.
const (
	wordCount  = 30522
	positions  = 256 // of the 512 that the model was trained with
	hidden     = 384
	inner      = 1536
	layerCount = 6
	heads      = 12
	headSize   = hidden / heads
)

// model holds the weights in the form in which they are used. The integer weights are not copied: the slices that hold
// them point into the read-only data of the program.
type model struct {
	words, positions embedding
	tokenType        []float32 // added to the embedding of every token
	norm             norm
	layers           [layerCount]layer
}

// layer is a layer of the transformer, in the order of its steps.
type layer struct {
	attention matrix // queries, keys and values
	mixed     matrix // attention output
	norm      norm
	up, down  matrix // feed-forward network
	last      norm
}

// matrix is a table of rows × columns. Most columns are small integers with a scale for each section of a row. The few
// columns with by far the largest inputs are floats, because rounding their weights would cause the largest errors.
type matrix struct {
	rows, columns int
	exact         [kept]int // indexes of the columns that are floats
	floats        []float32 // the bias and the exact columns, one after the other
	scales        []float32 // one per row, for each section
	values        []int8
}

// kept is the number of columns that a matrix stores as floats. section is the number of consecutive integer columns that
// share one scale in each row.
const (
	kept    = 4
	section = 192
)

// norm is the learned scale and bias of a layer normalisation.
type norm struct{ scale, bias []float32 }

// embedding is a table of vectors of integers. scales holds one little-endian float32 for each vector.
type embedding struct {
	scales []byte
	values []int8
}

// add adds the vector in the row with the given number to the values in the slice to.
func (e embedding) add(to []float32, number int) {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(e.scales[4*number:]))
	for i, value := range e.values[number*hidden:][:hidden] {
		to[i] += float32(scale * float32(value))
	}
}

// readModel reads the embedded weights. It panics if data does not have the format of weights, which would be an
// error in the build.
func readModel(data string) *model {
	r := reader(unsafe.Slice(unsafe.StringData(data), len(data)))
	if string(r.bytes(len(form))) != form {
		panic("minilm: the embedded weights have another format")
	}
	m := &model{words: r.embedding(wordCount), positions: r.embedding(positions), tokenType: r.floats(hidden), norm: r.norm()}
	for i := range m.layers {
		m.layers[i] = layer{
			attention: r.matrix(3*hidden, hidden), mixed: r.matrix(hidden, hidden), norm: r.norm(),
			up: r.matrix(inner, hidden), down: r.matrix(hidden, inner), last: r.norm(),
		}
	}
	if len(r) != 0 {
		panic("minilm: the embedded weights are too long")
	}
	return m
}

// reader is the unread part of the weights.
type reader []byte

func (r *reader) bytes(n int) []byte {
	head := (*r)[:n:n]
	*r = (*r)[n:]
	return head
}

// integers returns the next n bytes without copying them, to save memory.
func (r *reader) integers(n int) []int8 {
	raw := r.bytes(n)
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(raw))), n)
}

func (r *reader) floats(n int) []float32 {
	raw := r.bytes(4 * n)
	values := make([]float32, n)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values
}

func (r *reader) embedding(count int) embedding {
	return embedding{r.bytes(4 * count), r.integers(count * hidden)}
}

func (r *reader) norm() norm { return norm{r.floats(hidden), r.floats(hidden)} }

func (r *reader) matrix(rows, columns int) matrix {
	m := matrix{rows: rows, columns: columns}
	for i := range m.exact {
		m.exact[i] = int(binary.LittleEndian.Uint32(r.bytes(4)))
	}
	m.floats = r.floats((1 + kept) * rows)
	m.scales = r.floats(columns / section * rows)
	m.values = r.integers(rows * columns)
	return m
}
