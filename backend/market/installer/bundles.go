package installer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
	"github.com/agent-discover/agent-discover/backend/market/plan"
)

// Files downloads files.
type Files interface {
	// Download writes a file of at most limit bytes to w and calls progress with the bytes so far and the size, which
	// is 0 if it is not known.
	Download(ctx context.Context, address string, limit int64, w io.Writer, progress func(done, total int64)) error
}

// maxBundle is the maximum size of a bundle in bytes.
const maxBundle = 512 << 20

// fetch downloads the bundle of a plan to the shelf, unless the shelf has it.
func (i *Installer) fetch(ctx context.Context, j *job, d *plan.Download, steps *undo) (err error) {
	if i.shelf.has(d.SHA256) {
		return nil
	}
	file, err := i.shelf.create(func(folder string) error {
		_, err := i.options.Store.SaveLeftover(ctx, Leftover{Kind: LeftFolder, Path: folder})
		return err
	})
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not store the download: %s", paths.Reason(err))
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	sum := sha256.New()
	err = i.options.Files.Download(ctx, d.From, maxBundle, io.MultiWriter(file, sum), j.bytes)
	if closed := file.Close(); err == nil && closed != nil {
		err = fault.Wrap(closed, fault.Unavailable, "could not store the download: %s", paths.Reason(closed))
	}
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != d.SHA256 {
		return fault.New(fault.Failed,
			"the downloaded file is not the one of the listing: its SHA-256 checksum is %s instead of %s, so it was deleted", got, d.SHA256)
	}
	steps.add(func(context.Context) error { i.shelf.drop(d.SHA256); return nil })
	return i.shelf.put(d.SHA256, file.Name())
}

// unpack unpacks the bundle of a plan.
func (i *Installer) unpack(ctx context.Context, file *bundle.Bundle, p *plan.Plan, steps *undo) error {
	if file == nil {
		return fault.New(fault.Internal, "the bundle of %s is missing", p.ID)
	}
	leave, err := i.leftovers.enterBundles(ctx)
	if err != nil {
		return err
	}
	defer leave()
	folder := filepath.Join(i.options.Machine.Bundles, file.Folder())
	shared := i.leftovers.held.count(folder) > 0 // the job that ends last removes the folder, unless a server needs it
	steps.holds = append(steps.holds, i.leftovers.held.hold(folder))
	if _, err := os.Lstat(folder); err != nil || shared { // an existing folder may belong to another server
		if err := i.leftovers.mark(ctx, steps, Leftover{Kind: LeftFolder, Path: folder}, nil); err != nil {
			return err
		}
	}
	if file.In(folder) {
		return nil
	}
	unpacked, err := file.Unpack(ctx, i.options.Machine.Bundles,
		bundle.Launch{Command: p.Server.Command, Args: p.Server.Args, Env: p.Server.Env})
	if err != nil {
		return err
	}
	return unpacked.Keep()
}

// holds counts the running jobs that need a folder. The zero value is ready to use.
type holds struct {
	mu    sync.Mutex
	users map[string]int // keys are paths of folders
}

// hold counts a job that needs a folder until the job calls release.
func (h *holds) hold(folder string) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users == nil {
		h.users = make(map[string]int)
	}
	h.users[folder]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.users[folder]--; h.users[folder] == 0 {
			delete(h.users, folder)
		}
	}
}

func (h *holds) count(folder string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.users[folder]
}

// closeBundle closes the bundle of a request.
func (i *Installer) closeBundle(r *plan.Request) {
	if r.Bundle != nil {
		if err := r.Bundle.Close(); err != nil {
			i.options.Log.Warn("could not remove the copy of a bundle", "error", err)
		}
		r.Bundle = nil
	}
}

// maxShelf is how many downloaded bundles are kept for plans that a person is reading.
const maxShelf = 4

// shelf keeps downloaded bundles with a correct checksum in a temporary folder. The zero value is ready to use.
type shelf struct {
	mu     sync.Mutex
	folder string
	files  []shelved // the oldest first
}

type shelved struct{ sum, path string }

// create creates a file for a download. When it creates the folder of the shelf, it calls note with the path.
func (s *shelf) create(note func(folder string) error) (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == "" {
		folder, err := os.MkdirTemp("", "agent-discover-bundles-*")
		if err != nil {
			return nil, err
		}
		if err := note(folder); err != nil {
			return nil, errors.Join(err, os.Remove(folder))
		}
		s.folder = folder
	}
	return os.CreateTemp(s.folder, "*.mcpb")
}

// put adds a file. If the shelf is full, it removes the oldest one.
func (s *shelf) put(sum, path string) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, shelved{sum, path})
	if len(s.files) > maxShelf {
		err = os.Remove(s.files[0].path)
		s.files = slices.Delete(s.files, 0, 1)
	}
	return err
}

func (s *shelf) path(sum string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		if f.sum == sum {
			return f.path
		}
	}
	return ""
}

func (s *shelf) has(sum string) bool { return s.path(sum) != "" }

// open opens a bundle, and returns nil if it is not on the shelf. The caller closes it.
func (s *shelf) open(sum string) (*bundle.Bundle, error) {
	path := s.path(sum)
	if path == "" {
		return nil, nil
	}
	b, err := bundle.Open(path)
	if fault.KindOf(err) == fault.NotFound && !s.has(sum) { // another job has removed it
		return nil, nil
	}
	return b, err
}

// drop removes a bundle from the shelf.
func (s *shelf) drop(sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = slices.DeleteFunc(s.files, func(f shelved) bool {
		if f.sum == sum {
			_ = os.Remove(f.path) // close removes the folder
		}
		return f.sum == sum
	})
}

// close removes the shelf with all files.
func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = nil
	if s.folder == "" {
		return nil
	}
	err := os.RemoveAll(s.folder)
	s.folder = ""
	return err
}
