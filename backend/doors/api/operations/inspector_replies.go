package operations

// These types only describe the answers of servers, which the hub passes on byte for byte. They have the members that
// MCP requires and those that clients need most; a server may send more.
type (
	toolsReply struct {
		Tools []mcpObject `json:"tools" nullable:"false" doc:"All tools as the server listed them: objects with name, inputSchema and more."`
	}
	resourcesReply struct {
		Resources  []mcpObject `json:"resources" nullable:"false" doc:"Resources as the server listed them: objects with uri, name and more."`
		NextCursor string      `json:"nextCursor,omitempty" doc:"The value of cursor for the next page; missing on the last page."`
	}
	templatesReply struct {
		Templates  []mcpObject `json:"resourceTemplates" nullable:"false" doc:"Templates as the server listed them: objects with uriTemplate, name and more."`
		NextCursor string      `json:"nextCursor,omitempty" doc:"The value of cursor for the next page; missing on the last page."`
	}
	promptsReply struct {
		Prompts    []mcpObject `json:"prompts" nullable:"false" doc:"Prompts as the server listed them: objects with name and more."`
		NextCursor string      `json:"nextCursor,omitempty" doc:"The value of cursor for the next page; missing on the last page."`
	}
	contentsReply struct {
		Contents []mcpObject `json:"contents" nullable:"false" doc:"The contents: objects with uri, and text or blob."`
	}
	messagesReply struct {
		Description string      `json:"description,omitempty"`
		Messages    []mcpObject `json:"messages" nullable:"false" doc:"The messages: objects with role and content."`
	}
	completionReply struct {
		Values  []string `json:"values" nullable:"false" doc:"Suggested values, best first; MCP allows at most 100."`
		Total   int      `json:"total,omitempty" doc:"Number of all values, including those that are not in the list, if the server reports it."`
		HasMore bool     `json:"hasMore,omitempty" doc:"Whether there are more values than those in the list."`
	}
	callReply struct {
		Content           []mcpObject `json:"content,omitempty" nullable:"false" doc:"Content blocks of the result: objects with the member type and, for the type text, the member text."`
		StructuredContent mcpObject   `json:"structuredContent,omitempty" doc:"The result as an object, if the tool has an output schema."`
		IsError           bool        `json:"isError,omitempty" doc:"Whether the tool failed."`
		DidYouMean        []string    `json:"did_you_mean,omitempty" nullable:"false" doc:"If the server has no tool of the given name, the similar names of other tools."`
		ArgumentsError    string      `json:"arguments_error,omitempty" doc:"If the tool failed and the arguments of the call violate its input schema, how they do, for people. The wording may change."`
	}
)

// mcpObject is a JSON object that MCP defines, such as a tool or a content block.
type mcpObject map[string]any
