//go:build linux || darwin

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// keepAttributes copies the extended attributes of the file old to f. On Linux these include access
// control lists. An attribute that the system manages is skipped if the system refuses to set it.
func keepAttributes(f *os.File, old string) error {
	from, err := os.OpenFile(old, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	names, err := attributes(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		value, err := attribute(from, name)
		if err == nil {
			err = unix.Fsetxattr(int(f.Fd()), name, value, 0)
		}
		if err != nil && !systemAttribute(name) {
			return fmt.Errorf("keep the attribute %s: %w", name, err)
		}
	}
	return nil
}

// systemAttribute reports whether the system may refuse to set an attribute.
func systemAttribute(name string) bool {
	return strings.HasPrefix(name, "security.") || strings.HasPrefix(name, "trusted.") || strings.HasPrefix(name, "com.apple.")
}

// attributes returns the names of the extended attributes of a file, or none if the file system
// does not support them.
func attributes(f *os.File) ([]string, error) {
	list, err := grow(func(into []byte) (int, error) { return unix.Flistxattr(int(f.Fd()), into) })
	if err != nil || len(list) == 0 {
		if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			err = nil
		}
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00"), nil
}

func attribute(f *os.File, name string) ([]byte, error) {
	return grow(func(into []byte) (int, error) { return unix.Fgetxattr(int(f.Fd()), name, into) })
}

// grow calls read twice: with nil, which returns the size of the value, and then with a buffer of
// that size. It repeats both calls if the value has grown between them.
func grow(read func([]byte) (int, error)) ([]byte, error) {
	for {
		size, err := read(nil)
		if err != nil || size == 0 {
			return nil, err
		}
		buffer := make([]byte, size)
		n, err := read(buffer)
		if err == nil {
			return buffer[:n], nil
		}
		if !errors.Is(err, unix.ERANGE) { // the value has grown between the calls
			return nil, err
		}
	}
}
