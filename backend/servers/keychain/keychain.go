// Package keychain keeps values in the operating system's keychain. No operation blocks
// its caller for long, and the keychain's state is checked without prompting the user.
package keychain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	// service is the service name of all entries that this program has in the
	// keychain.
	service = "agent-discover"
	// abandonAfter is how long an operation may wait for the user to answer the
	// keychain's prompt. Then it is aborted.
	abandonAfter = 2 * time.Minute
	// checkTimeout limits a check of the keychain's state, and quickCheckTimeout the check before a hung operation is
	// aborted.
	checkTimeout      = 2 * time.Second
	quickCheckTimeout = 250 * time.Millisecond
)

// MaxValue is the maximum length of a value, in bytes: on macOS, the account and the
// encoded value may have 3,000 bytes together.
const MaxValue = 3 << 9

// ErrMissing is returned for an account that has no value.
var ErrMissing = errors.New("no such value")

// ErrBlocked is returned while a keychain operation hangs, usually because of a
// prompt.
var ErrBlocked = fault.New(fault.Unavailable, "the keychain is locked or waits for you: unlock it, or answer what it asks, and try again")

// Keychain stores values in the operating system's keychain.
// The library for the keychain has no timeouts. So each operation runs in a
// goroutine of its own, one at a time, and while an operation hangs, further
// calls fail immediately.
//
// Entries have the service "agent-discover" and the account
// FOLDER/SERVER/NAME. FOLDER is a hash of the data folder's path, so that two
// data folders never share a value. The name of a server contains no slash, so
// everything after the second slash is the secret's name.
type Keychain struct {
	folder   string        // first part of every account
	off      bool          // disabled by the user
	deadline time.Duration // how long a caller waits for an operation
	backend  backend
	gate     chan struct{} // holds a token while an operation runs
	checking sync.Mutex    // held while a caller checks whether to abort a hung operation

	mu     sync.Mutex
	serial int           // number of the running operation; changed when the operation ends
	conn   io.Closer     // connection of the operation; nil if it cannot be aborted
	closed chan struct{} // closed after the connection of an aborted operation was closed; nil if it was not aborted
	hung   chan struct{} // closed while the operation is past its deadline
}

// backend is the part of keychain access that differs between operating systems.
type backend struct {
	// connect returns the connection that the next operation uses. Closing the
	// connection aborts the operation. The connection is nil on systems where
	// operations cannot be aborted. The error is a fault if there is no
	// keychain.
	connect func() (io.Closer, error)
	// check reports whether the keychain is locked. It must not make the
	// keychain prompt the user.
	check func(context.Context) (locked bool, err error)
	// accounts returns the accounts of all entries of this program, also those of other data folders. It must not make
	// the keychain prompt the user. It is nil on systems whose keychain cannot be listed.
	accounts func(context.Context) ([]string, error)
}

// New returns the keychain of a data folder. deadline limits one operation; 0 means 8 seconds. If off is set, all
// operations fail with the error that the keychain is switched off.
func New(folder string, off bool, deadline time.Duration) *Keychain {
	if deadline <= 0 {
		deadline = 8 * time.Second
	}
	return &Keychain{
		folder: folderID(folder), off: off, deadline: deadline, backend: systemBackend(),
		gate: make(chan struct{}, 1), hung: make(chan struct{}),
	}
}

// folderID returns a short hash of the path of a data folder.
func folderID(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		folder = strings.ToLower(folder) // the file systems of these systems ignore case
	}
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:6])
}

// Get returns the value of an account.
func (k *Keychain) Get(ctx context.Context, account string) (value string, err error) {
	answer := make(chan string, 1)
	err = k.do(ctx, func() error {
		value, err := keyring.Get(service, k.folder+"/"+account)
		answer <- value
		return err
	})
	if err != nil {
		return "", err
	}
	return <-answer, nil
}

// Set stores the value of an account.
func (k *Keychain) Set(ctx context.Context, account, value string) error {
	return k.do(ctx, func() error { return keyring.Set(service, k.folder+"/"+account, value) })
}

