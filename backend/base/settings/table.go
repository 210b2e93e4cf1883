package settings

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Row describes one setting of config.yaml. The decoder of the file, its JSON Schema, the environment variables, the page
// Settings, the guide and the error messages use it. To add a setting, add a field to Settings and a row to the table.
type Row struct {
	Key     string // in config.yaml
	Former  string // the key in earlier versions, which is read, too; empty for none
	Group   string // heading on the page, one of Groups; empty for settings that are only edited in the file
	Label   string // name on the page
	Help    string // what the setting does, on the page and in the schema
	Comment string // beside the default in the guide
	Choices []string
	Env     string // environment variable that overrides the file, without AGENT_DISCOVER_; empty for none
	Live    bool   // a change takes effect at once; otherwise after a restart
	Machine bool   // the value suits one machine, so that other machines of the user do not get it; see Shared

	fallback any                           // default
	of       func(*Settings) any           // returns a pointer to the variable
	set      func(*Settings, string) error // sets the variable from the environment; if nil, assign sets it
	check    func(*Settings) string        // returns what is wrong with the value, as text to follow the key, or ""; may be nil
	schema   string                        // members of the schema beyond type, description, default and choices, as JSON
}

// Groups are the headings of the page Settings in their order.
var Groups = []string{"Agents and tools", "Trust", "Servers", "Search", "Records and files", "Hub"}

