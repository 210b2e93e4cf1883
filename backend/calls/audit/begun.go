package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	// reserved is how many bytes of the disk the file of a Begun takes in advance, so that calls can be recorded on a full
	// disk.
	reserved = 256 << 10
	// roomy is the size from which the file is shortened while requests are in flight, if what remains fits onePage. The
	// system writes one page in one step, so that a hub that is killed meanwhile loses nothing. From maxBegun on, the file
	// is shortened in any case.
	roomy    = 1 << 20
	onePage  = 4 << 10
	maxBegun = 64 << 20
	// margin is how many zero bytes follow each line that is written. They keep room for the line about overflow, and end
	// the next line if the hub is killed while the system writes it.
	margin = 1 << 10
	// header is the first line of the file.
	header = `{"note":"requests in flight"}` + "\n"
)

// Begun keeps, in a file, the requests that were sent to servers until their entries are stored in the chain. After a
// hub was killed, the file tells which requests it had sent, and how those ended that it had answered.
//
// The file contains a line of JSON for each request that began and one for each that ended, in the order of these
// events. If the disk is full, one more line counts the requests that are missing in the file. A zero byte ends the lines;
// what follows it is left over from earlier. The file is written without waiting for the disk: it survives the end of the
// hub, but not a loss of power.
//
// Begun is safe for concurrent use. All methods accept a nil *Begun, which keeps nothing.
type Begun struct {
	mu   sync.Mutex
	file disk
	end  int64           // offset of the zero byte
	next int64           // number of the next request
	held map[int64]Entry // requests that began, are in the file and are not stored, by number

	missing  map[int64]bool // numbers of the requests that began and are neither in the file nor stored
	gone     int64          // requests that will never be stored, and are in the file until it is shortened
	dropped  int64          // requests that will never be stored, and are not in the file
	since    time.Time      // when the first of the requests in missing, gone and dropped began
	overflow int64          // offset of the line that counts them; 0 if there is none
}

// disk is the file; tests fill it.
type disk interface {
	io.WriterAt
	io.Closer
}

// Leftover is what an earlier hub has left in the file.
type Leftover struct {
	// Requests are those that the hub had sent and perhaps not stored, in the order in which they began. Outcome is empty
	// if the hub did not learn how the request ended. They stay in the file until Stored is called with their numbers,
	// which are their members Seq.
	Requests []Entry
	// Missing is how many requests the hub could neither write to the file nor store, and Since when the first of them
	// began. The file counts them until Noted is called.
	Missing int64
	Since   time.Time
	// Existed reports whether the file existed, and Whole whether it is as a hub leaves it: not shortened, and not
	// overwritten.
	Existed, Whole bool
}

// OpenBegun opens the file, and creates it if it does not exist.
func OpenBegun(path string) (b *Begun, left Leftover, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	left.Existed = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, Leftover{}, fmt.Errorf("open the file of calls in flight: %w", err)
	}
	b = &Begun{file: file, next: 1, held: make(map[int64]Entry), missing: make(map[int64]bool)}
	data, err := io.ReadAll(file)
	if err == nil && len(data) < reserved {
		_, _ = file.WriteAt(make([]byte, reserved-len(data)), int64(len(data))) // if the disk is full already, Begin fails
	}
	if err != nil {
		_ = file.Close()
		return nil, Leftover{}, fmt.Errorf("read the file of calls in flight: %w", err)
	}
	lines, _, ended := bytes.Cut(data, []byte{0})
	lines = lines[:bytes.LastIndexByte(lines, '\n')+1] // the hub may have been killed while it wrote the last line
	left.Whole = ended && bytes.HasPrefix(lines, []byte(header))
	for line := range bytes.Lines(lines) {
		b.read(&left, line)
		b.end += int64(len(line))
	}
	for i, e := range left.Requests {
		left.Requests[i] = b.held[e.Seq]
	}
	left.Missing, left.Since = b.dropped, b.since
	b.shorten() // writes the header of a new file
	return b, left, nil
}

// read adds the request in a line, which begins at b.end, to left, or its outcome to b.held.
func (b *Begun) read(left *Leftover, line []byte) {
	var e Entry
	if json.Unmarshal(line, &e) != nil {
		left.Whole = false // somebody has changed the file
		return
	}
	switch began, known := b.held[e.Seq]; {
	case known:
		began.Outcome, began.Code, began.Micros = e.Outcome, e.Code, e.Micros
		b.held[e.Seq] = began
	case e.Kind != "":
		b.held[e.Seq], b.next = e, max(b.next, e.Seq+1)
		left.Requests = append(left.Requests, e)
	case e.Note == overflowed:
		b.dropped, b.since, b.overflow = e.Count, e.At, b.end
	}
}

