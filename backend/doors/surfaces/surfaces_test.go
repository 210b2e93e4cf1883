package surfaces

import "testing"

func TestUnknownSurfacesAreRefused(t *testing.T) {
	for surface, server := range map[string]string{"": "", "registry": "", "meta": "", "native": "", "server:notes": "notes", "server:a:b": "a:b"} {
		if err := Check(surface); err != nil || Server(surface) != server {
			t.Errorf("%q: %q, %v", surface, Server(surface), err)
		}
	}
	for _, surface := range []string{"everything", "Meta", "server:", "servers:x", " meta"} {
		if err := Check(surface); err == nil {
			t.Errorf("%q is accepted", surface)
		}
	}
}
