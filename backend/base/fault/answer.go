package fault

import "net/http"

// answers has the name of each kind and the status of an HTTP response about it, for the hub and for its clients.
var answers = [...]struct {
	name   string
	status int
}{
	Internal:    {"internal", http.StatusInternalServerError},
	Invalid:     {"invalid", http.StatusUnprocessableEntity},
	NotFound:    {"not_found", http.StatusNotFound},
	Conflict:    {"conflict", http.StatusConflict},
	Denied:      {"denied", http.StatusForbidden},
	Busy:        {"busy", http.StatusTooManyRequests},
	Unavailable: {"unavailable", http.StatusServiceUnavailable},
	Failed:      {"failed", http.StatusInternalServerError},
	Timeout:     {"timeout", http.StatusInternalServerError},
}

// String returns the name of the kind, for programs.
func (k Kind) String() string { return answers[k].name }

// Status returns the status of an HTTP response about an error of the kind.
func (k Kind) Status() int { return answers[k].status }

// KindOfName returns the kind with a name. ok is false if there is none.
func KindOfName(name string) (k Kind, ok bool) {
	for k, a := range answers {
		if a.name == name {
			return Kind(k), true
		}
	}
	return Internal, false
}

// KindOfStatus returns the kind of the error that an HTTP response with a status of at least 400 is about; Failed for a
// status that says no more.
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
