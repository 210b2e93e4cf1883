package names

import "testing"

func TestTheURIOfTheRequestStaysAsItIs(t *testing.T) {
	const message = `{"contents":[{"uri":"a:\/x","text":"a:/x"},{"uri":"a:/x/y"}]}`
	const want = `{"contents":[{"uri":"a:\/x","text":"a:/x"},{"uri":"gh+a:/x/y"}]}`
	if got := OutgoingExcept("a:/x", "gh", "resources/read", []byte(message)); string(got) != want {
		t.Errorf("got %s", got)
	}
}
