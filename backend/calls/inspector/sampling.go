package inspector

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const (
	defaultModel   = "gpt-5-mini"
	defaultBaseURL = "https://api.openai.com/v1"
	defaultTokens  = 1024
	modelTimeout   = 2 * time.Minute
	maxModelAnswer = 8 << 20 // bytes
)

// Sampler answers sampling requests of servers with a model behind an OpenAI
// chat completions API.
type Sampler struct {
	Key     string
	BaseURL string // empty for https://api.openai.com/v1
	Model   string // empty for gpt-5-mini
	Client  *http.Client
}

// codeRejected is the JSON-RPC error code for sampling that a person has
// declined, as in the examples of MCP.
const codeRejected = -1

// sample answers a sampling request: with the configured model if the server is
// transient and no copy of a configured server, and otherwise by a person. Requests
// of configured servers and their copies do not go to the model, because they would
// spend the user's API credit unnoticed.
func (b *Inbox) sample(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	answer := b.write
	switch {
	case b.sampler != nil && isTransient(q.Server) && !strings.HasPrefix(q.Server, copyPrefix):
		answer = b.compute
	case !b.CanAnswer(ctx, q):
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound,
			"sampling is not configured: open the dashboard to answer it yourself, or set AGENT_DISCOVER_OPENAI_API_KEY for the hub to "+
				"answer that of ad-hoc servers")
	}
	began := time.Now()
	result, text, err := answer(ctx, q)
	record(b.records, q.Server, began, entry{
		Kind: journal.Sampling, Client: q.Client, About: "sampling/createMessage", Shown: q.Params,
		Answer: func(json.RawMessage) string { return text },
	}, result, err, q.Redactor)
	return result, err
}

// write lets a person write the message that a server has requested. It returns the result and the text in it.
func (b *Inbox) write(ctx context.Context, q upstream.Question) (json.RawMessage, string, error) {
	asked, err := elicitationOf(q)
	if err != nil {
		return nil, "", err
	}
	note := ""
	answer, err := b.wait(ctx, q, asked, func(remembered bool) {
		if remembered {
			note = rememberedNote
		}
	})
	if err != nil {
		return nil, "", err
	}
	switch jsonrpc.GetString(answer, "action") {
	case "decline":
		return nil, "", jsonrpc.NewError(codeRejected, "User rejected sampling request%s", note)
	case "cancel":
		return nil, "", jsonrpc.NewError(codeRejected, "Sampling request was cancelled")
	}
	content := jsonrpc.Get(answer, "content")
	text := jsonrpc.GetString(content, "text")
	result, err := json.Marshal(map[string]any{
		"model": cmp.Or(jsonrpc.GetString(content, "model"), "person"), "stopReason": "endTurn", "role": "assistant",
		"content": map[string]string{"type": "text", "text": text},
	})
	return result, text, err
}

// compute asks the configured model for the message. It returns the result and
// the text in it.
func (b *Inbox) compute(ctx context.Context, q upstream.Question) (json.RawMessage, string, error) {
	result, text, err := b.sampler.createMessage(ctx, q.Params)
	if err != nil {
		b.log.Warn("sampling failed", "server", q.Server, "error", err)
		return nil, "", jsonrpc.NewError(jsonrpc.CodeInternalError, "sampling failed: %s", err)
	}
	return result, text, nil
}

type samplingParams struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"` // a content block, or a list of them
	} `json:"messages"`
	SystemPrompt string   `json:"systemPrompt"`
	MaxTokens    int      `json:"maxTokens"`
	Temperature  *float64 `json:"temperature"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model       string        `json:"model"`
	Messages    []chatMessage `json:"messages"`
	MaxTokens   int           `json:"max_tokens,omitempty"`
	MaxAll      int           `json:"max_completion_tokens,omitempty"` // replaces MaxTokens for reasoning models
	Temperature *float64      `json:"temperature,omitempty"`
}

// createMessage asks the model. It returns the result of sampling/createMessage
// and the text in it.
func (s *Sampler) createMessage(ctx context.Context, params json.RawMessage) (json.RawMessage, string, error) {
	var in samplingParams
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, "", fmt.Errorf("the parameters are malformed: %w", err)
	}
	ask := chatRequest{Model: cmp.Or(s.Model, defaultModel), MaxTokens: cmp.Or(in.MaxTokens, defaultTokens), Temperature: in.Temperature}
	if in.SystemPrompt != "" {
		ask.Messages = append(ask.Messages, chatMessage{"system", in.SystemPrompt})
	}
	for _, m := range in.Messages {
		ask.Messages = append(ask.Messages, chatMessage{m.Role, blockText(m.Content)})
	}
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	status, body, err := s.post(ctx, ask)
	if err == nil && status == http.StatusBadRequest && bytes.Contains(body, []byte("max_completion_tokens")) {
		// Reasoning models use another name for the limit and reject a
		// temperature.
		ask.MaxAll, ask.MaxTokens, ask.Temperature = ask.MaxTokens, 0, nil
		status, body, err = s.post(ctx, ask)
	}
	switch {
	case err != nil:
		return nil, "", err
	case status != http.StatusOK:
		return nil, "", fmt.Errorf("the model's API answered with status %d", status)
	}
	return readCompletion(body, ask.Model)
}

func readCompletion(body []byte, model string) (json.RawMessage, string, error) {
	var out struct {
		Model   string `json:"model"`
		Choices []struct {
			Message      chatMessage `json:"message"`
			FinishReason string      `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &out); err != nil || len(out.Choices) == 0 {
		return nil, "", fmt.Errorf("the model's API answered without a completion")
	}
	choice := out.Choices[0]
	text := choice.Message.Content
	result, err := json.Marshal(map[string]any{
		"model": cmp.Or(out.Model, model), "stopReason": cmp.Or(choice.FinishReason, "endTurn"), "role": "assistant",
		"content": map[string]string{"type": "text", "text": text},
	})
	return result, text, err
}

func (s *Sampler) post(ctx context.Context, ask chatRequest) (status int, body []byte, err error) {
	data, err := json.Marshal(ask)
	if err != nil {
		return 0, nil, err
	}
	url := strings.TrimSuffix(cmp.Or(s.BaseURL, defaultBaseURL), "/") + "/chat/completions"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := s.Client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxModelAnswer))
	return resp.StatusCode, body, err
}

// blockText returns the text of a content block, or the texts of a list of
// blocks, one per line.
func blockText(content json.RawMessage) string {
	type block struct {
		Text string `json:"text"`
	}
	var one block
	if json.Unmarshal(content, &one) == nil {
		return one.Text
	}
	var several []block
	if json.Unmarshal(content, &several) != nil {
		return ""
	}
	texts := make([]string, 0, len(several))
	for _, b := range several {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}
