package fault

import "net/http"

// answers maps each kind to its name and to the status of HTTP responses that report it.
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

// String returns the name of the kind, such as "not_found", by which programs distinguish kinds.
func (k Kind) String() string { return answers[k].name }

// Status returns the status of HTTP responses that report an error of the kind.
func (k Kind) Status() int { return answers[k].status }

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