// Delete removes the value of an account. It is not an error if the account has no value.
func (k *Keychain) Delete(ctx context.Context, account string) error {
	err := k.do(ctx, func() error { return keyring.Delete(service, k.folder+"/"+account) })
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Accounts returns the accounts of the data folder that have values, sorted, also those that no database knows any more.
func (k *Keychain) Accounts(ctx context.Context) ([]string, error) {
	if _, err := k.Check(ctx); err != nil {
		return nil, err
	}
	if k.backend.accounts == nil {
		return nil, fault.New(fault.Unavailable, "the keychain of this system cannot be listed")
	}
	ctx, cancel := context.WithTimeout(ctx, k.deadline)
	defer cancel()
	all, err := k.backend.accounts(ctx)
	var own []string
	for _, account := range all {
		if name, is := strings.CutPrefix(account, k.folder+"/"); is {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	return own, err
}

// Check reports whether the keychain is locked. The error is a fault with the
// reason why the keychain cannot be used.
func (k *Keychain) Check(ctx context.Context) (locked bool, err error) {
	if k.off {
		return false, fault.New(fault.Unavailable, "the keychain is switched off by AGENT_DISCOVER_KEYCHAIN")
	}
	if k.isHung() && !k.tryAbandon(ctx) {
		return true, ErrBlocked
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return k.backend.check(ctx)
}

// do runs one operation and waits for its end, at most until the deadline.
func (k *Keychain) do(ctx context.Context, operation func() error) error {
	if k.off {
		_, err := k.Check(ctx) // returns the error that the keychain is switched off
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, k.deadline)
	defer cancel()
	if err := k.enter(ctx); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- k.run(operation) }()
	select {
	case err := <-done:
		return translate(err)
	case <-ctx.Done():
		return ErrBlocked
	}
}

// enter waits until no other operation is running. If the running one hangs and
// cannot be aborted, enter returns ErrBlocked at once.
func (k *Keychain) enter(ctx context.Context) error {
	k.mu.Lock()
	hung := k.hung
	k.mu.Unlock()
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ErrBlocked
	case <-hung:
	}
	if !k.tryAbandon(ctx) {
		return ErrBlocked
	}
	select {
	case k.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ErrBlocked
	}
}

// isHung reports whether an operation is past its deadline.
func (k *Keychain) isHung() bool {
	_, hung := k.running()
	return hung
}

// running returns the number of the current operation and whether it is past its
// deadline.
func (k *Keychain) running() (serial int, hung bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.hung:
		return k.serial, true
	default:
		return k.serial, false
	}
}

// tryAbandon aborts a hung operation if the keychain is unlocked: the prompt
// for which it waits may be gone, and a new operation would succeed. It returns
// true if no operation hangs any more. Only one caller at a time checks the
// keychain; for other callers tryAbandon returns false.
func (k *Keychain) tryAbandon(ctx context.Context) bool {
	if !k.checking.TryLock() {
		return false
	}
	defer k.checking.Unlock()
	serial, hung := k.running()
	if !hung {
		return true // the hung operation has ended meanwhile; an operation that began after it must not be aborted
	}
	ctx, cancel := context.WithTimeout(ctx, quickCheckTimeout)
	defer cancel()
	if locked, err := k.backend.check(ctx); err != nil || locked {
		return false
	}
	return k.abandon(serial)
}

// run runs an operation to its end, which may come long after the caller has
// stopped waiting.
func (k *Keychain) run(operation func() error) error {
	k.mu.Lock()
	k.serial++
	serial := k.serial
	k.mu.Unlock()
	late := time.AfterFunc(k.deadline, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.serial == serial {
			close(k.hung)
		}
	})
	lost := time.AfterFunc(abandonAfter, func() { k.abandon(serial) })
	err := k.runSafely(operation)
	late.Stop()
	lost.Stop()
	k.mu.Lock()
	if closed := k.closed; closed != nil {
		k.mu.Unlock()
		<-closed // the library uses a connection until it is closed completely
		k.mu.Lock()
	}
	k.serial++ // makes the two timers do nothing if they fire late
	k.conn, k.closed = nil, nil
	select {
	case <-k.hung:
		k.hung = make(chan struct{})
	default:
	}
	k.mu.Unlock()
	<-k.gate
	return err
}

// runSafely runs an operation and turns a panic into an error: the library
// panics if its connection is closed during an operation.
func (k *Keychain) runSafely(operation func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("keychain: %v", cause)
		}
	}()
	conn, err := k.backend.connect()
	if err != nil {
		return err
	}
	k.mu.Lock()
	k.conn = conn
	k.mu.Unlock()
	return operation()
}

// abandon aborts an operation by closing its connection. It returns false if
// the operation cannot be aborted.
func (k *Keychain) abandon(serial int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.serial != serial {
		return true // the operation has ended already
	}
	if k.conn == nil {
		return false
	}
	closed := make(chan struct{})
	go func(conn io.Closer) {
		defer close(closed)
		_ = conn.Close() // blocks while the bus does not read
	}(k.conn)
	k.conn, k.closed = nil, closed
	return true
}

// translate turns errors of the keychain's library into faults and ErrMissing.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return ErrMissing
	case strings.Contains(err.Error(), "failed to unlock"):
		return fault.Wrap(err, fault.Unavailable,
			"the keychain is locked, and its prompt to unlock it was not answered; unlock it and try again")
	}
	if _, known := errors.AsType[*fault.Error](err); known {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "the keychain failed: %s", backendError(err))
}
