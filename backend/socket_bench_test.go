package backend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend"
	"github.com/agent-discover/agent-discover/backend/catalog"
	"github.com/agent-discover/agent-discover/backend/paths"
	"github.com/agent-discover/agent-discover/backend/registry"
	"github.com/agent-discover/agent-discover/backend/store"
)

func TestXPush(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	folder.Create()
	st, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("/work/shared/catalog/*.json")
	n := 0
	for i, f := range files {
		data, _ := os.ReadFile(f)
		var d struct{ Tools []json.RawMessage }
		json.Unmarshal(data, &d)
		name := fmt.Sprintf("s%d", i)
		v := registry.Server{Name: name, Transport: "stdio", Command: "x", Installed: true, Approved: true, Enabled: i%20 == 0, Health: registry.Health{Status: "unknown"}}
		if _, err := st.InsertServer(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		var tools []*catalog.Tool
		for _, raw := range d.Tools {
			tool, ok := catalog.NewTool(name, raw)
			if ok {
				n++
				tool.ID = int64(n)
				tool.Tokens = 1
				tools = append(tools, tool)
			}
		}
		if err := st.ReplaceTools(t.Context(), name, tools); err != nil {
			t.Fatal(err)
		}
	}
	for i := len(files); i < 200; i++ {
		st.InsertServer(t.Context(), registry.Server{Name: fmt.Sprintf("s%d", i), Transport: "stdio", Command: "x", Health: registry.Health{Status: "unknown"}})
	}
	st.Close()
	for _, q := range []string{"/ws?deltas=changed", "/ws"} {
		hub, ended := runHub(t, backend.Options{Folder: folder})
		const clients = 50
		got := make(chan time.Time, 10000)
		size := make(chan int64, 10000)
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for range clients {
			conn, _, err := websocket.Dial(ctx, "ws://"+hub.Info().Address()+q, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + hub.Info().Token}}})
			if err != nil {
				t.Fatal(err)
			}
			conn.SetReadLimit(-1)
			wg.Go(func() {
				defer conn.CloseNow()
				buf := make([]byte, 256<<10)
				for {
					_, r, err := conn.Reader(ctx)
					if err != nil {
						return
					}
					n, _ := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buf)
					got <- time.Now()
					size <- n
				}
			})
		}
		for range clients {
			<-got
		}
		t.Log(q, "first", <-size)
		for len(size) > 0 {
			<-size
		}
		for round := range 4 {
			began := time.Now()
			do(t, hub, "PUT", "/api/servers/7", map[string]any{"description": strings.Repeat("x", round+1)}, nil)
			put := time.Since(began)
			var last time.Time
			for range clients {
				last = <-got
			}
			t.Log(q, "round", round, "put", put, "all", last.Sub(began), "bytes", <-size)
			for len(size) > 0 {
				<-size
			}
		}
		cancel()
		wg.Wait()
		hub.Stop()
		<-ended
	}
}
