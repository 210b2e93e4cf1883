package api

import (
	"encoding/json"
	"reflect"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

// What requests may hold, for the OpenAPI document. Routes read their bodies
// raw and answer for them in words of their own; these types do not check.

type ticketFields struct {
	_       struct{} `additionalProperties:"true"`
	Purpose string   `json:"purpose" enum:"page,socket" doc:"a page's ticket is exchanged at /api/session, a socket's opens one WebSocket"`
}

type exchangeFields struct {
	_      struct{} `additionalProperties:"true"`
	Ticket string   `json:"ticket" doc:"of the purpose page, at most 30 seconds old; good once"`
}

// ServerFields are what may be said of a server, and changed.
type ServerFields struct {
	Description string            `json:"description,omitempty"`
	Command     string            `json:"command,omitempty" doc:"program that a stdio server is started with"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty" doc:"variables of the server's process"`
	Tags        []string          `json:"tags,omitempty"`
	Transport   string            `json:"transport,omitempty" doc:"stdio (the default), streamable-http or sse; a server with a command needs a homepage first"`
	Homepage    string            `json:"homepage,omitempty" doc:"URL of a remote server"`
	Headers     map[string]string `json:"headers,omitempty" doc:"sent to a remote server with each request"`
	KeepRunning bool              `json:"keep_running,omitempty" doc:"start it with the hub and never stop it for idleness"`
}

type changeableFields struct {
	_ struct{} `additionalProperties:"true"`
	ServerFields
}

type newServerFields struct {
	_      struct{} `additionalProperties:"true"`
	Name   string   `json:"name" pattern:"^[A-Za-z0-9._-]{1,64}$" doc:"without two underscores in a row"`
	Source string   `json:"source,omitempty" doc:"who configures it; local if not said"`
	ServerFields
}

type approvalFields struct {
	_          struct{} `additionalProperties:"true"`
	LaunchHash string   `json:"launch_hash,omitempty" doc:"of what was shown to the person; a server that has changed since is not approved"`
}

type secretFields struct {
	_     struct{} `additionalProperties:"true"`
	Value string   `json:"value"`
}

type callFields struct {
	_    struct{}        `additionalProperties:"true"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty" doc:"object; what the tool's input schema asks for"`
}

type uriFields struct {
	_   struct{} `additionalProperties:"true"`
	URI string   `json:"uri"`
}

type promptFields struct {
	_         struct{}          `additionalProperties:"true"`
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

type levelFields struct {
	_     struct{} `additionalProperties:"true"`
	Level string   `json:"level" enum:"debug,info,notice,warning,error,critical,alert,emergency"`
}

type transientFields struct {
	_         struct{}          `additionalProperties:"true"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Transport string            `json:"transport,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	TTL       int               `json:"ttl_ms,omitempty" doc:"how long the server is kept without use, in milliseconds"`
}

type presetFields struct {
	_       struct{}        `additionalProperties:"true"`
	Server  string          `json:"server"`
	Kind    string          `json:"kind" enum:"tool,prompt"`
	Target  string          `json:"target" doc:"the tool or prompt"`
	Preset  string          `json:"preset" doc:"the preset's name"`
	Payload json.RawMessage `json:"payload"`
}

type answerFields struct {
	_       struct{}        `additionalProperties:"true"`
	Action  string          `json:"action" enum:"accept,decline,cancel"`
	Content json.RawMessage `json:"content,omitempty" doc:"object; what the question's schema asks for"`
}

type passphraseFields struct {
	_          struct{} `additionalProperties:"true"`
	Passphrase string   `json:"passphrase" doc:"the first one becomes that of the sealed file"`
}

type migrateFields struct {
	_       struct{} `additionalProperties:"true"`
	DryRun  bool     `json:"dry_run,omitempty" doc:"true if not said: tell what would be moved"`
	Servers []string `json:"servers,omitempty" doc:"names; all if not said"`
}

type importFields struct {
	_      struct{}          `additionalProperties:"true"`
	Path   string            `json:"path" doc:"absolute; the file is only read"`
	DryRun bool              `json:"dry_run,omitempty" doc:"tell what would come in"`
	Rename map[string]string `json:"rename,omitempty" doc:"names there to names here"`
}

type syncFields struct {
	_    struct{} `additionalProperties:"true"`
	File string   `json:"file,omitempty" doc:"a setup file; the configured one if not said"`
}

type findFields struct {
	_     struct{} `additionalProperties:"true"`
	Query string   `json:"query" doc:"the need in plain words, as an agent would say it"`
	Limit float64  `json:"limit,omitempty" doc:"hits wanted, up to 50; 5 if not said"`
}

type learnedFields struct {
	_  struct{} `additionalProperties:"true"`
	On bool     `json:"on"`
}

type editorFields struct {
	_           struct{}          `additionalProperties:"true"`
	Editors     []string          `json:"editors,omitempty" doc:"ids"`
	All         bool              `json:"all,omitempty" doc:"all that are found here and can have our entry; to unregister: all that have it"`
	Project     string            `json:"project,omitempty" doc:"a project's folder, whose own files are meant instead of the user's"`
	Replace     bool              `json:"replace,omitempty" doc:"also an entry of our name that starts something else"`
	Expect      map[string]string `json:"expect,omitempty" doc:"hashes of the files as a plan has shown them, by path: one that has changed since is left alone"`
	Environment map[string]string `json:"environment,omitempty" doc:"variables that move editors' files, as the asking person has them"`
}

type editorPlanFields struct {
	_ struct{} `additionalProperties:"true"`
	editorFields
	Action  string   `json:"action" enum:"register,unregister,undo"`
	Changes []string `json:"changes,omitempty" doc:"to undo: ids of the history"`
}

type editorUndoFields struct {
	_       struct{} `additionalProperties:"true"`
	Changes []string `json:"changes" doc:"ids of the history"`
}

type editorSettingsFields struct {
	_            struct{} `additionalProperties:"true"`
	AutoRegister bool     `json:"auto_register"`
}

type scanFields struct {
	_      struct{} `additionalProperties:"true"`
	Text   string   `json:"text,omitempty" doc:"a configuration of any client, a part of one, or a command line"`
	Bundle string   `json:"bundle,omitempty" doc:"the whole path of an .mcpb or .dxt file"`
}

type intakeFields struct {
	_       struct{}          `additionalProperties:"true"`
	Servers []importer.Choice `json:"servers,omitempty" doc:"all that are not here if not said"`
	TakeOut bool              `json:"take_out,omitempty" doc:"take the entries out of the editors afterwards"`
	Text    string            `json:"text,omitempty" doc:"instead of the editors"`
	Bundle  string            `json:"bundle,omitempty" doc:"the whole path of an .mcpb or .dxt file, instead of the editors"`
	Values  map[string]string `json:"values,omitempty" doc:"answers to what a bundle asks"`
	DryRun  bool              `json:"dry_run,omitempty" doc:"tell what would come in"`
}

type pingFields struct {
	_ struct{} `additionalProperties:"true"`
}

// documented says what the body of each operation that takes one may hold, and
// whether it may be left out.
var documented = map[string]struct {
	body     reflect.Type
	optional bool
}{
	"POST /api/tickets":                   {body: reflect.TypeFor[ticketFields]()},
	"POST /api/session":                   {body: reflect.TypeFor[exchangeFields]()},
	"POST /api/servers":                   {body: reflect.TypeFor[newServerFields]()},
	"POST /api/servers/parse":             {body: reflect.TypeFor[parseFields]()},
	"POST /api/servers/names":             {body: reflect.TypeFor[namesFields]()},
	"PUT /api/servers/{id}":               {body: reflect.TypeFor[changeableFields]()},
	"POST /api/servers/{id}/approve":      {body: reflect.TypeFor[approvalFields](), optional: true},
	"PUT /api/servers/{id}/secrets/{key}": {body: reflect.TypeFor[secretFields]()},
	"POST /api/secrets/unlock":            {body: reflect.TypeFor[passphraseFields]()},
	"POST /api/secrets/migrate":           {body: reflect.TypeFor[migrateFields](), optional: true},
	"POST /api/import":                    {body: reflect.TypeFor[importFields]()},
	"POST /api/sync":                      {body: reflect.TypeFor[syncFields](), optional: true},
	"POST /api/find":                      {body: reflect.TypeFor[findFields]()},
	"PUT /api/learned":                    {body: reflect.TypeFor[learnedFields]()},
	"POST /api/editors/plan":              {body: reflect.TypeFor[editorPlanFields]()},
	"POST /api/editors/register":          {body: reflect.TypeFor[editorFields]()},
	"POST /api/editors/unregister":        {body: reflect.TypeFor[editorFields]()},
	"POST /api/editors/undo":              {body: reflect.TypeFor[editorUndoFields]()},
	"PUT /api/editors/settings":           {body: reflect.TypeFor[editorSettingsFields]()},
	"POST /api/editors/reviewed":          {body: reflect.TypeFor[pingFields](), optional: true},
	"POST /api/editors/scan":              {body: reflect.TypeFor[scanFields]()},
	"POST /api/editors/import":            {body: reflect.TypeFor[intakeFields]()},
	"POST /api/transient":                 {body: reflect.TypeFor[transientFields]()},
	"POST /api/presets":                   {body: reflect.TypeFor[presetFields]()},
	"POST /api/elicitations/{id}/respond": {body: reflect.TypeFor[answerFields]()},
	// of a configured server, and of a transient one
	"POST …/call":                 {body: reflect.TypeFor[callFields]()},
	"POST …/resource/read":        {body: reflect.TypeFor[uriFields]()},
	"POST …/resource/subscribe":   {body: reflect.TypeFor[uriFields]()},
	"POST …/resource/unsubscribe": {body: reflect.TypeFor[uriFields]()},
	"POST …/prompt/get":           {body: reflect.TypeFor[promptFields]()},
	"POST …/logging-level":        {body: reflect.TypeFor[levelFields]()},
	"POST …/ping":                 {body: reflect.TypeFor[pingFields]()},
}
