package names

// kind says which kind of name a JSON value is.
type kind int

const (
	noName  kind = iota
	kindURI      // a URI or a URI template
	kindTask
	kindContent // not a string: a content block, or an array of content blocks
)

// places describes which parts of a JSON value contain names. The zero value describes a value without names.
type places struct {
	kind    kind
	members []member
	others  *places // for all members that are not in members
	each    *places // for the elements of an array
}

type member struct {
	name string
	in   *places
}

const relatedTask = "io.modelcontextprotocol/related-task"

var (
	aURI     = &places{kind: kindURI}
	aTask    = &places{kind: kindTask}
	blocks   = &places{kind: kindContent}
	withURI  = object(member{"uri", aURI})
	withTask = object(member{"taskId", aTask})

	related = member{relatedTask, withTask}
	meta    = member{"_meta", object(related)}
	// uiMeta is the _meta of tools and of their results. In MCP Apps it names the resource with the view, in
	// one of three spellings.
	uiMeta = member{"_meta", object(
		related,
		member{"ui", object(member{"resourceUri", aURI})},
		member{"ui/resourceUri", aURI},
		member{"openai/outputTemplate", aURI},
	)}

	messages = member{"messages", list(object(member{"content", blocks}))}
	contents = member{"contents", list(withURI)}
	sampling = object(meta, messages)
	// inputs describes the member of a result that contains the server's requests to the client. A result has this
	// member if the server asks for input.
	inputs    = member{"inputRequests", &places{others: object(member{"params", sampling})}}
	resources = object(meta, member{"resources", list(withURI)})
	skill     = object(member{"uri", aURI}, member{"resources", list(withURI)})
	// answer contains the members in which the result of any request that may run as a task can have names.
	answer = []member{uiMeta, {"content", blocks}, messages, contents}
	// task is the state of a task, which contains the result once the task is completed.
	task = object(meta, member{"taskId", aTask}, member{"result", object(answer...)}, inputs)
)

// anyMessage describes messages whose method is not in shown.
var anyMessage = object(meta)

// shown maps methods to the places of names in results and in the params of notifications and requests from servers.
var shown = map[string]*places{
	"tools/list":               object(meta, member{"tools", list(object(uiMeta))}),
	"tools/call":               object(uiMeta, member{"content", blocks}, inputs, member{"taskId", aTask}, member{"task", withTask}),
	"prompts/get":              object(meta, messages, inputs),
	"resources/list":           resources,
	"resources/directory/read": resources,
	"resources/templates/list": object(meta, member{"resourceTemplates", list(object(member{"uriTemplate", aURI}))}),
	"resources/read":           object(meta, contents, inputs),
	"skills/list":              object(meta, member{"skills", list(skill)}),
	"skills/get":               object(meta, member{"skill", skill}),
	"tasks/get":                task,
	"tasks/cancel":             task,
	"tasks/list":               object(meta, member{"tasks", list(withTask)}),
	"tasks/result":             object(answer...),

	"sampling/createMessage":          sampling,
	"notifications/resources/updated": object(meta, member{"uri", aURI}),
	"notifications/tasks":             task,
	"notifications/tasks/status":      task,
	"notifications/subscriptions/acknowledged": object(meta, member{"notifications", object(
		member{"resourceSubscriptions", list(aURI)}, member{"taskIds", list(aTask)},
	)}),
}

func object(members ...member) *places { return &places{members: members} }

func list(each *places) *places { return &places{each: each} }