// Table has all settings in the order of the guide.
var Table = []Row{
	{
		Key: "port", Machine: true, Group: "Hub", Label: "Port", Help: "Port of the hub on this machine; 0, or a port in use: any free one",
		Comment: "of the hub on loopback; if it is in use, a free port is chosen", Env: "PORT",
		fallback: 3424, of: func(s *Settings) any { return &s.Port },
		check: between(func(s *Settings) int { return s.Port }, 0, 65535, "0 (any free one)"), schema: `"minimum":0,"maximum":65535`,
	},
	{
		Key: "agents.install", Group: "Agents and tools", Label: "Agents may add servers and toolsets", Help: "ask: a person approves each",
		Comment: "may agents install servers? ask, allow or deny", Choices: []string{"ask", "allow", "deny"}, Live: true,
		fallback: "ask", of: func(s *Settings) any { return &s.Agents.Install },
	},
	{
		Key: "limits.start_timeout", Group: "Servers", Live: true, Label: "Start timeout",
		Help: "Time for a server to start and list its tools, such as 1m", Comment: "for a server to start and list its tools",
		fallback: time.Minute, of: func(s *Settings) any { return &s.Limits.StartTimeout },
		check: positive(func(s *Settings) time.Duration { return s.Limits.StartTimeout }),
	},
	{
		Key: "limits.call_timeout", Group: "Servers", Live: true, Label: "Call timeout",
		Help: "Time for a call without an answer or progress, such as 90s", Comment: "for a call without an answer or progress",
		fallback: time.Minute, of: func(s *Settings) any { return &s.Limits.CallTimeout },
		check: positive(func(s *Settings) time.Duration { return s.Limits.CallTimeout }),
	},
	{
		Key: "limits.idle_stop", Group: "Servers", Live: true, Label: "Stop idle servers after",
		Help: "Time since the last call of a server, such as 5m", Comment: "stop a server so long after its last call",
		fallback: 5 * time.Minute, of: func(s *Settings) any { return &s.Limits.IdleStop },
		check: positive(func(s *Settings) time.Duration { return s.Limits.IdleStop }),
	},
	{
		Key: "limits.refresh_tools", Group: "Servers", Live: true, Label: "List tools again every",
		Help:    "For running servers that do not announce changes; 0s: never",
		Comment: "list the tools of running servers again that do not announce changes; 0s never", fallback: 30 * time.Second,
		of: func(s *Settings) any { return &s.Limits.RefreshTools }, check: func(s *Settings) string {
			return unless(s.Limits.RefreshTools == 0 || s.Limits.RefreshTools >= time.Second, "must be 0s (never) or at least 1s")
		},
	},
	{
		Key: "limits.processes", Machine: true, Group: "Servers", Live: true, Label: "Processes at the same time",
		Help:    "How many processes of servers may run; 0: any number",
		Comment: "processes of servers that may run at the same time; 0 for any number", fallback: 100, of: func(s *Settings) any {
			return &s.Limits.Processes
		}, check: atLeast(func(s *Settings) int { return s.Limits.Processes }, 0, "must be 0 (no limit) or more"), schema: `"minimum":0`,
	},
	{
		Key: "limits.server_memory_mb", Machine: true, Group: "Servers", Live: true, Label: "Memory of a server",
		Help:    "In MiB; 0: any amount",
		Comment: "stop a server that takes more memory than this; 0 never", fallback: 8192,
		of:    func(s *Settings) any { return &s.Limits.ServerMemoryMB },
		check: atLeast(func(s *Settings) int { return s.Limits.ServerMemoryMB }, 0, "must be 0 (no limit) or more"), schema: `"minimum":0`,
	},
	{
		Key: "log.retention_days", Group: "Records and files", Label: "Days to keep the log of calls", Help: "0: forever",
		Env: "LOG_RETENTION_DAYS", Comment: "0 keeps log entries forever", fallback: 30,
		of:     func(s *Settings) any { return &s.Log.RetentionDays },
		check:  between(func(s *Settings) int { return s.Log.RetentionDays }, 0, maxRetention, "0 (keep log entries forever)"),
		schema: fmt.Sprintf(`"minimum":0,"maximum":%d`, maxRetention),
	},
	{
		Key: "audit.retention_days", Group: "Records and files", Label: "Days to keep the audit log", Help: "0: forever",
		Comment: "0 keeps the audit log forever", fallback: 365, of: func(s *Settings) any { return &s.Audit.RetentionDays },
		check:  between(func(s *Settings) int { return s.Audit.RetentionDays }, 0, maxRetention, "0 (keep the audit log forever)"),
		schema: fmt.Sprintf(`"minimum":0,"maximum":%d`, maxRetention),
	},
	{
		Key: "audit.required", Group: "Records and files", Label: "Refuse calls that cannot be recorded",
		Help: "For example while the disk is full", Comment: "refuse calls that cannot be recorded, for example on a full disk",
		Live: true, fallback: false, of: func(s *Settings) any { return &s.Audit.Required },
	},
	{
		Key: "search.provider", Machine: true, Group: "Search", Label: "Embedding provider",
		Help:    "Compares needs and tools by meaning; builtin works without a network",
		Comment: "embedding provider: builtin, none, local or openai", Choices: Providers, Env: "EMBEDDING_PROVIDER",
		fallback: ProviderBuiltin, of: func(s *Settings) any { return &s.Search.Provider },
		check: func(s *Settings) string { return s.Search.wrongBaseURL() },
	},
	{
		Key: "search.model", Machine: true, Group: "Search", Label: "Model", Help: "Of the providers local and openai",
		Comment: "model of local and openai", Env: "EMBEDDING_MODEL", fallback: "", of: func(s *Settings) any { return &s.Search.Model },
	},
	{
		Key: "search.url", Machine: true, Group: "Search", Label: "Address", Help: "Of the provider local", Comment: "address of local",
		fallback: defaultSearchURL, of: func(s *Settings) any { return &s.Search.URL },
		check: func(s *Settings) string { return s.Search.wrongURL() },
	},
	{
		Key: "search.threads", Machine: true, Group: "Search", Label: "Background cores", Help: "That the provider builtin may use",
		Env: "EMBEDDING_THREADS", Comment: "cores that builtin may use in the background", fallback: 1,
		of:    func(s *Settings) any { return &s.Search.Threads },
		check: atLeast(func(s *Settings) int { return s.Search.Threads }, 1, "must be at least 1"), schema: `"minimum":1`,
	},
	{
		Key: "search.idle_unload", Group: "Search", Label: "Unload the model after", Help: "Time since its last use; 0s: never",
		Env: "EMBEDDING_IDLE_TIMEOUT", Comment: "unload builtin so long after its last use; 0s: never", fallback: time.Minute,
		of: func(s *Settings) any { return &s.Search.IdleUnload }, check: func(s *Settings) string {
			return unless(s.Search.IdleUnload >= 0, "must be 0 (keep the model in memory) or more")
		},
	},
	{
		Key: "search.learning", Group: "Search", Label: "Learn from calls", Help: "Prefer tools that agents called after similar queries",
		Comment:  "prefer tools that agents called after similar queries",
		fallback: true, of: func(s *Settings) any { return &s.Search.Learning },
	},
	{
		Key: "editors.auto_register", Machine: true, Group: "Hub", Label: "Register new editors automatically",
		Help: "Editors that you install from now on get the entry when they are found, which you can undo; otherwise their files stay " +
			"unchanged until you register them",
		Comment: "add the entry to newly found editors", Live: true, fallback: false,
		of: func(s *Settings) any { return &s.Editors.AutoRegister },
	},
	{
		Key: "session_tools.on", Help: "Editors to whose list find_tool adds what it finds",
		Comment: "editors, as gemini-cli, to whose list find_tool adds what it finds", Live: true, fallback: []string(nil),
		of: func(s *Settings) any { return &s.SessionTools.On }, check: func(s *Settings) string {
			both := slices.ContainsFunc(s.SessionTools.On, func(id string) bool { return slices.Contains(s.SessionTools.Off, id) })
			return unless(!both, "and session_tools.off name the same client")
		},
		schema: textItems,
	},
	{
		Key: "session_tools.off", Help: "Editors to whose list find_tool adds nothing", Comment: "editors to whose list it adds nothing",
		Live: true, fallback: []string(nil), of: func(s *Settings) any { return &s.SessionTools.Off }, schema: textItems,
	},
	{
		Key: "trust.changes", Group: "Trust", Label: "Changed and new tools",
		Help:    "ask: a person approves them; clean: only those in which the scan finds something",
		Comment: "texts that servers change or add: ask, or clean (approve what the scan finds clean)",
		Choices: trustChanges, Live: true, fallback: "ask", of: func(s *Settings) any { return &s.Trust.Changes },
	},
	{
		Key: "trust.results", Group: "Trust", Label: "Results that give orders",
		Help:    "note: log only; mark: also tell the agent; block: keep back until a person releases it",
		Comment: "results that give orders to agents: note, mark or block", Choices: trustResults, Live: true, fallback: "note",
		of: func(s *Settings) any { return &s.Trust.Results },
	},
	{
		Key: "trust.credentials", Group: "Trust", Label: "Credentials in calls",
		Help:    "warn: log only; mask: replace; block: refuse the call or keep back its result",
		Comment: "credentials in arguments and results: off, warn, mask or block", Choices: trustCredentials, Live: true, fallback: "warn",
		of: func(s *Settings) any { return &s.Trust.Credentials },
	},
	{
		Key: "trust.rules", Help: "Other values for some tools; the first rule that matches and has a value decides",
		Comment: "other values for some tools, as {server: github, pattern: get_*, results: mark}", Live: true,
		fallback: TrustRules(nil), of: func(s *Settings) any { return &s.Trust.Rules }, schema: `"items":{"$ref":"#/$defs/trustRule"}`,
	},
	{
		Key: "results.folder", Machine: true, Group: "Records and files", Label: "Folder for files of long results",
		Help: "Folder in which agents may save images, sounds and files, as new files that only you can read; if empty, they may " +
			"save none",
		Comment: "where agents may save images, sounds and files from results of tools; none: they may not",
		Live:    true, fallback: "", of: func(s *Settings) any { return &s.Results.Folder },
	},
	{
		Key: "oauth.client_id_document", Group: "Hub", Label: "Client ID document",
		Help:    "https URL of a client ID metadata document that you host; empty: the hub registers itself",
		Comment: "https URL of a client ID metadata document that you host; none: the hub registers itself", fallback: "",
		of: func(s *Settings) any { return &s.OAuth.ClientIDDocument }, check: func(s *Settings) string {
			return unless(s.OAuth.ClientIDDocument == "" || isClientID(s.OAuth.ClientIDDocument),
				"must be the https:// URL of a document, with a path and without user, query, fragment or dots between slashes")
		},
		schema: `"pattern":"^(https://.*)?$"`,
	},
	{
		Key: "market.registry_url", Group: "Hub", Label: "Registry of servers",
		Help:    "Address of the official registry of MCP servers, or of one like it; empty: it is not searched",
		Comment: `official registry of MCP servers, or one like it; "": it is not searched`, Env: "REGISTRY_URL",
		fallback: OfficialRegistry, of: func(s *Settings) any { return &s.Market.RegistryURL }, set: func(s *Settings, value string) error {
			if s.Market.RegistryURL = value; value == "off" {
				s.Market.RegistryURL = ""
			}
			return nil
		},
		check: func(s *Settings) string {
			return unless(s.Market.RegistryURL == "" || address(s.Market.RegistryURL),
				`must be an address such as https://registry.example.com, without user, password or query; "" switches it off`)
		},
		schema: `"pattern":"^(https?://.*)?$"`,
	},
	{
		Key: "roots", Machine: true, Help: "URIs of folders that servers get as their MCP roots",
		Comment: "file:// URIs that servers get as roots",
		Env:     "ROOTS", fallback: []string(nil), of: func(s *Settings) any { return &s.Roots },
		check: func(s *Settings) string {
			wrong := slices.ContainsFunc(s.Roots, func(root string) bool { return !strings.HasPrefix(root, "file://") })
			return unless(!wrong, "must be file:// URIs, not %q", s.Roots)
		},
		schema: `"items":{"type":"string","pattern":"^file://"}`,
	},
	{
		Key: "setup_file", Machine: true, Group: "Records and files", Label: "Setup file",
		Help: "JSON file that declares servers, which the hub adds when it starts; empty: none", Comment: "JSON file that declares servers",
		Env: "SETUP_FILE", fallback: "", of: func(s *Settings) any { return &s.SetupFile },
		set: func(s *Settings, value string) (err error) {
			s.SetupFile, err = absolute(".", value)
			return err
		},
	},
	{
		Key: "discovery.enabled", Group: "Agents and tools", Label: "Apply rules and overrides",
		Help: "Limits of clients and approvals always apply", Comment: "whether tool_rules and tool_overrides apply", Env: "DISCOVERY",
		Live: true, fallback: true, of: func(s *Settings) any { return &s.Discovery.Enabled },
	},
	{
		Key: "discovery.start_new", Former: "discovery.startNew", Group: "Agents and tools", Label: "Start new servers once",
		Help: "In the background, to list their tools; otherwise the first call starts a server, and agents do not find its tools " +
			"before",
		Comment: "start each new server once in the background, to list its tools; otherwise its first call starts it", Live: true,
		fallback: true, of: func(s *Settings) any { return &s.Discovery.StartNew },
	},
	{
		Key: "discovery.cache.enabled", Group: "Agents and tools", Label: "Cache tool lists",
		Help: "Otherwise list_tools and inspect ask the servers each time", Env: "CACHE", Live: true, fallback: true,
		of: func(s *Settings) any { return &s.Discovery.Cache.Enabled },
	},
	{
		Key: "discovery.cache.ttl", Group: "Agents and tools", Label: "Tool list lifetime",
		Help:    "Seconds, or a time such as 30m; older lists are read again",
		Comment: "how long list_tools and inspect use the list of a server before they ask it again, in seconds",
		Env:     "CACHE_TTL", Live: true, fallback: Seconds(time.Hour), of: func(s *Settings) any { return &s.Discovery.Cache.TTL },
		schema: `"exclusiveMinimum":0,"pattern":"^[0-9]"`,
	},
	{
		Key: "discovery.sources", Machine: true, Help: "Editors and files from which servers are imported",
		Comment: "whose servers may be imported, as {editor: cursor} or {file: mcp.json}", Live: true, fallback: Sources(nil),
		of: func(s *Settings) any { return &s.Discovery.Sources }, schema: `"items":{"$ref":"#/$defs/source"}`,
	},
	{
		Key: "discovery.tool_rules", Former: "discovery.toolRules", Comment: "which tools are enabled; see below", Live: true,
		Help: "The first rule with enabled that matches a tool decides; tags gather from all rules that match. " +
			"If any rule says enabled: true, tools that no rule is about are disabled.",
		fallback: ToolRules(nil), of: func(s *Settings) any { return &s.Discovery.ToolRules },
		schema: `"items":{"$ref":"#/$defs/toolRule"}`,
	},
	{
		Key: "discovery.tool_overrides", Former: "discovery.toolOverrides",
		Comment: "other names and descriptions, and fixed arguments, of tools",
		Live:    true, Help: "Other names, descriptions and fixed arguments of single tools", fallback: ToolOverrides(nil),
		of: func(s *Settings) any { return &s.Discovery.ToolOverrides }, schema: `"items":{"$ref":"#/$defs/toolOverride"}`,
	},
	{
		Key: "discovery.clients", Comment: "limits for single clients", Live: true,
		Help:     "Limits for single clients. deny goes before allow. If any item of a client has allow, the client has no other tools.",
		fallback: ClientLimits(nil), of: func(s *Settings) any { return &s.Discovery.Clients },
		schema: `"items":{"$ref":"#/$defs/clientLimit"}`,
	},
	{
		Key: "discovery.approval.destructive", Group: "Agents and tools", Label: "Ask before destructive calls",
		Help: "A person approves each call of a tool that may destroy something",
		Live: true, fallback: false, of: func(s *Settings) any { return &s.Discovery.Approval.Destructive },
	},
	{
		Key: "discovery.approval.rules", Help: "Which calls need a person's approval; the first rule that matches a tool decides",
		Comment: "which calls need a person's approval", Live: true, fallback: ApprovalRules(nil),
		of: func(s *Settings) any { return &s.Discovery.Approval.Rules }, schema: `"items":{"$ref":"#/$defs/approvalRule"}`,
	},
	{
		Key: "warm_packages", Group: "Servers", Label: "Download packages early", Help: "As soon as a server that npx or uvx runs is added",
		Comment:  "download npx and uvx packages when a server is added",
		fallback: true, of: func(s *Settings) any { return &s.WarmPackages },
	},
}

