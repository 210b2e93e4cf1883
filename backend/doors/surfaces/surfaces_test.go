package surfaces

import "testing"

func TestUnknownSurfacesAreRefused(t *testing.T) {
	for surface, server := range map[string]string{
		"": "", "registry": "", "meta": "", "native": "", "server:notes": "notes", "server:a:b": "a:b", "toolset:daily": "",
	} {
		if err := Check(surface); err != nil || Server(surface) != server {
			t.Errorf("%q: %q, %v", surface, Server(surface), err)
		}
	}
	for _, surface := range []string{"everything", "Meta", "server:", "servers:x", " meta", "toolset:", "toolsets:x"} {
		if err := Check(surface); err == nil {
			t.Errorf("%q is accepted", surface)
		}
	}
}

func TestTheToolsetOfASurface(t *testing.T) {
	for surface, want := range map[string]string{"": "", "meta": "", "server:toolset:x": "", "toolset:daily": "daily", "toolset:": ""} {
		if got := Toolset(surface); got != want {
			t.Errorf("%q: %q", surface, got)
		}
	}
}
