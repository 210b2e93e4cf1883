package route

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Failure is the body of every error response.
type Failure struct {
	status  int
	Message string `json:"error" doc:"The failure and its remedy, for people. The wording may change."`
	Code    string `json:"code"` // see TransformSchema
	// MissingVariable is set by responseTo.
	MissingVariable string `json:"missing_variable,omitempty" doc:"If a server did not start because an environment variable is missing, the name of this variable."`
	// DidYouMean is set by responseTo.
	DidYouMean []string `json:"did_you_mean,omitempty" nullable:"false" doc:"If the request names something that does not exist, existing names that may be meant."`
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// GetStatus implements huma.StatusError.
func (f *Failure) GetStatus() int { return f.status }

// TransformSchema implements huma.SchemaTransformer. It adds the codes and their meanings to the schema.
func (f *Failure) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	names := slices.Concat(slices.Collect(maps.Values(codes)), fault.Kinds(), slices.Collect(maps.Keys(fault.Codes)))
	slices.Sort(names)
	text := "The kind of error, for programs."
	var all []any
	for _, name := range slices.Compact(names) {
		all = append(all, name)
		if meaning, ok := fault.Codes[name]; ok {
			text += " " + name + ": " + meaning + "."
		}
	}
	code := s.Properties["code"]
	code.Enum, code.Description = all, text+" More codes may be added."
	return s
}

// codes maps the HTTP statuses that do not belong to a kind of fault to error codes.
var codes = map[int]string{
	http.StatusBadRequest:            "invalid_request",
	http.StatusUnauthorized:          "unauthorized",
	http.StatusRequestTimeout:        "timeout",
	http.StatusRequestEntityTooLarge: fault.CodeTooLarge,
}

func failureOf(status int, message string) *Failure {
	code := codes[status]
	if kind := fault.KindOfStatus(status); code == "" && (kind != fault.Failed || status == kind.Status()) {
		code = kind.String()
	}
	return &Failure{status: status, Message: message, Code: cmp.Or(code, "invalid_request")}
}

// Fail returns an error whose response has the given status instead of the status of a kind of fault.
func Fail(status int, message string) error { return failureOf(status, message) }

// BadRequest returns an error whose response has status 400.
func BadRequest(message string) error { return Fail(http.StatusBadRequest, message) }

// BadRequestWith is BadRequest with a code of package fault.
func BadRequestWith(code, message string) error {
	f := failureOf(http.StatusBadRequest, message)
	f.Code = code
	return f
}

// InvalidIsBadRequest returns err, but with status 400 instead of 422 when its kind is fault.Invalid. Some operations
// of the original product answer with status 400.
func InvalidIsBadRequest(err error) error {
	if fault.KindOf(err) == fault.Invalid {
		return BadRequest(fault.MessageOf(err))
	}
	return err
}

// responseTo converts an error of a handler to the error that huma sends as the response.
func responseTo(err error) error {
	if _, done := errors.AsType[huma.StatusError](err); done {
		return err
	}
	kind := fault.KindOf(err)
	return &Failure{
		status: kind.Status(), Message: fault.MessageOf(err), Code: cmp.Or(fault.CodeOf(err), kind.String()),
		MissingVariable: fault.VariableOf(err), DidYouMean: fault.DidYouMean(err),
	}
}

// setErrorShape makes huma report its own errors as a Failure. It sets a global variable of huma.
var setErrorShape = sync.OnceFunc(func() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		for _, err := range errs {
			if err != nil {
				message += ": " + err.Error()
			}
		}
		return failureOf(status, message)
	}
})

// WriteError answers a request with a Failure. It is for requests that do not reach an operation.
func WriteError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(failureOf(status, message)) // fails when the client is gone
}

// WriteFault answers a request with the Failure for an error. It is for requests that do not reach an operation.
func WriteFault(w http.ResponseWriter, err error) {
	failure := responseTo(err)
	status := http.StatusInternalServerError
	if coded, ok := errors.AsType[huma.StatusError](failure); ok {
		status = coded.GetStatus()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(failure) // fails when the client is gone
}

// WriteText answers a request with plain text.
func WriteText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // fails when the client is gone
}

// NotFound answers a request for a path that does not exist: with plain text for GET and HEAD, because people see the
// response in a browser, and with JSON otherwise.
func NotFound(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		WriteText(w, http.StatusNotFound, "Not found")
		return
	}
	WriteError(w, http.StatusNotFound, "Not found")
}