const textItems = `"items":{"type":"string"}`

// Default returns the settings that apply without config.yaml.
func Default() Settings {
	var s Settings
	for _, row := range Table {
		reflect.ValueOf(row.of(&s)).Elem().Set(reflect.ValueOf(row.fallback))
	}
	return s
}

// keys maps the keys of all settings in the file, including former keys, to pointers to the fields of s.
func (s *Settings) keys() map[string]any {
	keys := make(map[string]any, len(Table))
	for _, row := range Table {
		keys[row.Key] = row.of(s)
		if row.Former != "" {
			keys[row.Former] = row.of(s)
		}
	}
	return keys
}

// spellings returns the current and the former key of the setting whose current or former key is key. former is empty
// if the setting has no former key.
func spellings(key string) (now, former string) {
	for _, row := range Table {
		if row.Former != "" && (row.Former == key || row.Key == key) {
			return row.Key, row.Former
		}
	}
	return key, ""
}

// check returns a problem for each setting with an invalid value.
func (s *Settings) check() (out problems) {
	for _, row := range Table {
		about := row.Key
		if variable := row.Variable(); variable != "" {
			about += " (" + variable + ")"
		}
		wrong := ""
		if choice, ok := row.of(s).(*string); ok && row.Choices != nil && !slices.Contains(row.Choices, *choice) {
			last := len(row.Choices) - 1
			wrong = fmt.Sprintf("is %q; it must be %s or %s", *choice, strings.Join(row.Choices[:last], ", "), row.Choices[last])
		} else if row.check != nil {
			wrong = row.check(s)
		}
		if wrong != "" {
			out = append(out, Problem{Key: row.Key, Text: about + " " + wrong})
		}
	}
	return out
}

