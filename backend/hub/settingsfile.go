package hub

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
)

// settingsFile implements backup.SettingsFile.
type settingsFile struct{ h *Hub }

// Read implements backup.SettingsFile.
func (f settingsFile) Read() ([]byte, error) {
	data, err := paths.ReadFile(f.h.options.Folder.Config())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(err, fault.Unavailable, "could not read the settings: %s", paths.Reason(err))
	}
	return data, nil
}

// Check implements backup.SettingsFile.
func (f settingsFile) Check(data []byte) error {
	return settings.Check(f.h.options.Folder.Config(), data)
}

// Replace implements backup.SettingsFile. It keeps a copy of the former file in the folder of backups.
func (f settingsFile) Replace(data []byte) (former string, err error) {
	_, err = f.h.settings.Change(func() error {
		was, err := f.Read()
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(was)) > 0 {
			folder := f.h.options.Folder.Backups("config")
			if err := paths.MakeFolder(folder); err != nil {
				return fault.Wrap(err, fault.Unavailable, "could not create the folder %s: %s", folder, paths.Reason(err))
			}
			former = filepath.Join(folder, "config-"+time.Now().UTC().Format("20060102-150405")+".yaml")
			if err := paths.WriteDurable(former, was); err != nil {
				return fault.Wrap(err, fault.Unavailable, "could not copy the settings to %s: %s", former, paths.Reason(err))
			}
		}
		if err := paths.WriteDurable(f.h.options.Folder.Config(), data); err != nil {
			return fault.Wrap(err, fault.Unavailable, "could not write the settings: %s", paths.Reason(err))
		}
		return nil
	})
	return former, err
}