// Begin writes that a request is about to be sent. It returns the number of the request for End and Stored, also if it
// fails. The file then counts the request until it is stored.
func (b *Begun) Begin(e Entry) (int64, error) {
	if b == nil {
		return 0, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.Seq, e.At = b.next, stamp(e.At)
	b.next++
	if err := b.write(e); err != nil {
		b.missing[e.Seq], b.since = true, first(b.since, e.At)
		b.count()
		return e.Seq, fmt.Errorf("record a call that begins: %w", err)
	}
	b.held[e.Seq] = e
	return e.Seq, nil
}

// End writes how a request ended, before its answer is given. Of how, only Outcome, Code and Micros are used. A failure
// is not reported, because the request is known to have been sent.
func (b *Begun) End(request int64, how Entry) {
	if b == nil || request == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.held[request]
	if !ok {
		return
	}
	e.Outcome, e.Code, e.Micros = how.Outcome, how.Code, how.Micros
	b.held[request] = e
	_ = b.write(Entry{Seq: request, Outcome: how.Outcome, Code: how.Code, Micros: how.Micros})
}

// Stored forgets requests, because their entries are stored or will never be.
func (b *Begun) Stored(requests ...int64) {
	if b == nil || len(requests) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(requests)
}

// Drop forgets requests whose entries will never be stored. The file counts those that it does not contain until Noted is
// called.
func (b *Begun) Drop(requests ...int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, request := range requests {
		if e, ok := b.held[request]; ok {
			b.gone, b.since = b.gone+1, first(b.since, e.At)
		} else if b.missing[request] {
			b.dropped++
		}
	}
	b.forget(requests)
}

// Noted tells that an entry about all requests that were dropped is stored.
func (b *Begun) Noted() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone, b.dropped = 0, 0
	b.forget(nil)
}

// forget removes requests from those that are to be stored. The caller holds b.mu.
func (b *Begun) forget(requests []int64) {
	for _, request := range requests {
		delete(b.held, request)
		delete(b.missing, request)
	}
	b.shorten()
	b.count()
}

// Close closes the file. It keeps the requests that are not stored.
func (b *Begun) Close() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.file.Close()
}

// write appends a line, if the file has room for the line about overflow after it. The caller holds b.mu.
func (b *Begun) write(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err := b.file.WriteAt(append(line, make([]byte, margin)...), b.end); err != nil {
		_, _ = b.file.WriteAt([]byte{0}, b.end) // fails only if the file has not grown so far
		return err
	}
	b.end += int64(len(line))
	return nil
}

// overflowed is the note in the line that counts the requests that are missing in the file.
const overflowed = "overflow"

// count writes how many requests are missing in the file, into the margin after the last line or over the earlier number.
// If it fails, the next change of the number tries again. The caller holds b.mu.
func (b *Begun) count() {
	n := int64(len(b.missing)) + b.dropped
	if n+b.gone == 0 {
		b.since = time.Time{}
	}
	line := b.counted(n)
	if b.overflow > 0 {
		_, _ = b.file.WriteAt([]byte(line), b.overflow)
		return
	}
	if n == 0 {
		return
	}
	if _, err := b.file.WriteAt([]byte(line+"\x00"), b.end); err == nil {
		b.overflow = b.end
		b.end += int64(len(line))
	}
}

// counted returns the line about n missing requests. It has the same length for each number. The caller holds b.mu.
func (b *Begun) counted(n int64) string {
	return fmt.Sprintf(`{"at":%q,"note":%q,"count":%20d}`+"\n", b.since.UTC().Format("2006-01-02T15:04:05.000Z"), overflowed, n)
}

// shorten writes the header, the number of missing requests, and the requests in held to the start of the file, if that
// is worth it. If it fails, the next call tries again. The caller holds b.mu.
func (b *Begun) shorten() {
	if len(b.held) > 0 && b.end < roomy {
		return
	}
	lines, overflow := []byte(header), int64(0)
	if n := int64(len(b.missing)) + b.dropped + b.gone; n > 0 {
		lines, overflow = append(lines, b.counted(n)...), int64(len(header))
	}
	for _, request := range slices.Sorted(maps.Keys(b.held)) {
		line, _ := json.Marshal(b.held[request]) // Begin has encoded it before
		lines = append(append(lines, line...), '\n')
	}
	if len(lines)+margin > onePage && b.end < maxBegun {
		return
	}
	if _, err := b.file.WriteAt(append(lines, make([]byte, margin)...), 0); err == nil {
		b.end, b.overflow = int64(len(lines)), overflow
		b.dropped, b.gone = b.dropped+b.gone, 0
	}
}

// first returns the earlier of two times; a zero is no time.
func first(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// stamp returns a time with the precision of entries.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
