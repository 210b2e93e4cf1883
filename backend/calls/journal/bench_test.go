package journal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// BenchmarkRecord measures Record, for which a call waits, and finish, which
// runs later.
func BenchmarkRecord(b *testing.B) {
	at := time.Now()
	args := json.RawMessage(`{"path":"/home/user/project/main.go","limit":20}`)
	for name, size := range map[string]int{"small": 200, "large": 200 << 10} {
		result := json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("line of text\\n", size/14) + `"}]}`)
		j := open(b, &memory{})
		b.Run("path/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.Record(Record{At: at, Server: "s", Tool: "t", Outcome: OK}, args, result, nil)
				j.pending.Release((<-j.queue).pending)
			}
		})
		b.Run("batch/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.finish(entry{record: Record{Server: "s", Args: string(args), Outcome: OK}, result: result})
			}
		})
	}
}
