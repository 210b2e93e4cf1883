package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// full simulates a disk without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFilesAreDownloadedWithTheirProgress(t *testing.T) {
	content := bytes.Repeat([]byte("x"), 300_000)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		limit   int64
		want    string
		kind    fault.Kind
	}{
		"whole": {func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}, 300_000, "", 0},
		"unknown size": {func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(content)
		}, 300_000, "", 0},
		"too large": {func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}, 299_999, "so the answer was dropped", fault.Failed},
		"too large without a size": {func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(content)
		}, 299_999, "so the answer was dropped", fault.Failed},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "300000")
			_, _ = w.Write(content[:1000])
		}, 300_000, "before the file was complete", fault.Unavailable},
		"gone": {http.NotFound, 10, "does not have it", fault.NotFound},
		"stalled": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(content[:1000])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, 300_000, "sent nothing for", fault.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			client := New(Options{Source: "the publisher"})
			client.stall = time.Minute
			if name == "stalled" {
				client.stall = 50 * time.Millisecond
			}
			var out bytes.Buffer
			last, size := int64(0), int64(-1)
			err := client.Download(t.Context(), server.URL, c.limit, &out, func(done, total int64) { last, size = done, total })
			switch {
			case c.want != "":
				if err == nil || !strings.Contains(fault.MessageOf(err), c.want) || fault.KindOf(err) != c.kind {
					t.Errorf("got %v", err)
				}
			case err != nil || !bytes.Equal(out.Bytes(), content) || last != 300_000 || size != 300_000 && name == "whole":
				t.Errorf("%d bytes, progress %d of %d, %v", out.Len(), last, size, err)
			}
		})
	}
}

func TestADownloadStaysWhereItIsAllowed(t *testing.T) {
	asked := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer inside.Close()
	port := inside.URL[strings.LastIndexByte(inside.URL, ':'):]
	for _, target := range []string{inside.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port} {
		outside := httptest.NewServer(http.RedirectHandler(target, http.StatusFound))
		defer outside.Close()
		requests := 0
		public := func(_ context.Context, ip netip.Addr) bool { // pretend that the first server has a public address
			requests++
			return requests == 1 || requests == 2 // called for the address in the URL, and for the connection
		}
		err := New(Options{Source: "the publisher", Allow: public}).Download(t.Context(), outside.URL, 10, new(bytes.Buffer),
			func(int64, int64) {})
		if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.MessageOf(err), "on this computer or in its network") || asked {
			t.Errorf("%s: got %v, asked: %t", target, err, asked)
		}
	}
}

func TestADownloadToAFullDiskSaysSo(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }))
	defer server.Close()
	err := New(Options{Source: "the publisher"}).Download(t.Context(), server.URL, 10, full{}, func(int64, int64) {})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(fault.MessageOf(err), "no space left on the disk") {
		t.Errorf("got %v", err)
	}
}
