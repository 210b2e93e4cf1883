package autostart

import (
	"errors"

	"golang.org/x/sys/windows/registry"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	runKey      = `Software\Microsoft\Windows\CurrentVersion\Run`
	approvedKey = `Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`
)

func (e Entry) on() (bool, error) {
	run, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "could not read the registry key Run")
	}
	defer func() { _ = run.Close() }()
	if _, _, err := run.GetStringValue(e.ID); err != nil {
		return false, nil
	}
	approved, err := registry.OpenKey(registry.CURRENT_USER, approvedKey, registry.QUERY_VALUE)
	if err != nil {
		return true, nil
	}
	defer func() { _ = approved.Close() }()
	value, _, _ := approved.GetBinaryValue(e.ID) // the value is usually missing
	return runValueOn(value), nil
}

func (e Entry) place() (string, bool, error) {
	const place = `HKEY_CURRENT_USER\` + runKey
	run, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if err != nil {
		return place, false, nil
	}
	defer func() { _ = run.Close() }()
	_, _, err = run.GetStringValue(e.ID)
	return place, err == nil, nil
}

func (e Entry) write() error {
	run, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return changeError(err, "the registry key Run")
	}
	defer func() { _ = run.Close() }()
	if err := run.SetStringValue(e.ID, runValue(e)); err != nil {
		return changeError(err, "the registry key Run")
	}
	return deleteValue(approvedKey, e.ID)
}

func (e Entry) remove() error {
	return errors.Join(deleteValue(runKey, e.ID), deleteValue(approvedKey, e.ID))
}

func deleteValue(path, name string) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.SET_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	if err != nil {
		return changeError(err, "the registry key "+path)
	}
	defer func() { _ = key.Close() }()
	if err := key.DeleteValue(name); err != nil && !errors.Is(err, registry.ErrNotExist) {
		return changeError(err, "the registry key "+path)
	}
	return nil
}
