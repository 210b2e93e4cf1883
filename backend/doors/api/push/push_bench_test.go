package push

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// BenchmarkAChangeReachesFiftyClients measures the time from a change until all clients have read the message about it,
// with as many clients as the hub accepts. There are 200 servers with 2,970 tools of a realistic size.
func BenchmarkAChangeReachesFiftyClients(b *testing.B) {
	const servers, tools = 200, 2970
	schema := `{"type":"object","properties":{"text":{"type":"string","description":"` + strings.Repeat("x", 1300) + `"}}}`
	for _, path := range []string{"/ws", "/ws?deltas=changed"} {
		b.Run(path, func(b *testing.B) {
			hub := serve(b, guard.Timeouts{})
			for i := range servers {
				name := fmt.Sprintf("server-%d", i)
				if _, err := hub.servers.Add(b.Context(), registry.Server{Name: name, AlwaysListed: i%20 == 0}); err != nil {
					b.Fatal(err)
				}
				var listed []json.RawMessage
				for n := i * tools / servers; n < (i+1)*tools/servers; n++ {
					listed = append(listed, json.RawMessage(fmt.Sprintf(`{"name":"tool-%d","description":%q,"inputSchema":%s}`, n,
						strings.Repeat("y", 200), schema)))
				}
				if _, err := hub.tools.Replace(b.Context(), name, listed); err != nil {
					b.Fatal(err)
				}
			}
			read := make(chan int64, maxClients)
			for range maxClients {
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
				for range maxClients {
					size = <-read
				}
			}
			b.ReportMetric(float64(size), "bytes/message")
		})
	}
}
