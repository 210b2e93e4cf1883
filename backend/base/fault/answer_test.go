package fault

import (
	"net/http"
	"testing"
)

func TestAClientGetsTheKindThatTheHubHasSent(t *testing.T) {
	for k := Internal; k <= Timeout; k++ {
		if got, ok := KindOfName(k.String()); !ok || got != k {
			t.Errorf("the kind with the name of %v is %v, %v", k, got, ok)
		}
		if got := KindOfStatus(k.Status()); got != k && k.Status() != http.StatusInternalServerError {
			t.Errorf("the kind with the status of %v is %v", k, got)
		}
	}
	if _, ok := KindOfName(CodeHeld); ok {
		t.Error("a code is taken for the name of a kind")
	}
}

func TestStatusesOfNoKindAreFailures(t *testing.T) {
	for status, want := range map[int]Kind{
		http.StatusBadRequest: Invalid, http.StatusRequestEntityTooLarge: Invalid, http.StatusUnauthorized: Failed,
		http.StatusInternalServerError: Failed, http.StatusBadGateway: Failed,
	} {
		if got := KindOfStatus(status); got != want {
			t.Errorf("status %d: got %v, want %v", status, got, want)
		}
	}
}
