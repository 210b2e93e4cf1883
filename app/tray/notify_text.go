package main

import (
	"strings"
	"unicode/utf16"
)

// notificationScript returns a script that shows a notice, for the standard input of osascript. The notification
// cannot be clicked.
func notificationScript(n notice) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ")
	body, _, _ := strings.Cut(n.Body, " Click to ")
	return `display notification "` + quoted.Replace(body) + `" with title "Agent Discover" subtitle "` + quoted.Replace(n.Summary) + "\"\n"
}

// clipUTF16 encodes at most size-1 units of a text, so that a field of size units has room for the zero at its end. It
// never splits a character.
func clipUTF16(text string, size int) []uint16 {
	var units []uint16
	for _, r := range text {
		more := utf16.AppendRune(units, r)
		if len(more) >= size {
			break
		}
		units = more
	}
	return units
}
