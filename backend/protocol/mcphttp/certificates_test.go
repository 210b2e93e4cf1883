package mcphttp

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestCertificateAuthoritiesComeFromTheEnvironment(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, value := range map[string]string{"SSL_CERT_FILE": file, "NODE_EXTRA_CA_CERTS": file, "SSL_CERT_DIR": folder} {
		pool, err := CAsOf(func(name string) string { return map[string]string{variable: value}[name] })
		if err != nil {
			t.Fatal(err)
		}
		connect(t, server.URL, func(o *Options) { o.CAs = pool }).fails("initialize", "404 Not Found")
	}
	connect(t, server.URL).fails("initialize", "its certificate is not trusted")
	if pool, err := CAsOf(func(string) string { return "" }); pool != nil || err != nil {
		t.Errorf("without variables: %v, %v", pool, err)
	}
	if _, err := CAsOf(func(string) string { return filepath.Join(folder, "missing") }); !strings.Contains(fault.MessageOf(err),
		"SSL_CERT_FILE names") {
		t.Errorf("a missing file: %v", err)
	}
}
