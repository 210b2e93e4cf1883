package updates

import "testing"

func TestVersionsAreOrderedAsTheirRegistriesOrderThem(t *testing.T) {
	for _, test := range []struct {
		version, than string
		want          bool
	}{
		{"1.1.0", "1.0.0", true},
		{"1.0.0", "1.1.0", false},
		{"1.10.0", "1.9.0", true},
		{"v2.0.0", "1.9.9", true},
		{"2.0", "2.0.0", false},
		{"2.0.0", "2.0", false},
		{"1.0.0", "1.0.0-beta.1", true},
		{"1.0.0-beta.1", "1.0.0", false},
		{"1.0.0-beta.11", "1.0.0-beta.2", true},
		{"1.0.0-rc.1", "1.0.0-beta.2", true},
		{"1.0", "1.0rc1", true},
		{"1.0a1", "1.0.dev3", true},
		{"1.0.post1", "1.0", true},
		{"1.0", "1.0.post1", false},
		{"1.0.1", "1.0.post1", true},
		{"2025.9.25", "2025.7.1", true},
		{"1.0.0+build2", "1.0.0+build1", false},
		{"99999999999999999999", "1", true},
		{"sha256:bb", "sha256:aa", true},
		{"sha256:aa", "sha256:aa", false},
		{"", "1.0.0", false},
		{"1.0.0", "sha256:aa", true},
	} {
		if got := newer(test.version, test.than); got != test.want {
			t.Errorf("%q is newer than %q: %v", test.version, test.than, got)
		}
	}
}
