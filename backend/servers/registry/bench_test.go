package registry

import (
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
)

func BenchmarkReads(b *testing.B) {
	m := &memory{rows: make(map[int64]Server)}
	for i := range int64(200) {
		m.rows[i+1] = Server{
			ID: i + 1, Name: fmt.Sprintf("server-%03d", i), Args: []string{"-y", "package"}, Env: map[string]string{"A": "1", "B": "2"},
		}
	}
	r, err := Open(b.Context(), m, &events.Bus{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("List", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.List()
		}
	})
	b.Run("Get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Get("server-100"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
