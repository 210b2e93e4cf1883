package gateway

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

const (
	// pollEvery is the time between requests for the state of a task if the server suggests none.
	pollEvery = time.Second
	// pollMin and pollMax limit the time that a server suggests.
	pollMin, pollMax = 50 * time.Millisecond, 30 * time.Second
)

const relatedTask = "io.modelcontextprotocol/related-task"

// needsTask reports whether a tool can only be called as a task, but a modern client has made an ordinary call.
func (c *toolCalls) needsTask(ctx context.Context, r call.Request) bool {
	t, known := c.tools.Lookup(r.Server, r.Tool)
	return known && isModern(ctx) && jsonrpc.Get(r.Params, "task") == nil &&
		jsonrpc.GetString(jsonrpc.Get(t.Definition, "execution"), "taskSupport") == "required"
}

// callAsTask makes a call as a task, waits until the task is over, and returns its result as that of an
// ordinary call.
func (c *toolCalls) callAsTask(ctx context.Context, r call.Request) (call.Result, error) {
	arguments := jsonrpc.Get(r.Params, "arguments")
	r.Params = jsonrpc.Set(r.Params, "task", json.RawMessage("{}"))
	result, err := c.pipeline.Call(ctx, r)
	state := jsonrpc.Get(result.JSON, "task")
	id := jsonrpc.Get(state, "taskId")
	if err != nil || id == nil {
		return result, err
	}
	lease := result.Lease()
	if lease != nil {
		defer lease.Release()
	}
	ask := func(ctx context.Context, method string) (json.RawMessage, error) {
		answer, err := c.pipeline.Call(ctx, call.Request{
			Server: r.Server, Tool: r.Tool, Arguments: arguments, Session: r.Session, Client: r.Client,
			Method: method, Params: jsonrpc.Set(nil, "taskId", id), Caller: r.Caller, Progress: r.Progress, Over: lease,
		})
		return answer.JSON, err
	}
	for err == nil && jsonrpc.GetString(state, "status") == "working" {
		pause := pollEvery
		if ms, err := strconv.ParseFloat(string(jsonrpc.Get(state, "pollInterval")), 64); err == nil {
			pause = min(max(time.Duration(ms)*time.Millisecond, pollMin), pollMax)
		}
		select {
		case <-time.After(pause):
			state, err = ask(ctx, "tasks/get")
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err == nil {
		result.JSON, err = ask(ctx, "tasks/result") // a server that needs input asks for it during this request
	}
	if ctx.Err() != nil {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		_, _ = ask(ending, "tasks/cancel")
		return call.Result{}, context.Cause(ctx)
	}
	result.JSON = withoutTask(result.JSON)
	result.ToolError = string(jsonrpc.Get(result.JSON, "isError")) == "true"
	return result, err
}

// withoutTask returns a result whose _meta does not name its task.
func withoutTask(result json.RawMessage) json.RawMessage {
	meta := jsonrpc.Get(result, "_meta")
	own := jsonrpc.Delete(meta, relatedTask)
	if meta == nil || len(own) == len(meta) {
		return result
	}
	if string(own) == "{}" {
		return jsonrpc.Delete(result, "_meta")
	}
	return jsonrpc.Set(result, "_meta", own)
}
