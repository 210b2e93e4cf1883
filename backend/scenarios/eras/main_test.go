package eras_test

import (
	"os"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Main(m)) }
