package names

import (
	"slices"
	"strconv"
	"strings"
)

// compound lists the first parts of schemes such as svn+ssh and git+https. Slug returns none of them: if git
// were a slug, a server's own URI that begins with git+https: would look like a URI of the server with that
// slug.
var compound = []string{"bzr", "coap", "coaps", "git", "hg", "http", "https", "svn"}

// Slug returns the slug of a new server: lower-case letters, digits, dots and dashes, of which the first is a letter.
// It resembles the server's name. The function taken reports whether a slug is in use; it must include the slugs of
// removed servers, so that no slug is used again and no old URI belongs to another server.
func Slug(server string, taken func(slug string) bool) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case isSlug(r):
			return r
		}
		return '-'
	}, server)
	base = strings.Trim(base, "-.")
	switch {
	case base == "":
		base = "server"
	case base[0] <= '9':
		base = "s" + base
	}
	for slug, n := base, 2; ; n++ {
		if !slices.Contains(compound, slug) && !taken(slug) {
			return slug
		}
		slug = base + "-" + strconv.Itoa(n)
	}
}

// isSlug reports whether a slug may contain the character c.
func isSlug[T byte | rune](c T) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-'
}
