package confinement

import "runtime"

// spec lists the restrictions that the helper applies before it becomes the program. The hub passes it as JSON in an
// inherited file, because arguments of a process are visible to other users and may contain secrets.
type spec struct {
	Version int      `json:"version"` // specVersion
	Path    string   `json:"path"`    // of the program
	Args    []string `json:"args"`    // beginning with the name of the program
	Reap    bool     `json:"reap"`    // whether to remain as a reaper; see reap
	Env     [][]byte `json:"env"`     // its whole environment; bytes, because names of files need not be UTF-8

	Files   uint64   `json:"files"`   // access rights to files that Landlock restricts
	Network uint64   `json:"network"` // access rights to the network that Landlock restricts
	Scoped  uint64   `json:"scoped"`  // scopes that Landlock restricts
	Rules   []rule   `json:"rules"`
	Mounts  []inode  `json:"mounts"` // what must be mounted in the tree of the process
	Ports   []uint16 `json:"ports"`  // to which TCP connections may be made

	Calls  bool     `json:"calls"`  // whether to filter system calls
	Filter calls    `json:"filter"` // which, if Calls is set
	Opened int64    `json:"opened"` // most open files; 0 for no limit
	Listen []string `json:"listen"` // addresses to listen at; the sockets are sent over the descriptor channelFile
}

// calls says which system calls a process may make in addition to those that every process may make.
type calls struct {
	Internet bool `json:"internet"` // sockets of the internet protocols
	Local    bool `json:"local"`    // Unix domain sockets
	Modes    bool `json:"modes"`    // to change modes and times of files
	Others   bool `json:"others"`   // to name other processes and shared memory, which are its own in namespaces of its own
	Listen   bool `json:"listen"`   // to listen at an address
}

// specVersion changes with the meaning of a spec. The helper may be of another
// version than the hub for a moment while the program is updated.
const specVersion = 5

// rule allows access to a file, or to a folder and everything below it.
type rule struct {
	Path   string `json:"path"`
	Rights uint64 `json:"rights"`
}

// inode is a file or folder that is mounted at a path.
type inode struct {
	At     string `json:"at"`
	Device uint64 `json:"device"`
	Number uint64 `json:"number"`
}

// maxOpened is the limit of open files of a confined process.
const maxOpened = 8192

// HelperCommand is the argument with which this program is started to confine
// itself and become another program; see Exec.
const HelperCommand = "confine"

// trialCommand is the argument with which this program is started on Windows to try what it may do; see AppContainer.
const trialCommand = "confine-trial"

// Called reports whether the arguments of a process, beginning with its name, are those of the helper, so that it has to
// call Exec. On Windows, the name of a file follows; there the helper cannot inherit one.
func Called(args []string) bool {
	if runtime.GOOS == "windows" {
		return len(args) == 3 && (args[1] == HelperCommand || args[1] == trialCommand)
	}
	return len(args) == 2 && args[1] == HelperCommand
}

// Descriptors that the helper inherits.
const (
	specFile    = 3 // the spec
	channelFile = 4 // the socket for those of Listen
)
