//go:build production && cgo

package app

// The program is not an application bundle, so its Info.plist is embedded in the executable as the section
// __info_plist. The property list lets the page reach the hub over HTTP, which macOS otherwise forbids, and gives the
// menu its name.

// #cgo LDFLAGS: -Wl,-sectcreate,__TEXT,__info_plist,${SRCDIR}/Info.plist
import "C"
