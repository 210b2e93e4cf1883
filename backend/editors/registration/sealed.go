package registration

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
)

// Sealer encrypts backups that contain credentials. If there is no key, Seal fails with a
// fault.Unavailable that says what to do. It never prompts the user.
type Sealer interface {
	Seal(ctx context.Context, data []byte) ([]byte, error)
	Unseal(ctx context.Context, sealed []byte) ([]byte, error)
}

// sealedSuffix is the suffix of the names of encrypted files.
const sealedSuffix = ".age"

func (h *history) seal(ctx context.Context, data []byte) ([]byte, error) {
	if h.sealer == nil {
		return nil, fault.New(fault.Unavailable, "there is no key to encrypt them")
	}
	return h.sealer.Seal(ctx, data)
}

// writeSteps writes the steps of a change. Steps that contain a credential are encrypted; without a
// key for that, writeSteps fails, because the change could not be undone.
func (h *history) writeSteps(ctx context.Context, c *change, before []byte) (path string, err error) {
	text, err := json.Marshal(c.steps)
	if err != nil {
		return "", err
	}
	plain := filepath.Join(h.folder, c.ID, "steps.json")
	if !c.stepsHaveCredentials(before) {
		return plain, paths.WriteFile(plain, text)
	}
	sealed, err := h.seal(ctx, text)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable,
			"%s was not changed: the entries have credentials, of which a backup is kept only encrypted, but %s",
			c.Path, fault.MessageOf(err))
	}
	path = filepath.Join(h.folder, c.ID, "steps"+sealedSuffix)
	if err := paths.WriteFile(path, sealed); err != nil {
		return "", err
	}
	return path, ignoreMissing(paths.Remove(plain)) // begin or an earlier version may have written plain
}

// writeBackup writes the backup of a file. A backup that contains a credential is encrypted;
// without a key for that, writeBackup writes nothing, because the steps are enough to undo the
// change.
func (h *history) writeBackup(ctx context.Context, c *change, before []byte) (written []string, err error) {
	path := filepath.Join(h.folder, c.ID, "before")
	if configdiff.HasCredentials(c.file(), before) {
		path += sealedSuffix
		if before, err = h.seal(ctx, before); err != nil {
			return nil, nil
		}
	}
	return []string{path}, paths.WriteFile(path, before)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// stepsHaveCredentials reports whether the steps of a change contain a
// credential. before is the file before the change.
func (c *change) stepsHaveCredentials(before []byte) bool {
	file := c.file()
	if configdiff.EntriesHaveCredentials(file, before, c.Entries) {
		return true
	}
	after := before
	for _, s := range c.steps {
		for _, e := range s.Edits {
			if configdiff.HasCredentials(file, []byte(e.Old)) || configdiff.HasCredentials(file, []byte(e.New)) {
				return true
			}
		}
		after = s.applyTo(after)
	}
	return configdiff.EntriesHaveCredentials(file, after, c.Entries)
}

// isSealed reports whether a part of a change, before or steps, is encrypted.
func (h *history) isSealed(c *change, part string) bool {
	_, err := os.Stat(filepath.Join(h.folder, c.ID, part+sealedSuffix))
	return err == nil
}

// unseal returns the content of an encrypted part of a change.
func (h *history) unseal(ctx context.Context, c *change, part string) ([]byte, error) {
	sealed, err := paths.ReadFile(filepath.Join(h.folder, c.ID, part+sealedSuffix))
	if err != nil {
		return nil, err
	}
	if h.sealer == nil {
		return nil, fault.New(fault.Unavailable, "the backup of %s is encrypted, and there is no key to decrypt it", c.Path)
	}
	return h.sealer.Unseal(ctx, sealed)
}

// stepsOf returns the steps of a change, and decrypts them if necessary.
func (h *history) stepsOf(ctx context.Context, c *change) (steps []step, err error) {
	if c.steps != nil || c.Forgotten || !h.isSealed(c, "steps") {
		return c.steps, nil
	}
	text, err := h.unseal(ctx, c, "steps")
	if err == nil {
		err = json.Unmarshal(text, &steps)
	}
	if err != nil {
		return nil, fault.Wrap(err, unlessFault(err), "could not read the backup of %s: %s", c.Path, fault.MessageOf(err))
	}
	return steps, nil
}

func unlessFault(err error) fault.Kind {
	if kind := fault.KindOf(err); kind != fault.Internal {
		return kind
	}
	return fault.Failed
}

// backup returns the file as it was before a change; nil when it did not exist.
func (h *history) backup(ctx context.Context, c *change) (data []byte, err error) {
	if c.Before == "" {
		return nil, nil
	}
	if h.isSealed(c, "before") {
		data, err = h.unseal(ctx, c, "before")
	} else {
		data, err = paths.ReadFile(filepath.Join(h.folder, c.ID, "before"))
	}
	if err == nil && atomicfile.HashOf(data) != c.Before {
		err = errors.New("the backup is damaged")
	}
	if err != nil {
		return nil, fault.Wrap(err, unlessFault(err), "could not read the backup of %s", c.Path)
	}
	return data, nil
}

// sealOld encrypts credentials in changes that earlier versions stored in plain text. It returns
// how many of these are still plain, because there is no key.
func (h *history) sealOld(ctx context.Context) (left int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.load(); err != nil {
		return 0, err
	}
	for i, c := range h.list {
		if c.Sealed || c.Forgotten || ctx.Err() != nil {
			continue
		}
		sealed := *c
		if bad := h.sealChange(ctx, &sealed); bad != nil {
			left, err = left+1, bad
			continue
		}
		h.list[i] = &sealed
	}
	return left, err
}

// sealChange encrypts the parts of a change that contain credentials.
func (h *history) sealChange(ctx context.Context, c *change) error {
	before, _ := h.backup(ctx, c)
	path := filepath.Join(h.folder, c.ID, "before")
	if configdiff.HasCredentials(c.file(), before) {
		sealed, err := h.seal(ctx, before)
		if err == nil {
			err = paths.WriteDurable(path+sealedSuffix, sealed)
		}
		if err == nil {
			err = ignoreMissing(paths.Remove(path))
		}
		if err != nil {
			return err
		}
	}
	if _, err := h.writeSteps(ctx, c, before); err != nil {
		return err
	}
	if h.isSealed(c, "steps") {
		c.steps = nil
	}
	c.Sealed = true
	return h.writeFields(c)
}

// writeFields replaces change.json.
func (h *history) writeFields(c *change) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return paths.WriteDurable(filepath.Join(h.folder, c.ID, "change.json"), text)
}

