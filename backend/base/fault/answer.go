package fault

import "net/http"

// The exit codes of commands that fail.
const (
	ExitInvalid  = 1
	ExitNotFound = 2
	ExitFailed   = 3
	ExitDenied   = 4
)

// answers maps each kind to its name, to the status of HTTP responses that report it, and to the exit code of commands
// that fail with it. Package answer adds the codes of JSON-RPC errors, which this package must not import: they belong to
// a protocol, and base packages know none.
var answers = [...]struct {
	name   string
	status int
	exit   int
}{
	Internal:    {"internal", http.StatusInternalServerError, ExitFailed},
	Invalid:     {"invalid", http.StatusUnprocessableEntity, ExitInvalid},
	NotFound:    {"not_found", http.StatusNotFound, ExitNotFound},
	Conflict:    {"conflict", http.StatusConflict, ExitFailed},
	Denied:      {"denied", http.StatusForbidden, ExitDenied},
	Busy:        {"busy", http.StatusTooManyRequests, ExitFailed},
	Unavailable: {"unavailable", http.StatusServiceUnavailable, ExitFailed},
	Failed:      {"failed", http.StatusInternalServerError, ExitFailed},
	Timeout:     {"timeout", http.StatusInternalServerError, ExitFailed},
}

// String returns the name of the kind, such as "not_found", by which programs distinguish kinds.
func (k Kind) String() string { return answers[k].name }

// Status returns the status of HTTP responses that report an error of the kind.
func (k Kind) Status() int { return answers[k].status }

// Exit returns the exit code of commands that fail with an error of the kind.
func (k Kind) Exit() int { return answers[k].exit }

// Kinds returns the names of all kinds.
func Kinds() []string {
	names := make([]string, len(answers))
	for k, a := range answers {
		names[k] = a.name
	}
	return names
}

// KindOfName returns the kind with a name. ok is false if there is none.
func KindOfName(name string) (k Kind, ok bool) {
	for k, a := range answers {
		if a.name == name {
			return Kind(k), true
		}
	}
	return Internal, false
}

// KindOfStatus returns the kind of error that an HTTP response with a status of at least 400 reports. It returns Failed if
// no other kind belongs to the status.
func KindOfStatus(status int) Kind {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		return Invalid
	case http.StatusInternalServerError:
		return Failed
	}
	for k, a := range answers {
		if a.status == status {
			return Kind(k)
		}
	}
	return Failed
}
