package vault_test

import (
	"bytes"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestSealedDataAreReadableOnlyOnceTheFileIsUnlocked(t *testing.T) {
	plain := bytes.Repeat([]byte("correct-horse "), 10_000)
	d := newFixture(t)
	_, err := d.Seal(t.Context(), plain)
	wantFault(t, err, fault.Unavailable, "secrets unlock")
	d.unlock("the right one")
	sealed, err := d.Seal(t.Context(), plain)
	if err != nil || bytes.Contains(sealed, []byte("correct-horse")) {
		t.Fatalf("sealed to %.60q, %v", sealed, err)
	}
	if data, err := d.Unseal(t.Context(), sealed); err != nil || !bytes.Equal(data, plain) {
		t.Errorf("unsealed to %.60q, %v", data, err)
	}

	again := openFixture(t, d.folder, true)
	_, err = again.Unseal(t.Context(), sealed)
	wantFault(t, err, fault.Unavailable, "unlock")
	_, err = again.Seal(t.Context(), plain)
	wantFault(t, err, fault.Unavailable, "unlock")
	again.unlock("the right one")
	if data, err := again.Unseal(t.Context(), sealed); err != nil || !bytes.Equal(data, plain) {
		t.Errorf("after a restart, unsealed to %.60q, %v", data, err)
	}

	other := newFixture(t).unlock("the right one")
	_, err = other.Unseal(t.Context(), sealed)
	wantFault(t, err, fault.NotFound, "no longer in use")
	sealed[len(sealed)/2] ^= 1
	if data, err := again.Unseal(t.Context(), sealed); err == nil {
		t.Errorf("damaged data were unsealed to %.60q", data)
	}
}
