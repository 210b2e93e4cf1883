// Package route declares the operations of the REST API. One declaration of an operation holds everything about it: its
// method and path, its documentation, the fields of its body and whether it needs a token. The package also reads
// request bodies and turns errors into responses. Package operations implements the operations; package openapi builds
// the OpenAPI document.
package route

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// MaxBody is the maximum size of a request body, in bytes.
const MaxBody = 131072

// Operation is the declaration of one operation. Get, Post, Put and Delete return an Operation; the methods of
// Operation return a changed copy.
type Operation struct {
	Method, Path string
	Tag          string // name of the group in the documentation
	Summary      string
	NeedsToken   bool
	Status       int  // of a successful response
	MayBeMissing bool // the operation can answer 404

	// BodyType is the struct that the request body is decoded into; nil when the operation takes no body.
	BodyType     reflect.Type
	BodyOptional bool

	// ReplyType describes the JSON object of a successful response that is sent as Raw; nil for other responses. The
	// object may have more members.
	ReplyType reflect.Type
}

func newOperation(method, path, summary string) Operation {
	return Operation{Method: method, Path: path, Summary: summary, NeedsToken: true, Status: http.StatusOK}
}

// Get declares an operation that only reads.
func Get(path, summary string) Operation { return newOperation(http.MethodGet, path, summary) }

// Post declares an operation that creates something or carries out an action.
func Post(path, summary string) Operation { return newOperation(http.MethodPost, path, summary) }

// Put declares an operation that sets or updates something.
func Put(path, summary string) Operation { return newOperation(http.MethodPut, path, summary) }

// Delete declares an operation that deletes something.
func Delete(path, summary string) Operation { return newOperation(http.MethodDelete, path, summary) }

// WithoutToken declares that the operation may be used without a token.
func (o Operation) WithoutToken() Operation { o.NeedsToken = false; return o }

// Creates declares that a successful response has status 201.
func (o Operation) Creates() Operation { o.Status = http.StatusCreated; return o }

// Accepts declares that a successful response has status 202: the operation continues in the background.
func (o Operation) Accepts() Operation { o.Status = http.StatusAccepted; return o }

// MayMiss declares that the operation can answer 404 although its path has no parameter.
func (o Operation) MayMiss() Operation { o.MayBeMissing = true; return o }

// Returns declares the members of a response that is sent as Raw. like is a value of the struct that describes them.
func (o Operation) Returns(like any) Operation { o.ReplyType = reflect.TypeOf(like); return o }

// In puts the operation into the group of another tag in the documentation.
func (o Operation) In(tag string) Operation { o.Tag = tag; return o }

// Table is the set of all declared operations. huma prepares an operation only when it is first requested, because most
// hubs get requests for few of the operations.
type Table struct {
	mux        *http.ServeMux
	document   func() *huma.OpenAPI
	operations map[string]Operation // by method and path
	registers  []func(huma.API)     // register one operation each
}

// NewTable returns an empty table. Operations that are added to it are served by mux. document returns a new document
// without operations.
func NewTable(mux *http.ServeMux, document func() *huma.OpenAPI) *Table {
	setErrorShape()
	return &Table{mux: mux, document: document, operations: make(map[string]Operation)}
}

// Document returns the OpenAPI document of all operations as huma generates it, without the facts that only Operation
// contains. Package openapi adds these.
func (t *Table) Document() *huma.OpenAPI {
	api := t.newAPI(http.NewServeMux())
	for _, register := range t.registers {
		register(api)
	}
	return api.OpenAPI()
}

func (t *Table) newAPI(mux humago.Mux) huma.API {
	json := huma.DefaultJSONFormat
	// Do not use huma.DefaultConfig: it adds $schema members, and a documentation page that loads scripts from another
	// site.
	return humago.New(mux, huma.Config{
		OpenAPI: t.document(), Formats: map[string]huma.Format{"application/json": json, "json": json}, DefaultFormat: "application/json",
	})
}

