package companion

import (
	"strings"
	"testing"
)

func TestTheSurfaceOfAnEntryIsTheHubOrOneServer(t *testing.T) {
	for _, row := range []struct {
		surface, server string
		valid           bool
	}{
		{"", "", true},
		{"registry", "", true},
		{"server:github", "github", true},
		{"server:a:b", "a:b", true},
		{"server:", "", false},
		{"github", "github", false},
		{"server:" + strings.Repeat("x", maxEntryText), "", false},
		{"server:\xff", "", false},
	} {
		e := Entry{Surface: row.surface}
		if err := e.Check(); (err == nil) != row.valid {
			t.Errorf("%q: %v", row.surface, err)
		}
		if row.valid && e.Server() != row.server {
			t.Errorf("%q shows the server %q", row.surface, e.Server())
		}
	}
}
