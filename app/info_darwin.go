//go:build production && cgo

package app

// The program is no application bundle, so its properties are in a section of the program. They let the page reach the
// hub over HTTP, which macOS otherwise forbids, and give the menu its name.

// #cgo LDFLAGS: -Wl,-sectcreate,__TEXT,__info_plist,${SRCDIR}/Info.plist
import "C"