// serve adds an operation with the given query parameters to the mux. Each operation has its own API, because registering
// one changes data that huma reads during requests.
func (t *Table) serve(pattern string, parameters []string, register func(huma.API)) {
	handler := sync.OnceValue(func() http.HandlerFunc {
		mux := http.NewServeMux()
		register(t.newAPI(mux))
		return mux.ServeHTTP
	})
	t.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if unknown := unknownParameter(r, parameters); unknown != "" {
			WriteError(w, http.StatusUnprocessableEntity, unknown)
			return
		}
		handler()(w, r)
	})
}

// Find returns the declaration of an operation.
func (t *Table) Find(method, path string) (Operation, bool) {
	o, ok := t.operations[method+" "+path]
	return o, ok
}

// Public reports whether a request is for an operation that needs no token.
func (t *Table) Public(r *http.Request) bool {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	o, ok := t.Find(method, r.URL.Path)
	return ok && !o.NeedsToken
}

// Group is a part of a table whose operations share a tag.
type Group struct {
	table *Table
	tag   string
}

// Group returns the group of a tag.
func (t *Table) Group(tag string) Group { return Group{t, tag} }

// Add adds an operation with its handler. I holds path and query parameters, and embeds Object or OptionalObject when
// the operation takes a body.
func Add[I, O any](g Group, o Operation, handler func(context.Context, *I) (*O, error)) {
	o.Tag = cmp.Or(o.Tag, g.tag)
	if input, ok := any(new(I)).(bodyInput); ok {
		o.BodyType, o.BodyOptional = input.body()
	}
	register := func(api huma.API) {
		described := huma.Operation{
			Method: o.Method, Path: o.Path, Summary: o.Summary,
			OperationID:  huma.GenerateOperationID(o.Method, o.Path, new(O)),
			MaxBodyBytes: MaxBody + 1, SkipValidateBody: true, // the guard limits the body, and Decode checks it
		}
		if o.BodyType != nil {
			described.RequestBody = &huma.RequestBody{}
		}
		huma.Register(api, described, func(ctx context.Context, in *I) (*O, error) {
			out, err := handler(ctx, in)
			if err != nil {
				return nil, responseTo(err)
			}
			return out, nil
		})
		if described.RequestBody != nil {
			// Without this, huma would answer 400 to a request without a body. Decode returns the error of the original
			// product instead.
			described.RequestBody.Required = false
		}
	}
	pattern := o.Method + " " + o.Path
	g.table.operations[pattern] = o
	g.table.registers = append(g.table.registers, register)
	g.table.serve(pattern, parametersOf(reflect.TypeFor[I]()), register)
}

// Reply is a response with a JSON body.
type Reply[T any] struct {
	Status int
	Body   T
}

// OK returns a response with status 200.
func OK[T any](body T) (*Reply[T], error) { return &Reply[T]{Status: http.StatusOK, Body: body}, nil }

// Created returns a response with status 201.
func Created[T any](body T) (*Reply[T], error) {
	return &Reply[T]{Status: http.StatusCreated, Body: body}, nil
}

// Raw is a response whose body is sent byte for byte.
type Raw struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// RawJSON returns a response whose body is already encoded JSON.
func RawJSON(body []byte) (*Raw, error) { return &Raw{"application/json", body}, nil }

// Stream is a response of unknown length.
type Stream = huma.StreamResponse

// Download returns a response that browsers save under a file name. write writes the body while it is sent. When write
// fails, the connection is aborted, so that the client notices that the body is incomplete.
func Download(contentType, filename string, write func(context.Context, io.Writer) error) *Stream {
	return &Stream{Body: func(to huma.Context) {
		to.SetHeader("Content-Type", contentType)
		to.SetHeader("Content-Disposition", `attachment; filename="`+filename+`"`)
		if err := write(to.Context(), to.BodyWriter()); err != nil {
			panic(http.ErrAbortHandler)
		}
	}}
}