// forget deletes the backups and steps of changes, which can then no longer be
// undone. The records stay.
func (h *history) forget(ids []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.load(); err != nil {
		return err
	}
	for i, c := range h.list {
		if c.Forgotten || !slices.Contains(ids, c.ID) {
			continue
		}
		gone := *c
		gone.Forgotten, gone.steps = true, nil
		if err := h.writeFields(&gone); err != nil {
			return fault.Wrap(err, fault.Failed, "could not save that the backup of %s is deleted: %s", c.Path, atomicfile.Reason(err))
		}
		h.list[i] = &gone
		for _, name := range []string{"before", "before" + sealedSuffix, "steps.json", "steps" + sealedSuffix} {
			if err := ignoreMissing(paths.Remove(filepath.Join(h.folder, c.ID, name))); err != nil {
				return fault.Wrap(err, fault.Failed, "could not delete the backup of %s: %s", c.Path, atomicfile.Reason(err))
			}
		}
	}
	return nil
}

// Forget deletes the backups of changes, or of all changes when ids is empty,
// and returns how many it deleted. These changes can no longer be undone. An
// unknown id is a fault.NotFound.
func (r *Registrar) Forget(_ context.Context, ids []string) (int, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	changes, _, err := r.planner.find(ids)
	if err == nil && len(ids) == 0 {
		changes, err = r.history.all()
	}
	if err != nil {
		return 0, err
	}
	var left []string
	for _, c := range changes {
		if !c.Forgotten {
			left = append(left, c.ID)
		}
	}
	err = r.history.forget(left)
	r.sealOld(context.Background())
	r.publishChanged()
	return len(left), err
}

// Unsealed returns how many changes of earlier versions have plain credentials
// in their backups, because there was no key to encrypt them.
func (r *Registrar) Unsealed() int { return int(r.unsealed.Load()) }

// sealOld encrypts credentials in the backups of earlier versions.
func (r *Registrar) sealOld(ctx context.Context) {
	before := r.unsealed.Load()
	left, err := r.history.sealOld(ctx)
	r.unsealed.Store(int32(left))
	if left > 0 && int32(left) != before {
		r.options.Log.Warn("backups of editor files contain credentials that cannot be encrypted", "backups", left, "err", err)
	}
}
