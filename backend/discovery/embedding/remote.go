package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	openAIBaseURL = "https://api.openai.com/v1"
	// maxResponse limits a response, in bytes. It exceeds the JSON of the largest
	// batch with the largest vectors.
	maxResponse = 32 << 20
	// Batches for local servers are small, because such a server computes all
	// texts of a batch on one processor, and queries wait until the current batch
	// is done.
	localBatch  = 8
	openAIBatch = 64
)

// errNotFound is wrapped by errors of an address that does not implement the
// requested interface or does not have the model.
var errNotFound = errors.New("no such address or model")

// remote is a provider that is reached over HTTP. Texts are sent to the
// configured address only: redirects are not followed.
type remote struct {
	client http.Client
	host   string // scheme and host, for messages
	model  string
	key    string // empty: no Authorization header is sent
	size   int    // texts per request
	advice string // advice to the user if the server demands a key

	endpoints []endpoint               // candidates, tried in order
	working   atomic.Pointer[endpoint] // the candidate that has responded; nil until one has
}

// endpoint is a URL and the parser for its responses. Ollama's and OpenAI's
// interfaces take the same request.
type endpoint struct {
	url   string
	parse func(body []byte) ([][]float32, error)
}

func newRemote(address, model string, endpoints ...endpoint) *remote {
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Scheme + "://" + u.Host
	}
	return &remote{
		client: http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		host:   host, model: model, endpoints: endpoints,
	}
}

// newLocal returns a provider for a server with Ollama's or OpenAI's interface.
// The end of the address selects the interface. If it names neither, the
// provider tries both.
func newLocal(address, model string) *remote {
	address = strings.TrimRight(address, "/")
	var endpoints []endpoint
	switch {
	case strings.HasSuffix(address, "/api/embed"):
		endpoints = []endpoint{{address, parseOllama}}
	case strings.HasSuffix(address, "/api"):
		endpoints = []endpoint{{address + "/embed", parseOllama}}
	case strings.HasSuffix(address, "/embeddings"):
		endpoints = []endpoint{{address, parseOpenAI}}
	case strings.HasSuffix(address, "/v1"):
		endpoints = []endpoint{{address + "/embeddings", parseOpenAI}}
	default:
		endpoints = []endpoint{{address + "/api/embed", parseOllama}, {address + "/v1/embeddings", parseOpenAI}}
	}
	r := newRemote(address, model, endpoints...)
	r.size, r.advice = localBatch, "the provider local supports only servers that require no key"
	return r
}

func (r *remote) batch() int { return r.size }

func (r *remote) run(context.Context) {}

func (r *remote) embed(ctx context.Context, texts []string, _ int) ([][]float32, error) {
	if r.key == "" && r.host == "https://api.openai.com" {
		return nil, fault.New(fault.Unavailable, "no OpenAI key is configured: %s", r.advice)
	}
	data, err := json.Marshal(map[string]any{"model": r.model, "input": texts})
	if err != nil {
		return nil, fmt.Errorf("encode texts: %w", err)
	}
	if working := r.working.Load(); working != nil {
		vectors, err := r.post(ctx, *working, data)
		if errors.Is(err, errNotFound) {
			r.working.Store(nil) // another server may use the address now
		}
		return vectors, err
	}
	var failure error
	for _, e := range r.endpoints {
		vectors, err := r.post(ctx, e, data)
		if err == nil {
			r.working.Store(&e)
			return vectors, nil
		}
		if failure == nil || errors.Is(failure, errNotFound) {
			failure = err
		}
	}
	return nil, failure
}

// post sends a request to an endpoint and returns the vectors of its response.
func (r *remote) post(ctx context.Context, e endpoint, data []byte) ([][]float32, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(data))
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s is not a valid address", r.host)
	}
	req.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, r.connectionError(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, r.statusError(resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case err != nil:
		return nil, r.connectionError(ctx, err)
	case len(body) > maxResponse:
		return nil, fault.New(fault.Failed, "the response of %s exceeds %d MB; is it an embedding model?", r.host, maxResponse>>20)
	}
	vectors, err := e.parse(body)
	if err != nil { // the error is dropped: it may quote the body
		return nil, fault.New(fault.Failed, "the response of %s contains no vectors; is %q an embedding model?", r.host, r.model)
	}
	return vectors, nil
}

// connectionError explains an error of the connection without the URL, which
// may contain secrets.
func (r *remote) connectionError(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if ctx.Err() != nil {
		return fault.Wrap(ctx.Err(), fault.Timeout, "%s takes too long to answer", r.host)
	}
	return fault.Wrap(err, fault.Unavailable, "%s cannot be reached; is it running, and is the address right?", r.host)
}

// statusError explains an HTTP status. Response bodies are left out because
// they may quote the key.
func (r *remote) statusError(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.Denied, "%s answers with status %d: %s", r.host, status, r.advice)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fault.Wrap(errNotFound, fault.NotFound,
			"%s does not have the model %q, or does not compute vectors; with Ollama, run: ollama pull %[2]s", r.host, r.model)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return fault.Wrap(errRefused, fault.Failed, "%s rejects texts with status %d; is %q an embedding model?", r.host, status, r.model)
	case http.StatusInternalServerError: // some servers respond so to a text that is too long
		return fault.Wrap(errRefused, fault.Failed, "%s answers with status 500; see its log for the cause", r.host)
	case http.StatusTooManyRequests:
		return fault.New(fault.Busy, "%s answers with status 429: too many requests, or the account's quota is used up", r.host)
	}
	return fault.New(fault.Failed, "%s answers with status %d", r.host, status)
}

func parseOllama(body []byte) ([][]float32, error) {
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := json.Unmarshal(body, &answer)
	if err == nil && answer.Embeddings == nil {
		err = errors.New("no embeddings")
	}
	return answer.Embeddings, err
}

func parseOpenAI(body []byte) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.Data == nil {
		return nil, errors.New("no data")
	}
	vectors := make([][]float32, len(answer.Data))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, errors.New("indexes are wrong")
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}
