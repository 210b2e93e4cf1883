package operations

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Questions holds the operations on elicitations, which are questions of servers to the user, and on remembered answers.
type Questions struct {
	Inbox *inspector.Inbox
}

// Routes adds the operations with their handlers to a route table.
func (q *Questions) Routes(t *route.Table) {
	g := t.Group("tester")
	route.Add(g, route.Get("/api/elicitations", "List unanswered questions of servers"), q.elicitations)
	route.Add(g, route.Post("/api/elicitations/{id}/respond", "Answer a question of a server"), q.respond)
	route.Add(g, route.Get("/api/answers",
		"List remembered answers, which the hub gives to servers without asking the user again"), q.answers)
	route.Add(g, route.Get("/api/answers/{id}", "Retrieve the values of a remembered answer"), q.values)
	route.Add(g, route.Delete("/api/answers/{id}", "Forget a remembered answer"), q.forget)
}

// elicitation is the API's view of an elicitation: a question of a server to the user.
type elicitation struct {
	ID         string          `json:"id" doc:"Unique identifier of the question."`
	ServerName string          `json:"serverName"`
	Client     string          `json:"client,omitempty" doc:"Name of the MCP client whose call caused the question; missing if it is not known or the call came over REST."`
	Mode       string          `json:"mode" enum:"form,url,sampling,approval" doc:"form: the server asks for values. url: the server asks the user to open a web page. sampling: the server asks for a message from a model, and the user writes it. approval: the hub asks whether a client may call a tool of the server; only a person can accept."`
	Message    string          `json:"message" doc:"The question."`
	Schema     json.RawMessage `json:"requestedSchema" doc:"JSON schema of the answer's content, for the mode form."`
	URL        string          `json:"url,omitempty" doc:"URL of the web page, as the server sent it. Check it before you open it."`
	Request    json.RawMessage `json:"request,omitempty" doc:"For the mode sampling, object with the parameters of sampling/createMessage: messages, systemPrompt, maxTokens and more. For approval, object with the members tool and arguments."`
	CreatedAt  int64           `json:"createdAt" doc:"When the server asked, in milliseconds since 1970 UTC."`
	ExpiresAt  int64           `json:"expiresAt" doc:"When the question expires and the server is told that nobody has answered, in milliseconds since 1970 UTC."`
}

func (q *Questions) elicitations(context.Context, *struct{}) (*route.Reply[listOf[elicitation]], error) {
	out := listOf[elicitation]{Entries: []elicitation{}}
	for _, e := range q.Inbox.Elicitations() {
		out.Entries = append(out.Entries, elicitation{
			e.ID, e.Server, e.Client, string(e.Mode), e.Message, orObject(e.Schema), e.URL, e.Request, e.At.UnixMilli(),
			e.Expires.UnixMilli(),
		})
	}
	return route.OK(out)
}

type answerFields struct {
	Action   string          `json:"action" enum:"accept,decline,cancel"`
	Content  json.RawMessage `json:"content,omitempty" doc:"Object with the answer, only for the action accept. For the mode form, an object that matches requestedSchema; for sampling, an object with text and optionally model."`
	Remember string          `json:"remember,omitempty" enum:"session,always" doc:"How long the hub remembers the answer and gives it without asking again; missing for not at all. session: until the client whose call caused the question disconnects, or the hub stops. always: until the answer is deleted, or the server's configuration changes. Accepted values of a form answer only the same question; decline answers every question of the same mode. An approval applies to further calls of the tool until its definition changes. Only a person may have an answer remembered, in the dashboard or a terminal."`
}

type respondInput struct {
	ID string `path:"id" doc:"Unique identifier of the question."`
	route.Object[answerFields]
}

func (q *Questions) respond(ctx context.Context, in *respondInput) (*route.Reply[done], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if body.Remember != "" {
		if err := guard.RequirePerson(ctx, "only a person can have an answer remembered; use the dashboard"); err != nil {
			return nil, err
		}
	}
	reply := inspector.Reply{
		Action: body.Action, Content: body.Content, Remember: inspector.Scope(body.Remember), ByPerson: guard.ByPerson(ctx),
	}
	if err := q.Inbox.Respond(ctx, in.ID, reply); err != nil {
		return nil, route.InvalidIsBadRequest(err)
	}
	return route.OK(done{true})
}

// rememberedAnswer is the API's view of an answer that the hub gives again without asking the user.
type rememberedAnswer struct {
	ID         string `json:"id"`
	ServerName string `json:"serverName"`
	Mode       string `json:"mode" enum:"form,url,sampling" doc:"The mode of the questions that the answer applies to; see GET /api/elicitations."`
	Action     string `json:"action" enum:"accept,decline" doc:"accept: the hub answers the same question with the same values. decline: the hub declines every question of the mode."`
	Message    string `json:"message,omitempty" doc:"For accept, the question that the answer applies to, shortened. Known secrets are masked."`
	Remember   string `json:"remember" enum:"session,always"`
	Client     string `json:"client,omitempty" doc:"For remember=session, name of the MCP client whose session the answer applies to; missing for calls from the dashboard."`
	CreatedAt  int64  `json:"createdAt" doc:"When a person chose the answer, in milliseconds since 1970 UTC."`
	Stale      bool   `json:"stale,omitempty" doc:"Whether the answer is no longer used, because the configuration of the server has changed."`
}

func (q *Questions) answers(ctx context.Context, _ *struct{}) (*route.Reply[listOf[rememberedAnswer]], error) {
	all, err := q.Inbox.Answers(ctx)
	if err != nil {
		return nil, err
	}
	out := listOf[rememberedAnswer]{Entries: []rememberedAnswer{}}
	for _, r := range all {
		out.Entries = append(out.Entries, rememberedAnswer{
			r.ID, r.Server, string(r.Mode), r.Action, r.Message, string(r.Scope), r.Client, r.At.UnixMilli(), q.Inbox.Stale(r),
		})
	}
	return route.OK(out)
}

type answerInput struct {
	ID string `path:"id" doc:"Unique identifier of the answer."`
}

type answerValues struct {
	Values json.RawMessage `json:"values" doc:"Object with the values of the form; empty for an answer without values."`
}

// values returns the form values of a remembered answer. Only a person gets them, because a form may contain values
// that only the server should know.
func (q *Questions) values(ctx context.Context, in *answerInput) (*route.Reply[answerValues], error) {
	if err := guard.RequirePerson(ctx, "only a person can read a remembered answer; use the dashboard"); err != nil {
		return nil, err
	}
	all, err := q.Inbox.Answers(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.ID == in.ID {
			values, err := q.Inbox.Values(ctx, r)
			if err != nil {
				return nil, err
			}
			return route.OK(answerValues{orObject(values)})
		}
	}
	return nil, fault.New(fault.NotFound, "No such answer")
}

func (q *Questions) forget(ctx context.Context, in *answerInput) (*route.Reply[done], error) {
	existed, err := q.Inbox.ForgetAnswer(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return route.OK(done{existed})
}
