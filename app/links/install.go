package links

import (
	"net/url"
	"regexp"
	"strings"
)

// invalid is the page for an address that asks to install a server but has invalid parameters.
const invalid = "/browse?link=invalid"

// parameters are the parameters of an address that asks to install a server. They identify what to install, but
// cannot answer the server's questions: the user makes all decisions in the window.
var parameters = map[string]*regexp.Regexp{
	"id":      regexp.MustCompile(`^[a-z]{1,20}:@?[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,99}(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,99})?$`),
	"version": regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,49}$`),
	"option":  regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,29}$`),
}

// installPage returns the page that shows what an address would install, or invalid.
func installPage(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || !strings.EqualFold(parsed.Host, "install") || parsed.User != nil || strings.Trim(parsed.Path, "/") != "" ||
		parsed.Fragment != "" {
		return invalid
	}
	given, err := url.ParseQuery(parsed.RawQuery)
	if err != nil || len(given["id"]) != 1 {
		return invalid
	}
	query := url.Values{"step": {"install"}, "link": {"1"}}
	for name, values := range given {
		valid := parameters[name]
		if valid == nil || len(values) != 1 || !valid.MatchString(values[0]) {
			return invalid
		}
		if name != "id" {
			query.Set(name, values[0])
		}
	}
	return "/browse/" + url.PathEscape(given.Get("id")) + "?" + query.Encode()
}
