package search

import (
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// matrix holds the vectors of a snapshot's tools, in their order. It is
// immutable.
type matrix struct {
	of       *embedding.Vectors
	snapshot *catalog.Snapshot
	rows     []embedding.Vector // without values where a tool has none yet
	known    int                // rows that have values
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

// nearness returns the cosine of each tool's vector with a query's, and
// unknown where a tool has none.
func (m *matrix) nearness(query []float32) []float32 {
	if m == nil || m.known == 0 || len(query) != m.of.Dimensions() {
		return nil
	}
	rounded := embedding.Round(query)
	out := make([]float32, len(m.rows))
	for i, row := range m.rows {
		if len(row.Values) == 0 {
			out[i] = unknown
			continue
		}
		out[i] = float32(dotProduct(rounded.Values, row.Values)) * rounded.Scale * row.Scale
	}
	return out
}

// unknown stands for the nearness of a tool that has no vector yet.
const unknown = -2
