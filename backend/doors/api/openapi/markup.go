package openapi

import (
	"bytes"
	"fmt"
	"html"
)

// markup builds HTML and escapes all values. Package html/template is not used because a program that links it keeps
// every exported method of every type, which costs each companion process megabytes of memory.
type markup struct{ bytes.Buffer }

// add appends format with its %s verbs replaced by the escaped values.
func (m *markup) add(format string, values ...string) {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = html.EscapeString(v)
	}
	_, _ = fmt.Fprintf(m, format, escaped...) // writing to a buffer cannot fail
}

// html renders the page.
func (p docPage) html() []byte {
	m := &markup{}
	m.add(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<header>
<h1>%s <small>%s</small></h1>
<nav aria-label="Groups">`, p.Title, p.Title, p.Version)
	for _, group := range p.Groups {
		m.add(`<a href="#%s">%s</a>`, group.Name, group.Name)
	}
	m.add("<a href=\"#websocket\">websocket</a><a href=\"#shapes\">schemas</a><a href=\"/openapi.json\">openapi.json</a><a " +
		"href=\"/asyncapi.json\">asyncapi.json</a></nav>\n</header>\n<main>\n")
	for _, paragraph := range p.Intro {
		m.add("<p>%s</p>\n", paragraph)
	}
	for _, group := range p.Groups {
		m.add("<section id=\"%s\">\n<h2>%s <small>%s</small></h2>\n", group.Name, group.Name, group.Description)
		for _, operation := range group.Operations {
			m.operation(operation)
		}
		m.add("</section>\n")
	}
	m.channel(p.Channel)
	m.add("<section id=\"shapes\">\n<h2>schemas <small>Objects in requests and responses</small></h2>\n")
	for _, schema := range p.Schemas {
		m.add("<details id=\"shape-%s\">\n<summary><code>%s</code></summary>\n<div class=\"operation\">", schema.Name, schema.Name)
		m.fields(schema.Fields)
		m.add("</div>\n</details>\n")
	}
	m.add("</section>\n</main>\n</body>\n</html>\n")
	return m.Bytes()
}

func (m *markup) channel(c docChannel) {
	m.add("<section id=\"websocket\">\n<h2>websocket <small>Messages on the WebSocket at / or /ws</small></h2>\n<p>%s</p>\n", c.Limits)
	for _, message := range c.Messages {
		direction := map[bool]string{true: "to the hub", false: "from the hub"}[message.FromClient]
		m.add("<details id=\"message-%s\">\n<summary><code>%s</code> <span>%s: %s</span></summary>\n<div class=\"operation\">",
			message.Name, message.Name, direction, message.Description)
		m.fields(message.Fields)
		m.add("</div>\n</details>\n")
	}
	m.add("</section>\n")
}

func (m *markup) operation(o docOperation) {
	m.add("<details id=\"%s\">\n<summary><b class=\"%s\">%s</b> <code>%s</code> <span>%s</span></summary>\n<div class=\"operation\">\n",
		o.ID, o.Method, o.Method, o.Path, o.Summary)
	if o.Public {
		m.add("<p class=\"note\">No token required.</p>\n")
	}
	if len(o.Parameters) > 0 {
		m.add("<h3>Parameters</h3>\n")
		m.fields(o.Parameters)
	}
	if len(o.Body) > 0 {
		m.add("<h3>Body%s</h3>\n", map[bool]string{true: " (optional)"}[o.BodyOptional])
		m.fields(o.Body)
	}
	m.add("<h3>Responses</h3>\n<table>\n")
	for _, answer := range o.Answers {
		m.add(`<tr><th scope="row">%s</th><td>%s</td><td>`, answer.Status, answer.Text)
		m.kind(answer.Type, answer.Ref)
		m.add("</td></tr>\n")
	}
	m.add("</table>\n</div>\n</details>\n")
}

func (m *markup) fields(fields []docField) {
	m.add("<table>\n")
	for _, field := range fields {
		m.add(`<tr><th scope="row"><code>%s</code>`, field.Name)
		if field.Required {
			m.add(` <abbr title="required">*</abbr>`)
		}
		m.add("</th><td>")
		if field.In != "" {
			m.add("%s, ", field.In)
		}
		m.kind(field.Type, field.Ref)
		m.add("</td><td>%s</td></tr>\n", field.Doc)
	}
	m.add("</table>\n")
}

func (m *markup) kind(text, ref string) {
	if ref == "" {
		m.add("%s", text)
		return
	}
	m.add(`<a href="#shape-%s">%s</a>`, ref, text)
}
