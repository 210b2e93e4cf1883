package fault

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestMessageOfOmitsTheCause(t *testing.T) {
	err := fmt.Errorf("outer: %w", Wrap(io.ErrUnexpectedEOF, Failed, "server %q failed", "x"))
	if MessageOf(err) != `server "x" failed` || KindOf(err) != Failed || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", MessageOf(err), KindOf(err))
	}
	if !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("the log lacks the cause: %v", err)
	}
	plain := errors.New("token=s3cret")
	if KindOf(plain) != Internal || strings.Contains(MessageOf(plain), "s3cret") {
		t.Errorf("got %q", MessageOf(plain))
	}
}
