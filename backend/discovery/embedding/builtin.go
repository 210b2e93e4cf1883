package embedding

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// builtin is the encoder inside the hub.
type builtin struct {
	encoder Encoder
	threads int
	idle    time.Duration // after which it gives its memory back; 0: never
	clock   Clock

	using  sync.RWMutex // taken whole by who releases
	loaded atomic.Bool
	last   atomic.Int64  // when it was used, in ns
	used   chan struct{} // has a token when it was
}

func newBuiltin(e Encoder, threads int, idle time.Duration, clock Clock) *builtin {
	return &builtin{encoder: e, threads: max(threads, 1), idle: idle, clock: clock, used: make(chan struct{}, 1)}
}

func (b *builtin) batch() int { return b.threads }

// embed has a core for each text.
func (b *builtin) embed(ctx context.Context, texts []string, tokens int) ([][]float32, error) {
	b.using.RLock()
	defer b.using.RUnlock()
	b.loaded.Store(true)
	vectors := make([][]float32, len(texts))
	var others sync.WaitGroup
	for i, text := range texts[1:] {
		others.Go(func() { vectors[i+1] = b.encoder.Encode(text, tokens) })
	}
	vectors[0] = b.encoder.Encode(texts[0], tokens)
	others.Wait()
	b.last.Store(b.clock.Now().UnixNano())
	select {
	case b.used <- struct{}{}:
	default:
	}
	return vectors, ctx.Err()
}

// run gives the encoder's memory back when nobody uses it.
func (b *builtin) run(ctx context.Context) {
	defer b.release()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.used:
		}
		if b.idle == 0 {
			continue
		}
		for left := b.left(); left > 0; left = b.left() {
			select {
			case <-ctx.Done():
				return
			case <-b.clock.After(left):
			}
		}
		b.release()
	}
}

// left is how long the memory is kept from now, if nobody uses it.
func (b *builtin) left() time.Duration {
	return b.idle - b.clock.Now().Sub(time.Unix(0, b.last.Load()))
}

func (b *builtin) release() {
	b.using.Lock()
	defer b.using.Unlock()
	if b.loaded.Swap(false) {
		b.encoder.Release()
	}
}
