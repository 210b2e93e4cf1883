package api

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// BenchmarkAChangeReachesFiftyClients measures from a change until the last of
// as many clients as there may be has read its message, with 200 servers that
// list 2,970 tools of the size that published servers list.
func BenchmarkAChangeReachesFiftyClients(b *testing.B) {
	const servers, tools = 200, 2970
	schema := `{"type":"object","properties":{"text":{"type":"string","description":"` + strings.Repeat("x", 1300) + `"}}}`
	for _, path := range []string{"/ws", "/ws?deltas=changed"} {
		b.Run(path, func(b *testing.B) {
			hub := serve(b, Times{})
			for i := range servers {
				name := fmt.Sprintf("server-%d", i)
				if _, err := hub.servers.Add(b.Context(), registry.Server{Name: name, Enabled: i%20 == 0}); err != nil {
					b.Fatal(err)
				}
				var listed []json.RawMessage
				for n := i * tools / servers; n < (i+1)*tools/servers; n++ {
					listed = append(listed, json.RawMessage(fmt.Sprintf(`{"name":"tool-%d","description":%q,"inputSchema":%s}`, n, strings.Repeat("y", 200), schema)))
				}
				if _, err := hub.tools.Replace(b.Context(), name, listed); err != nil {
					b.Fatal(err)
				}
			}
			read := make(chan int64, maxSockets)
			for range maxSockets {
				conn := hub.connect(path, &websocket.DialOptions{})
				go func() {
					for {
						_, r, err := conn.Reader(b.Context())
						if err != nil {
							return
						}
						size, _ := io.Copy(io.Discard, r)
						read <- size
					}
				}()
			}
			var size int64
			for b.Loop() {
				_, err := hub.servers.Update(b.Context(), "server-7", func(s *registry.Server) { s.Description += "z" })
				if err != nil {
					b.Fatal(err)
				}
				for range maxSockets {
					size = <-read
				}
			}
			b.ReportMetric(float64(size), "bytes/message")
		})
	}
}
