package embedding

import (
	"bytes"
	"cmp"
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
	// maxAnswer is more than the largest batch of the largest vectors takes, in
	// bytes of JSON.
	maxAnswer = 32 << 20
	// Servers on this machine have one processor for all texts of a batch, and
	// queries come between batches.
	localBatch  = 8
	openAIBatch = 64
)

// errNotThere is in errors of an address that does not speak what it was asked
// in, or does not know the model.
var errNotThere = errors.New("no such address or model")

// remote makes vectors by HTTP. Texts go to the configured address and to no
// other: redirects are not followed.
type remote struct {
	client http.Client
	host   string // as problems call it
	model  string
	key    string // empty: it is not asked for
	size   int
	advice string // on what to do when a key is asked for

	ways  []way               // in which it may be asked
	known atomic.Pointer[way] // the one that it has answered
}

// way is an address and what is spoken there. Both interfaces take the same
// request.
type way struct {
	url  string
	read func(body []byte) ([][]float32, error)
}

func newRemote(address, model string, ways ...way) *remote {
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Scheme + "://" + u.Host
	}
	return &remote{
		client: http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		host:   host, model: model, ways: ways,
	}
}

// newLocal asks a server that speaks Ollama's or OpenAI's interface: the one
// that its address ends with, or else the one that it answers.
func newLocal(address, model string) *remote {
	address = strings.TrimRight(address, "/")
	var ways []way
	switch {
	case strings.HasSuffix(address, "/api/embed"):
		ways = []way{{address, readOllama}}
	case strings.HasSuffix(address, "/api"):
		ways = []way{{address + "/embed", readOllama}}
	case strings.HasSuffix(address, "/embeddings"):
		ways = []way{{address, readOpenAI}}
	case strings.HasSuffix(address, "/v1"):
		ways = []way{{address + "/embeddings", readOpenAI}}
	default:
		ways = []way{{address + "/api/embed", readOllama}, {address + "/v1/embeddings", readOpenAI}}
	}
	r := newRemote(address, model, ways...)
	r.size, r.advice = localBatch, "a server of provider local must answer without a key"
	return r
}

func newOpenAI(base, key, model string) *remote {
	address := strings.TrimRight(cmp.Or(base, openAIBaseURL), "/") + "/embeddings"
	r := newRemote(address, model, way{address, readOpenAI})
	r.key, r.size = key, openAIBatch
	r.advice = "set AGENT_DISCOVER_OPENAI_API_KEY for the hub to a key that is valid"
	return r
}

func (r *remote) batch() int { return r.size }

func (r *remote) run(context.Context) {}

func (r *remote) embed(ctx context.Context, texts []string, _ int) ([][]float32, error) {
	if r.key == "" && r.host == "https://api.openai.com" {
		return nil, fault.New(fault.Unavailable, "there is no key for OpenAI: %s", r.advice)
	}
	data, err := json.Marshal(map[string]any{"model": r.model, "input": texts})
	if err != nil {
		return nil, fmt.Errorf("write texts: %w", err)
	}
	if known := r.known.Load(); known != nil {
		vectors, err := r.post(ctx, *known, data)
		if errors.Is(err, errNotThere) {
			r.known.Store(nil) // another server may be there now
		}
		return vectors, err
	}
	var failure error
	for _, w := range r.ways {
		vectors, err := r.post(ctx, w, data)
		if err == nil {
			r.known.Store(&w)
			return vectors, nil
		}
		if failure == nil || errors.Is(failure, errNotThere) {
			failure = err
		}
	}
	return nil, failure
}

func (r *remote) post(ctx context.Context, w way, data []byte) ([][]float32, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(data))
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s is no address that can be asked", r.host)
	}
	req.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, r.unreached(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, r.failed(resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, r.unreached(ctx, err)
	case len(body) > maxAnswer:
		return nil, fault.New(fault.Failed, "%s answers with more than %d MB; is it an embedding model?", r.host, maxAnswer>>20)
	}
	vectors, err := w.read(body)
	if err != nil { // which may quote the body
		return nil, fault.New(fault.Failed, "%s answers, but not with vectors; is %q an embedding model there?", r.host, r.model)
	}
	return vectors, nil
}

// unreached explains an error of the connection without what was asked for.
func (r *remote) unreached(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if ctx.Err() != nil {
		return fault.Wrap(ctx.Err(), fault.Timeout, "%s takes too long to answer", r.host)
	}
	return fault.Wrap(err, fault.Unavailable, "%s cannot be reached; is it running, and is the address right?", r.host)
}

// failed explains a status. Bodies stay out of it: they may quote the key.
func (r *remote) failed(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.Denied, "%s answers with status %d: %s", r.host, status, r.advice)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fault.Wrap(errNotThere, fault.NotFound, "%s does not know the model %q (Ollama gets it by: ollama pull %[2]s), or makes no vectors at all", r.host, r.model)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return fault.Wrap(errRefused, fault.Failed, "%s refuses texts with status %d; is %q an embedding model?", r.host, status, r.model)
	case http.StatusInternalServerError: // some say so of a text that is too long
		return fault.Wrap(errRefused, fault.Failed, "%s answers with status 500; its own log may say why", r.host)
	case http.StatusTooManyRequests:
		return fault.New(fault.Busy, "%s answers with status 429: too many requests, or the account is used up", r.host)
	}
	return fault.New(fault.Failed, "%s answers with status %d", r.host, status)
}

func readOllama(body []byte) ([][]float32, error) {
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := json.Unmarshal(body, &answer)
	if err == nil && answer.Embeddings == nil {
		err = errors.New("no embeddings")
	}
	return answer.Embeddings, err
}

func readOpenAI(body []byte) ([][]float32, error) {
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
