//go:build tray && cgo

package main

// The program is not an application bundle, so its Info.plist is embedded in the executable as the section
// __info_plist. The property list keeps the program out of the Dock.

// #cgo LDFLAGS: -Wl,-sectcreate,__TEXT,__info_plist,${SRCDIR}/Info.plist
import "C"
