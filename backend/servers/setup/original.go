package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Row is a row of a table, with the values of its columns as text. Columns that
// are NULL or missing in the table are not in the map.
type Row map[string]string

// Original is the content of a database of the original product, as it was read
// and without any check. A missing table is empty.
type Original struct {
	Servers, Tools, Secrets, Metrics, Presets []Row
}

// Metric sums up all calls of a tool.
type Metric struct {
	Server, Tool  string
	Calls, Errors int64
	Latency       time.Duration // sum over all calls
	LastAt        time.Time
}

// Preset is a saved set of arguments for a tool or a prompt.
type Preset struct {
	Server, Kind, Target, Name string
	Payload                    json.RawMessage // a JSON object
}

// rowsOf returns those rows that belong to a server of the original database.
func rowsOf(rows []Row, server Row) []Row {
	var out []Row
	for _, r := range rows {
		if r["server_id"] == server["id"] {
			out = append(out, r)
		}
	}
	return out
}

// server converts a row of the table of servers. It returns an error if the
// transport, arguments, variables or headers cannot be converted, because these
// determine what starting the server runs.
func (r Row) server() (registry.Server, error) {
	s := registry.Server{
		Name: r["name"], Description: r["description"], Command: r["command"],
		Source:     cmp.Or(r["source"], "local"),
		Package:    registry.Package{Name: r["package_name"], Version: r["package_version"], Latest: r["latest_version"]},
		Repository: r["repository"],
		URL:        cmp.Or(r["url"], r["homepage"]), // later versions have a separate column for the address of a remote server
		Installed:  r.flag("installed"), AlwaysListed: (r.flag("active") || r.flag("enabled")) && !r.flag("quarantined"),
	}
	var err error
	if s.Transport, err = registry.TransportFor(r["transport"], s.Command, r["url"]); err != nil {
		return s, err
	}
	if s.Args, err = texts(r["args"]); err != nil {
		return s, unusable("arguments", err)
	}
	if s.Env, err = textsByName(r["env"]); err != nil {
		return s, unusable("variables", err)
	}
	if s.Headers, err = textsByName(r["headers"]); err != nil {
		return s, unusable("headers", err)
	}
	s.Tags, _ = texts(r["tags"]) // a server is imported even if its tags are unreadable
	return s, nil
}

func unusable(what string, err error) error {
	return fault.Wrap(err, fault.Invalid, "could not read its %s: they are not JSON strings; configure the server again", what)
}

func (r Row) flag(column string) bool { return r.number(column) != 0 }

// number returns a column as a positive integer, and 0 for any other value.
func (r Row) number(column string) int64 {
	n, err := strconv.ParseFloat(r[column], 64)
	if err != nil || !(n > 0) || n > 1<<53 {
		return 0
	}
	return int64(n)
}

// at returns a column as a time. The database stores times in UTC.
func (r Row) at(column string) time.Time {
	for _, layout := range []string{time.DateTime, time.RFC3339} {
		if at, err := time.Parse(layout, r[column]); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// definition converts a row of the table of tools into a definition as in the
// result of tools/list.
func (r Row) definition() json.RawMessage {
	tool := struct {
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		Annotations  json.RawMessage `json:"annotations,omitempty"`
	}{r["name"], r["title"], r["description"], object(r["input_schema"]), object(r["output_schema"]), object(r["annotations"])}
	if tool.InputSchema == nil {
		tool.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(tool) // cannot fail, because object has checked all JSON
	return bytes.TrimSpace(out.Bytes())
}

func (r Row) metric(server string) Metric {
	return Metric{
		Server: server, Tool: r["tool_name"], Calls: r.number("call_count"), Errors: r.number("error_count"),
		Latency: time.Duration(min(r.number("total_latency_ms"), 1<<43)) * time.Millisecond, LastAt: r.at("last_called_at"),
	}
}

// object returns text if it is a JSON object, and nil otherwise.
func object(text string) json.RawMessage {
	raw := json.RawMessage(strings.TrimSpace(text))
	if !strings.HasPrefix(string(raw), "{") || !json.Valid(raw) {
		return nil
	}
	return raw
}

// texts decodes a JSON array of strings, numbers and booleans. An empty text is an
// empty array.
func texts(list string) ([]string, error) {
	var values []any
	if err := decode(list, &values); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(values))
	for _, v := range values {
		text, err := plain(v)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// textsByName decodes a JSON object of strings, numbers and booleans. An empty text
// and an empty array are an empty object, and members that are null are left out.
func textsByName(object string) (map[string]string, error) {
	if strings.TrimSpace(object) == "[]" {
		return map[string]string{}, nil
	}
	var values map[string]any
	if err := decode(object, &values); err != nil {
		return nil, err
	}
	out := make(map[string]string, len(values))
	for name, v := range values {
		if v == nil { // not set
			continue
		}
		text, err := plain(v)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

func decode(text string, into any) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // keeps the digits of numbers
	if !json.Valid([]byte(text)) || decoder.Decode(into) != nil {
		return errShape
	}
	return nil
}

// errShape is the error for text that is not JSON of the expected form. It does not
// quote the text, which may be a credential.
var errShape = errors.New("not JSON of strings")

// plain returns a decoded string, number or boolean as text.
func plain(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number, bool:
		return fmt.Sprint(v), nil
	}
	return "", errShape
}
