package search

import (
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// matrix holds the vectors of a snapshot's tools, in the order of the snapshot.
// It is immutable.
type matrix struct {
	of       *embedding.Vectors
	snapshot *catalog.Snapshot
	rows     []embedding.Vector // Values is nil for tools without a vector
	known    int                // number of tools with a vector
}

func newMatrix(snapshot *catalog.Snapshot, vectors *embedding.Vectors) *matrix {
	m := &matrix{of: vectors, snapshot: snapshot}
	if vectors == nil || vectors.Len() == 0 {
		return m
	}
	m.rows = make([]embedding.Vector, len(snapshot.Tools))
	for i, t := range snapshot.Tools {
		if v, ok := vectors.Of(t.Hash); ok {
			m.rows[i] = v
			m.known++
		}
	}
	return m
}

// similarities returns the cosine of each tool's vector with a query's vector,
// noVector for tools without one. It returns nil if the vectors cannot be
// compared.
func (m *matrix) similarities(query []float32) []float32 {
	if m == nil || m.known == 0 || len(query) != m.of.Dimensions() {
		return nil
	}
	rounded := embedding.Round(query)
	out := make([]float32, len(m.rows))
	for i, row := range m.rows {
		if len(row.Values) == 0 {
			out[i] = noVector
			continue
		}
		out[i] = float32(dotProduct(rounded.Values, row.Values)) * rounded.Scale * row.Scale
	}
	return out
}

// noVector stands for the similarity of a tool that has no vector yet.
const noVector = -2
