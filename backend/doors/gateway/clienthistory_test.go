package gateway

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"
)

// memoryClients is a ClientStore in memory.
type memoryClients struct {
	mu     sync.Mutex
	kept   []SeenClient
	broken bool          // all operations fail
	wrote  chan struct{} // receives a value after each stored client
}

func (m *memoryClients) Clients(context.Context) ([]SeenClient, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return nil, errors.New("disk gone")
	}
	return slices.Clone(m.kept), nil
}

func (m *memoryClients) KeepClient(ctx context.Context, c SeenClient) error {
	m.mu.Lock()
	defer func() { m.mu.Unlock(); m.wrote <- struct{}{} }()
	if m.broken || ctx.Err() != nil {
		return errors.Join(errors.New("disk gone"), ctx.Err())
	}
	m.kept = append(m.kept, c)
	return nil
}

func newHistory() (*ClientHistory, *memoryClients) {
	m := &memoryClients{wrote: make(chan struct{}, 10)}
	return NewClientHistory(m, slog.New(slog.DiscardHandler)), m
}

func named(name string) observe {
	return func() (SeenClient, bool) { return SeenClient{Name: name}, true }
}

func TestNotedClientsAreStoredInTheBackground(t *testing.T) {
	h, m := newHistory()
	h.note("1", named("before")) // note must not block before Run is running
	h.note("1", named("again"))
	h.note("2", func() (SeenClient, bool) { return SeenClient{}, false })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	<-m.wrote
	m.mu.Lock()
	m.broken = true
	m.mu.Unlock()
	h.note("3", named("lost"))
	<-m.wrote
	m.mu.Lock()
	m.broken = false
	m.mu.Unlock()
	h.note("4", named("after a failure"))
	<-m.wrote
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(m.kept) != 2 || m.kept[0].Name != "again" || m.kept[1].Name != "after a failure" {
		t.Errorf("stored: %+v", m.kept)
	}
}

func TestRunStoresTheLastClientsBeforeItReturns(t *testing.T) {
	h, m := newHistory()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.note("1", named("late"))
	if err := h.Run(ctx); err != nil || len(m.kept) != 1 {
		t.Errorf("stored: %+v, %v", m.kept, err)
	}
}

func TestTheSessionWithTheLongestListCounts(t *testing.T) {
	h, m := newHistory()
	at := time.Unix(1790000000, 0)
	m.kept = []SeenClient{
		{Name: "zed", Version: "1", First: at, Last: at, Listed: 9999, Whole: 9999},
		{Name: "gone", Version: "2", First: at, Last: at, Listed: 5, Whole: 50},
	}
	now := at.Add(time.Hour)
	for _, order := range [][]int{{100, 700, 300}, {700, 300, 100}} {
		var connected []SeenClient
		for i, listed := range order {
			connected = append(connected, SeenClient{
				Name: "zed", Version: string(rune('a' + i)), First: now, Last: now, Listed: listed, Whole: 5000,
			})
		}
		got, err := h.with(t.Context(), connected)
		slices.SortFunc(got, func(a, b KnownClient) int { return a.Listed - b.Listed })
		version := string(rune('a' + slices.Index(order, 700)))
		want := []KnownClient{{m.kept[1], false}, {SeenClient{"zed", version, at, now, 700, 5000}, true}}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
	}
	m.broken = true
	if _, err := h.with(t.Context(), nil); err == nil {
		t.Error("no error although the store failed")
	}
}
