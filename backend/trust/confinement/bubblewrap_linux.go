package confinement

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// trialTimeout limits the trial run of bubblewrap.
const trialTimeout = 5 * time.Second

// Bubblewrap starts programs in namespaces with a file tree of their own. Systems may forbid that, so it is used only
// after a trial run.
type Bubblewrap struct {
	once sync.Once
	path string   // empty if it does not work
	more []string // options that only version 0.8 and newer have
}

// installed has the folders in which systems install bubblewrap. The PATH of a launch is not used,
// because it may contain programs of a package.
var installed = process.Env{"PATH=/usr/bin:/bin:/usr/local/bin:/run/wrappers/bin:/run/current-system/sw/bin"}

// Works reports whether bubblewrap works here. The first call tries it.
func (b *Bubblewrap) Works() bool {
	if b == nil {
		return false
	}
	b.once.Do(func() {
		path := installed.LookPath("bwrap")
		if path == "" {
			return
		}
		for _, more := range [][]string{{"--disable-userns"}, nil} {
			if tries(path, append(namespaces(true), more...)) {
				b.path, b.more = path, more
				return
			}
		}
	})
	return b.path != ""
}

// Tried returns a Bubblewrap that reports whether it works without a trial run, for tests of reports.
func Tried(works bool) *Bubblewrap {
	b := &Bubblewrap{path: map[bool]string{true: "bwrap"}[works]}
	b.once.Do(func() {})
	return b
}

// tries runs a shell that does nothing in a tree that contains the system.
func tries(path string, options []string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), trialTimeout)
	defer cancel()
	options = append(options, "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev", "--dir", "/run")
	for folder := range strings.FieldsSeq("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix /gnu") {
		if target, err := os.Readlink(folder); err == nil {
			options = append(options, "--symlink", target, folder)
		} else if _, err := os.Stat(folder); err == nil {
			options = append(options, "--ro-bind", folder, folder)
		}
	}
	cmd, err := program.Command(ctx, outside, path, append(options, "--remount-ro", "/", "--", "/bin/sh", "-c", ":")...)
	return err == nil && cmd.Run() == nil
}

// namespaces returns the options of bubblewrap for new namespaces, including one for the network if network is set, and
// without the capabilities of root in them.
func namespaces(network bool) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent",
		"--cap-drop", "ALL",
	}
	if network {
		args = append(args, "--unshare-net")
	}
	return args
}

// inTree is the path of the helper in the tree of a process.
const inTree = "/dev/agent-discover-helper"

// maxShared is the largest size in bytes of the shared memory of a process. It does not count as memory of the process.
const maxShared = 512 << 20

// sharedMemory returns the options for a folder in which a process keeps shared memory.
func (b *Bubblewrap) sharedMemory() []string {
	options := []string{"--tmpfs", "/dev/shm"}
	if len(b.more) > 0 {
		options = append([]string{"--size", strconv.Itoa(maxShared)}, options...)
	}
	return options
}

// devices are the devices in the tree of a process that has no terminals of its own.
var devices = strings.Fields("null zero full random urandom tty")

// order collects the options of bubblewrap and the files that it inherits.
type order struct {
	options []string
	files   []*os.File // as descriptors from first on
	first   int
	masks   []string // folders that are hidden
}

func (o *order) add(options ...string) { o.options = append(o.options, options...) }

// inherit makes bubblewrap inherit a file, and returns its descriptor there.
func (o *order) inherit(file *os.File) string {
	o.files = append(o.files, file)
	return strconv.Itoa(o.first + len(o.files) - 1)
}

// data makes bubblewrap inherit a file in memory with a text.
func (o *order) data(name, text string) (descriptor string, err error) {
	file, err := memory(name, []byte(text))
	if err != nil {
		return "", err
	}
	return o.inherit(file), nil
}

// close closes the files after an error.
func (o *order) close() {
	for _, file := range o.files {
		_ = file.Close()
	}
}

// wrap returns the command that starts the helper in a tree with these mounts and links. The files are inherited as
// descriptors from first on, and belong to the caller. dir is the folder in the tree in which the program starts.
// gate is nil, or makes addresses reachable.
func (b *Bubblewrap) wrap(p Policy, mounts []mount, links []symlink, helper []string, dir string, first int, gate *gate,
) (command string, args []string, files []*os.File, err error) {
	o := &order{first: first}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	o.add(namespaces(p.Network.Restricted && len(p.Network.Ports) == 0)...)
	if gate == nil {
		o.add(b.more...)
	}
	for _, m := range mounts {
		if err := o.mount(m); err != nil {
			return "", nil, nil, err
		}
	}
	o.add("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
	if gate == nil {
		o.add("--dev", "/dev")
		o.add(b.sharedMemory()...)
	} else if err := o.open(gate, b.sharedMemory()); err != nil {
		return "", nil, nil, err
	}
	for _, path := range p.Named {
		if Within("/dev", path) && path != "/dev" {
			o.add("--dev-bind-try", path, path)
		}
	}
	program, err := opened(resolved(helper[0]))
	if err != nil {
		return "", nil, nil, err
	}
	o.add("--ro-bind", "/proc/self/fd/"+o.inherit(program), inTree)
	if gate != nil {
		o.add("--remount-ro", "/dev")
	}
	for _, l := range links {
		if nearest(mounts, l.at) < 0 {
			o.add("--symlink", l.target, l.at)
		}
	}
	for _, folder := range o.masks {
		o.add("--remount-ro", folder) // only now, because mounts in it needed entries
	}
	if len(mounts) == 0 || mounts[0].at != "/" {
		o.add("--remount-ro", "/")
	}
	o.add("--chdir", dir)
	descriptor, err := o.data("options", strings.Join(o.options, "\x00")+"\x00")
	if err != nil {
		return "", nil, nil, err
	}
	return b.path, append([]string{"--args", descriptor, "--", inTree}, helper[1:]...), o.files, nil
}

// mount adds the options for a mount.
func (o *order) mount(m mount) error {
	if m.mask() {
		return o.hide(m)
	}
	file, err := opened(m.from)
	if err != nil {
		return fmt.Errorf("open %s: %w", m.from, err)
	}
	option := map[bool]string{false: "--ro-bind", true: "--bind"}[m.write]
	o.add(option, "/proc/self/fd/"+o.inherit(file), m.at)
	return nil
}

// hide adds the options for a mask: an empty file or folder that cannot be opened.
func (o *order) hide(m mount) error {
	info, err := os.Lstat(m.at)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		o.add("--perms", map[bool]string{false: "0000", true: "0111"}[m.open], "--tmpfs", m.at)
		o.masks = append(o.masks, m.at)
		return nil
	}
	descriptor, err := o.data("hidden", "")
	if err == nil {
		o.add("--perms", "0000", "--ro-bind-data", descriptor, m.at)
	}
	return err
}

// opened opens a file or folder to mount it. No element of its path may be a symbolic link, because a server may have
// put it there since the path was resolved.
func opened(path string) (*os.File, error) {
	at, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(at), filepath.Base(path)), nil
}

// memory returns a file in memory.
func memory(name string, data []byte) (*os.File, error) {
	at, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a file in memory: %w", err)
	}
	file := os.NewFile(uintptr(at), name)
	if _, err = file.Write(data); err == nil {
		_, err = file.Seek(0, 0)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
