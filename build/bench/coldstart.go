package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// targetColdCompanion is how long a companion may take to answer while it starts the hub, in ms.
const targetColdCompanion = 300

// coldStart measures companions that find no hub: how long the first answers to initialize and tools/list take while
// the hub starts. A hub with the same data folder has listed the tools of all servers before.
func (b *bench) coldStart(ctx context.Context, folder string) error {
	h, err := b.startHub(ctx, b.binary, folder)
	if err != nil {
		return err
	}
	if err := errors.Join(h.activateAll(ctx), h.openOnce(ctx, nil)); err != nil {
		h.kill()
		return err
	}
	h.kill()
	var took []float64
	size, early := 0, 0
	for range b.pick(3, 15) {
		began := time.Now()
		err := h.openOnce(ctx, func(list []byte) {
			took, size = append(took, ms(time.Since(began))), len(list)
			if _, err := instance.Read(h.folder); err != nil {
				early++
			}
		})
		if err := errors.Join(err, h.killStarted()); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("companion answers initialize and tools/list (%d kB) while the hub starts", size/1000)
	b.report.addTimes(name, took, "ms", targetColdCompanion)
	if early < len(took) {
		fmt.Printf("\nin %d of %d cold starts, the hub was announced before the companion had answered\n", len(took)-early, len(took))
	}
	return nil
}

// openOnce starts a companion, initializes a session and lists the tools. It calls listed with the answer to
// tools/list, unless listed is nil.
func (h *hub) openOnce(ctx context.Context, listed func([]byte)) error {
	c, err := h.companion(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	list, err := c.call("tools/list", nil)
	if err == nil && listed != nil {
		listed(list)
	}
	return err
}

// activateAll makes the hub list the tools of all servers.
func (h *hub) activateAll(ctx context.Context) error {
	servers, err := h.servers(ctx)
	if err != nil {
		return err
	}
	for _, s := range servers {
		if err := h.api.Do(ctx, http.MethodPost, fmt.Sprintf("/api/servers/%d/activate", s.ID), nil, nil); err != nil {
			return fmt.Errorf("activate %s: %w", s.Name, err)
		}
	}
	return nil
}

// killStarted kills the hub that a companion has started, once it is announced, and waits until it has ended.
func (h *hub) killStarted() error {
	for until := time.Now().Add(readyTimeout); time.Now().Before(until); time.Sleep(time.Millisecond) {
		info, err := instance.Read(h.folder)
		if err != nil {
			continue
		}
		process, err := os.FindProcess(info.PID)
		if err != nil {
			return err
		}
		if err := process.Kill(); err != nil {
			return err
		}
		for info.Alive() && time.Now().Before(until) {
			time.Sleep(time.Millisecond)
		}
		return nil
	}
	return errors.New("the companion started no hub")
}
