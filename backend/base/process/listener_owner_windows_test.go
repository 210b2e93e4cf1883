package process_test

import (
	"syscall"
	"testing"
)

func asNobody() *syscall.SysProcAttr { return nil }

func publicCopy(*testing.T) string { return "" }
