package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// stall is how long a download may receive nothing before it fails.
const stall = 30 * time.Second

var errStalled = errors.New("the download has received nothing for a while")

// Download downloads a file of at most limit bytes and writes it to w. It calls progress with the bytes so far and
// the size of the file, which is 0 if the server does not send it. A download has no time limit as long as it
// receives data.
func (c *Client) Download(ctx context.Context, address string, limit int64, w io.Writer, progress func(done, total int64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(c.stall, func() { cancel(errStalled) })
	defer stalled.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || request.URL.Host == "" || request.URL.Scheme != "https" && request.URL.Scheme != "http" {
		return fault.New(fault.Invalid, "%s: the address is not an http or https URL", c.source)
	}
	request.Header.Set("Accept", "application/octet-stream, */*;q=0.5")
	response, err := c.http.Do(request)
	if err != nil {
		return c.broken(ctx, address, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := c.checkStatus(address, response.StatusCode); err != nil {
		return err
	}
	total := max(response.ContentLength, 0)
	if total > limit {
		return c.tooLarge(address, limit)
	}
	var done int64
	buffer := make([]byte, 64<<10)
	for {
		n, readErr := response.Body.Read(buffer)
		if done += int64(n); done > limit {
			return c.tooLarge(address, limit)
		}
		if n > 0 {
			stalled.Reset(c.stall)
			if _, err := w.Write(buffer[:n]); err != nil {
				return fault.Wrap(err, fault.Unavailable, "could not store the download: %s", paths.Reason(err))
			}
			progress(done, total)
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return c.broken(ctx, address, readErr)
		}
	}
}

// broken returns the fault for an error of a download.
func (c *Client) broken(ctx context.Context, address string, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return fault.Wrap(errStalled, fault.Timeout, "%s sent nothing for %s, so the download was given up", c.place(address), c.stall)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Wrap(err, fault.Unavailable, "%s ended the connection before the file was complete; try again", c.place(address))
	}
	return c.failed(ctx, address, err)
}
