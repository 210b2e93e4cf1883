package paths

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

const (
	inUseTimeout = 2 * time.Second // how long to wait for a file that another program has open
	inUsePause   = 5 * time.Millisecond
)

// patience repeats an operation on a file while another program has the file open. On
// Windows a virus scanner, an indexer or an editor may open any file at any moment.
// Until that program closes the file, the operations that its share mode forbids fail.
type patience struct {
	now   func() time.Time
	sleep func(time.Duration)
	inUse func(error) bool
}

var patient = patience{now: time.Now, sleep: time.Sleep, inUse: InUse}

// do repeats act while it fails because a file is in use, until inUseTimeout.
func (p patience) do(act func() error) error {
	for end := p.now().Add(inUseTimeout); ; p.sleep(inUsePause) {
		if err := act(); err == nil || !p.inUse(err) || p.now().After(end) {
			return err
		}
	}
}

// Retry repeats an operation while it fails because another program has a file
// open, for at most two seconds. It returns the last error.
func Retry(act func() error) error { return patient.do(act) }

// Open opens a file for reading. Unlike os.Open, it does not prevent other
// programs on Windows from replacing, renaming or removing the file meanwhile.
func Open(path string) (file *os.File, err error) {
	err = patient.do(func() (err error) {
		file, err = openShared(path)
		return err
	})
	return file, err
}

// ReadFile opens a file as Open does and returns its content. The content is
// complete, even if WriteFile or WriteDurable replaces the file at the same moment. It
// returns an error, and does not wait, if the path leads to a pipe or a device.
func ReadFile(path string) ([]byte, error) { return patient.readFile(path) }

func (p patience) readFile(path string) (data []byte, err error) {
	err = p.do(func() (err error) { // reading fails, too, while another program has locked a range of the file
		data, err = readShared(path)
		return err
	})
	return data, err
}

// Replace renames a file or folder. An existing file of the new name is replaced
// in one step, even while programs read it through Open. Replace waits up to two
// seconds for programs that have one of the files open in another way.
func Replace(from, to string) error { return patient.do(func() error { return Rename(from, to) }) }

// Remove removes a file or an empty folder. It waits like Replace.
func Remove(path string) error { return patient.do(func() error { return os.Remove(path) }) }

// WriteFile replaces a file atomically: readers see the old content or the new,
// never a part. Only this user can read the file.
func WriteFile(path string, data []byte) error { return patient.write(path, data, false) }

// WriteDurable is like WriteFile, but returns only when the content would survive a
// loss of power.
func WriteDurable(path string, data []byte) error { return patient.write(path, data, true) }

func (p patience) write(path string, data []byte, durable bool) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err == nil && durable {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = p.do(func() error { return Rename(temp.Name(), path) })
	}
	if err != nil {
		_ = p.do(func() error { return os.Remove(temp.Name()) })
	}
	return err
}
