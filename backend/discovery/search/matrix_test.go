package search

import (
	"math"
	"testing"

	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

func TestSimilarityIsTheCosine(t *testing.T) {
	c := newCatalog(t, office)
	vectors := vectorsOf(t, c, measuredModel, senseEncoder{})
	m := newMatrix(c.Snapshot(), vectors)
	query := senseEncoder{}.Encode("post a message about the branch", 0)
	near := m.similarities(query)
	for i, tool := range c.Snapshot().Tools {
		v, _ := vectors.Of(tool.Hash)
		want := 0.0
		for j, n := range v.Values {
			want += float64(n) * float64(v.Scale) * float64(query[j])
		}
		if math.Abs(want-float64(near[i])) > 0.01 {
			t.Errorf("%s: %f, want %f", tool.Name, near[i], want)
		}
	}
}

func TestToolsWithoutAVectorHaveNoSimilarity(t *testing.T) {
	c := newCatalog(t, office)
	some := officeWith(nil)
	delete(some, "mail")
	m := newMatrix(c.Snapshot(), vectorsOf(t, newCatalog(t, some), measuredModel, senseEncoder{}))
	near := m.similarities(senseEncoder{}.Encode("mail", 0))
	for i, tool := range c.Snapshot().Tools {
		if (near[i] == noVector) != (tool.Server == "mail") || near[i] != noVector && (near[i] < -1.01 || near[i] > 1.01) {
			t.Errorf("%s has the similarity %f", tool.Proxied(), near[i])
		}
	}
}

func TestAZeroVectorHasSimilarityZero(t *testing.T) {
	if v := embedding.Round(make([]float32, dimensions)); v.Scale != 0 {
		t.Fatalf("zeros are rounded to %+v", v)
	}
	c := newCatalog(t, office)
	near := newMatrix(c.Snapshot(), vectorsOf(t, c, measuredModel, senseEncoder{})).similarities(make([]float32, dimensions))
	for _, n := range near {
		if n != 0 {
			t.Errorf("got %f, want 0", n)
		}
	}
}
