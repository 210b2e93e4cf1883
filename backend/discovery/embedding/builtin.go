package embedding

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// builtin is the provider that runs the encoder inside the hub.
type builtin struct {
	encoder Encoder
	threads int
	idle    time.Duration // unused time after which the encoder's memory is released; 0: never
	clock   Clock

	using  sync.RWMutex  // read-locked while encoding, locked while releasing
	loaded atomic.Bool   // the encoder holds memory
	last   atomic.Int64  // Unix time of the last use, in nanoseconds
	used   chan struct{} // contains a value after a use, until run receives it
}

func (b *builtin) batch() int { return b.threads }

// embed encodes all texts concurrently, each in a goroutine of its own.
func (b *builtin) embed(ctx context.Context, texts []string, tokens int) ([][]float32, error) {
	b.using.RLock()
	defer b.using.RUnlock()
	b.loaded.Store(true)
	vectors := make([][]float32, len(texts))
	var workers sync.WaitGroup
	for i, text := range texts[1:] {
		workers.Go(func() { vectors[i+1] = b.encoder.Encode(text, tokens) })
	}
	vectors[0] = b.encoder.Encode(texts[0], tokens)
	workers.Wait()
	b.last.Store(b.clock.Now().UnixNano())
	select {
	case b.used <- struct{}{}:
	default:
	}
	return vectors, ctx.Err()
}

// run releases the encoder's memory after b.idle without use, and when ctx
// ends.
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
		for left := b.untilIdle(); left > 0; left = b.untilIdle() {
			unused, stop := b.clock.After(left)
			select {
			case <-ctx.Done():
				stop()
				return
			case <-unused:
			}
		}
		b.release()
	}
}

// untilIdle returns the time until the encoder has been unused for b.idle; 0 or less
// if that time has passed.
func (b *builtin) untilIdle() time.Duration {
	return b.idle - b.clock.Now().Sub(time.Unix(0, b.last.Load()))
}

func (b *builtin) release() {
	b.using.Lock()
	defer b.using.Unlock()
	if b.loaded.Swap(false) {
		b.encoder.Release()
	}
}