// Variable returns the name of the environment variable that overrides the setting; empty if there is none.
func (r Row) Variable() string {
	if r.Env == "" {
		return ""
	}
	return prefix + r.Env
}

// prefix is the beginning of the names of all environment variables of this program.
const prefix = "AGENT_DISCOVER_"

// overrides applies those environment variables of the table that are set.
func (s *Settings) overrides() error {
	for _, row := range Table {
		if row.Env == "" {
			continue
		}
		value := os.Getenv(row.Variable())
		if value == "" {
			continue
		}
		set := row.set
		if set == nil {
			set = func(s *Settings, value string) error { return assign(row.of(s), row.Variable(), value) }
		}
		if err := set(s, value); err != nil {
			return err
		}
	}
	return nil
}

// assign sets a variable to the value of the environment variable name.
func assign(variable any, name, value string) error {
	number := func(unit string) (int, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n > maxSeconds {
			return 0, fault.New(fault.Invalid, "%s is %q; it must be a whole number%s", name, value, unit)
		}
		return n, nil
	}
	var err error
	switch v := variable.(type) {
	case *string:
		*v = value
	case *int:
		*v, err = number("")
	case *bool:
		if value != "on" && value != "off" {
			return fault.New(fault.Invalid, "%s is %q; it must be on or off", name, value)
		}
		*v = value == "on"
	case *time.Duration:
		var seconds int
		seconds, err = number(" of seconds")
		*v = time.Duration(seconds) * time.Second
	case *Seconds:
		var seconds int
		if seconds, err = number(" of seconds, at least 1"); err == nil && seconds < 1 {
			err = fault.New(fault.Invalid, "%s is %q; it must be a whole number of seconds, at least 1", name, value)
		}
		*v = Seconds(time.Duration(seconds) * time.Second)
	case *[]string:
		*v = nil
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" {
				*v = append(*v, item)
			}
		}
	default:
		panic(fmt.Sprintf("settings: %s cannot set a %T", name, variable)) // cannot happen: a test sets each variable
	}
	return err
}

// unless returns the formatted problem, or "" if the condition holds.
func unless(holds bool, format string, args ...any) string {
	if holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func positive(of func(*Settings) time.Duration) func(*Settings) string {
	return func(s *Settings) string { return unless(of(s) > 0, "must be more than 0") }
}

func atLeast(of func(*Settings) int, least int, text string) func(*Settings) string {
	return func(s *Settings) string { return unless(of(s) >= least, "%s", text) }
}

// between returns a check that a number is from least to most. The error message shows meaning in place of the number
// least.
func between(of func(*Settings) int, least, most int, meaning string) func(*Settings) string {
	return func(s *Settings) string {
		return unless(of(s) >= least && of(s) <= most, "is %d; it must be from %s to %d", of(s), meaning, most)
	}
}
