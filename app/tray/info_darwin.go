//go:build tray && cgo

package main

// The program is no application bundle, so its properties are in a section of the program. They keep it out of the Dock.

// #cgo LDFLAGS: -Wl,-sectcreate,__TEXT,__info_plist,${SRCDIR}/Info.plist
import "C"
