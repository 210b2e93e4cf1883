package operations

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/trust/difference"
)

// KeptResults holds the operations on the results of calls that the hub withholds from clients, because the scan finds
// instructions to the agent or a credential in them.
type KeptResults struct {
	Screen *screen.Screen
}

// Routes adds the operations with their handlers to a route table.
func (o *KeptResults) Routes(t *route.Table) {
	g := t.Group("trust")
	route.Add(g, route.Get("/api/trust/results", "List the results that are kept back, so that a person can read them"), o.list)
	route.Add(g, route.Post("/api/trust/results/{id}/release",
		"Release a result that is kept back: the next call with the same arguments gets it"), o.release)
	route.Add(g, route.Delete("/api/trust/results/{id}", "Discard a result that is kept back"), o.discard)
}

// KeptResult is a withheld result of a call.
type KeptResult struct {
	ID       string          `json:"id"`
	Server   string          `json:"server"`
	Tool     string          `json:"tool"`
	Client   string          `json:"client,omitempty"`
	At       string          `json:"at" doc:"When the result was kept back, in UTC (RFC 3339)."`
	Released bool            `json:"released" doc:"Whether the next call with the same arguments gets the result."`
	Findings []ResultFinding `json:"findings" nullable:"false" doc:"Texts in the result that look like instructions to the agent, most suspicious first. Empty if the result was kept back because of a credential, or if the request was not sent by a person."`
	Text     string          `json:"text" doc:"The result as JSON, at most 64 kB, with invisible characters shown as U+XXXX. Empty if the request was not sent by a person."`
}

// ResultFinding is one suspicious text that the scan has found in a result.
type ResultFinding struct {
	Rule   string `json:"rule"`
	Text   string `json:"text" doc:"The suspicious part of the result. Invisible characters are shown as U+XXXX."`
	Reason string `json:"reason" doc:"Why the evidence is suspicious, in one sentence."`
}

const maxKeptText = 64 << 10

// list returns texts and findings to persons only: another caller may be an agent, which must not read them.
func (o *KeptResults) list(ctx context.Context, _ *struct{}) (*route.Reply[[]KeptResult], error) {
	out := []KeptResult{}
	for _, k := range o.Screen.List() {
		one := KeptResult{
			ID: k.ID, Server: k.Call.Server, Tool: k.Call.Tool, Client: k.Call.Client, At: Timestamp(k.At), Released: k.Released,
			Findings: []ResultFinding{},
		}
		if guard.ByPerson(ctx) {
			text := readable(json.RawMessage(k.Result))
			one.Text = text[:min(len(text), maxKeptText)]
			for _, f := range k.Findings {
				one.Findings = append(one.Findings, ResultFinding{f.Rule, difference.Visible(f.Text), f.Reason})
			}
		}
		out = append(out, one)
	}
	return route.OK(out)
}

type keptInput struct {
	ID string `path:"id"`
}

func (o *KeptResults) release(ctx context.Context, in *keptInput) (*route.Reply[done], error) {
	if err := onlyPerson(ctx, "approve"); err != nil {
		return nil, err
	}
	if err := o.Screen.Release(in.ID); err != nil {
		return nil, err
	}
	return route.OK(done{true})
}

func (o *KeptResults) discard(ctx context.Context, in *keptInput) (*route.Reply[done], error) {
	if err := onlyPerson(ctx, "reject"); err != nil {
		return nil, err
	}
	if err := o.Screen.Discard(in.ID); err != nil {
		return nil, err
	}
	return route.OK(done{true})
}
