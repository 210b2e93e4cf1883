package quarantine

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/samename"
)

// Clients may read resources that no list contains, because URIs also come from templates and from results of tools. So
// Refuse compares the form of a URI with the forms of held resources and templates. URIs that a server may take for the
// same one have the same form; see formOf.

// maxDecoded is the number of layers of percent-encoding that formOf decodes.
const maxDecoded = 3

// formOf returns the form of a URI. It decodes escapes, ignores differences of case and width, and drops hidden
// characters, empty and dot segments, the fragment, default ports, and the name localhost in file URIs.
func formOf(uri string) string {
	for range maxDecoded {
		uri = escape.ReplaceAllStringFunc(uri, func(text string) string {
			code, _ := strconv.ParseUint(text[1:], 16, 8) // two hexadecimal digits
			return string([]byte{byte(code)})
		})
	}
	uri, _, _ = strings.Cut(samename.Fold(uri), "#")
	uri, query, _ := strings.Cut(uri, "?")
	scheme, rest, found := strings.Cut(strings.ReplaceAll(uri, `\`, "/"), ":")
	if !found {
		scheme, rest = "", scheme
	}
	var segments []string
	for segment := range strings.SplitSeq(rest, "/") {
		switch segment {
		case "", ".":
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
		default:
			segments = append(segments, segment)
		}
	}
	if len(segments) > 0 {
		if port, ok := map[string]string{"http": ":80", "https": ":443"}[scheme]; ok {
			segments[0] = strings.TrimSuffix(segments[0], port)
		}
		if scheme == "file" && segments[0] == "localhost" {
			segments = segments[1:]
		}
	}
	form := scheme + ":" + strings.Join(segments, "/")
	if query != "" {
		form += "?" + query
	}
	return form
}

// formsOf returns the forms of a URI with and without its query, which many servers ignore.
func formsOf(uri string) []string {
	form := formOf(uri)
	if bare, _, more := strings.Cut(form, "?"); more {
		return []string{form, bare}
	}
	return []string{form}
}

var escape = regexp.MustCompile("%[0-9A-Fa-f]{2}")

var expression = regexp.MustCompile(`\{[^{}]*\}`)

// templateForm returns the form of a URI template, with * for each expression.
func templateForm(template string) string {
	return formOf(expression.ReplaceAllLiteralString(template, "*"))
}

// heldResources are the held resources and templates of a server.
type heldResources struct {
	byForm    map[string]*Item
	listed    map[string]bool // approved resources whose form is that of a held one
	templates []heldTemplate
}

type heldTemplate struct {
	matches *regexp.Regexp // matches the forms of all URIs of the template, and perhaps of others
	form    string
	item    *Item
}

func newHeldResources(held, others []*Item) heldResources {
	var h heldResources
	for _, item := range held {
		switch item.Kind {
		case Resource:
			if h.byForm == nil {
				h.byForm = make(map[string]*Item)
			}
			h.byForm[formOf(item.Name)] = item
		case Template:
			form := templateForm(item.Name)
			// MustCompile does not panic, because quoted text is a valid pattern.
			matches := regexp.MustCompile("^(?s:" + strings.ReplaceAll(regexp.QuoteMeta(form), `\*`, ".*") + ")$")
			h.templates = append(h.templates, heldTemplate{matches, form, item})
		}
	}
	for _, item := range others {
		if h.byForm == nil || item.Kind != Resource || h.byForm[formOf(item.Name)] == nil {
			continue
		}
		if h.listed == nil {
			h.listed = make(map[string]bool)
		}
		h.listed[item.Name] = true
	}
	return h
}

// resource returns the held resource that a server may read for a URI, or nil.
func (h *heldResources) resource(uri string) *Item {
	if len(h.byForm) == 0 || h.listed[uri] {
		return nil
	}
	for _, form := range formsOf(uri) {
		if item := h.byForm[form]; item != nil {
			return item
		}
	}
	return nil
}

// source returns the held template that a URI may come from, or nil.
func (h *heldResources) source(uri string) *Item {
	if len(h.templates) == 0 {
		return nil
	}
	forms := formsOf(uri)
	for _, t := range h.templates {
		if slices.ContainsFunc(forms, t.matches.MatchString) {
			return t.item
		}
	}
	return nil
}

// template returns the held template that has the form of a URI template, or nil.
func (h *heldResources) template(template string) *Item {
	for _, t := range h.templates {
		if t.form == templateForm(template) {
			return t.item
		}
	}
	return nil
}
