package minilm

import (
	_ "embed"
	"encoding/binary"
	"math"
	"unsafe"
)

// weights is what build/model wrote, in this order: a name of the form; the embeddings of words and of positions, each
// as one scale a row and then the rows; what every token has; a norm; and the layers, each as in layer. A matrix is written as in matrix, its
// integers with sixteen rows side by side. Floats and other numbers have 32 bits, little-endian.
//
//go:embed weights.bin
var weights []byte

// form is what weights begins with.
const form = "minilm-l6-int8-2"

// The sizes of the model.
const (
	wordCount  = 30522
	positions  = 256 // of 512 that it was trained with
	hidden     = 384
	inner      = 1536
	layerCount = 6
	heads      = 12
	headSize   = hidden / heads
)

// model is the weights, ready for use. Its integers lie in the program's own read-only data.
type model struct {
	words, positions embedding
	every            []float32 // what every token begins with
	norm             norm
	layers           [layerCount]layer
}

// layer is one layer of the transformer, in the order of its steps.
type layer struct {
	attention matrix // queries, keys and values
	mixed     matrix
	norm      norm
	up, down  matrix
	last      norm
}

// matrix is a table of rows × columns. Nearly all are small integers with a scale for each section of a row; the few
// columns whose inputs are by far the largest are floats, for there a rounded weight would do the most harm.
type matrix struct {
	rows, columns int
	exact         [kept]int // the columns that are floats
	floats        []float32 // the bias, and then these columns
	scales        []float32 // rows for each section
	values        []int8
}

// kept is how many columns of a matrix are floats, and section how many of the others share a scale.
const (
	kept    = 4
	section = 192
)

// norm is what a vector is multiplied by and what is added, once its mean is 0 and its variance 1.
type norm struct{ scale, bias []float32 }

// embedding is a table of vectors, each of integers and one scale, still as bytes.
type embedding struct {
	scales []byte
	values []int8
}

// add adds the vector with that number to the sum.
func (e embedding) add(to []float32, number int) {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(e.scales[4*number:]))
	for i, value := range e.values[number*hidden:][:hidden] {
		to[i] += float32(scale * float32(value))
	}
}

// readModel reads what build/model wrote. That other bytes are embedded is a fault of the build: it panics.
func readModel(data []byte) *model {
	r := reader(data)
	if string(r.bytes(len(form))) != form {
		panic("encoder: the weights are of another form")
	}
	m := &model{words: r.embedding(wordCount), positions: r.embedding(positions), every: r.floats(hidden), norm: r.norm()}
	for i := range m.layers {
		m.layers[i] = layer{
			attention: r.matrix(3*hidden, hidden), mixed: r.matrix(hidden, hidden), norm: r.norm(),
			up: r.matrix(inner, hidden), down: r.matrix(hidden, inner), last: r.norm(),
		}
	}
	if len(r) != 0 {
		panic("encoder: the weights are longer than the model")
	}
	return m
}

// reader is the part of the weights that is still to be read.
type reader []byte

func (r *reader) bytes(n int) []byte {
	head := (*r)[:n:n]
	*r = (*r)[n:]
	return head
}

// integers are the next n bytes as they lie there: a copy would take memory twice.
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
