//go:build linux

package attack

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// swaps returns how often a server is started while a folder is exchanged for a link: 20 times, which root divides among
// two users.
func swaps() int {
	if os.Getuid() == 0 {
		return 10
	}
	return 20
}

// swap exchanges a folder for a link, and the link for a folder, until its input ends.
func swap(args []string) error {
	ended := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			return err
		default:
			_ = os.RemoveAll(args[0]) // each of these may fail while a server uses the folder
			_ = os.Symlink(args[1], args[0])
			linger(args[0])
			_ = os.Remove(args[0])
			_ = os.Mkdir(args[0], 0o700)
			linger(args[0])
		}
	}
}

// linger takes a random time, so that some starts find a folder all along and others its exchange in the middle.
func linger(path string) {
	for range rand.IntN(30_000) {
		_, _ = os.Lstat(path) // only the time counts
	}
}

// throughSwapped reads the key through the folder that is exchanged for a link.
func throughSwapped(p plants) error {
	for range 1000 {
		for _, folder := range []string{os.Getenv("SWAPPED"), filepath.Join(p.Home, "granted")} {
			if holds(os.ReadFile(filepath.Join(folder, "id_ed25519"))) == nil {
				return nil
			}
		}
	}
	return errors.New("the key is not there")
}

// swapped starts a server again and again, while a process exchanges a folder of its own home folder, in which its grant
// is mounted, for a link to the folder of the key. The attack succeeds if the server reads the key, or if something is
// created beside it.
func swapped(t *testing.T, h *programtest.Home, p plants, level, server string, user int) (succeeds bool) {
	name := "swapped-" + level
	folder, granted := filepath.Join(p.Data, "sandbox", name, "home", "granted"), filepath.Join(p.Home, "granted", "deep")
	if err := errors.Join(os.MkdirAll(granted, 0o700), os.MkdirAll(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	owned(t, filepath.Dir(granted), user)
	owned(t, filepath.Join(p.Data, "sandbox", name), user)
	add(t, h, p, name, level, map[string]string{"SWAPPED": folder}, server)
	var added struct{ ID int64 }
	h.MustJSON(&added, "servers", "show", name, "--json")
	h.AsPerson("PUT", fmt.Sprintf("/api/servers/%d/sandbox", added.ID), map[string]any{
		"level": level, "grants": map[string]any{"read": []string{granted}, "write": []string{}, "network": []string{}},
	}, nil)
	cmd := exec.Command(server, "swap", folder, filepath.Dir(p.key()))
	if user != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = input.Close(); _ = cmd.Wait() }()
	started := 0
	for range swaps() {
		done := h.Run("call", name+"__try", "attack=swapped") // fails if a folder is not what it was
		h.Run("servers", "stop", name)
		if strings.TrimSpace(done.Stdout) == succeeded || exists(filepath.Join(filepath.Dir(p.key()), "deep")) {
			return true
		}
		if done.Code == 0 {
			started++
		}
	}
	t.Logf("%s: %d of %d starts succeeded", level, started, swaps())
	return false
}
