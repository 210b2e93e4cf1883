package mcphttp

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// CAsOf returns the certificate authorities for Options.CAs: those of the system and
// those in the files that the environment variables SSL_CERT_FILE, SSL_CERT_DIR and
// NODE_EXTRA_CA_CERTS name. get returns the value of an environment variable. CAsOf
// returns nil if none of them is set. The error is a fault that names the variable
// whose file cannot be read.
func CAsOf(get func(name string) string) (*x509.CertPool, error) {
	var pool *x509.CertPool
	for _, variable := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"} {
		files := []string{get(variable)}
		if files[0] == "" {
			continue
		}
		if variable == "SSL_CERT_DIR" {
			files = certificatesIn(files[0])
		}
		if pool == nil {
			if pool, _ = x509.SystemCertPool(); pool == nil {
				pool = x509.NewCertPool()
			}
		}
		for _, file := range files {
			certificates, err := os.ReadFile(file)
			if err == nil && pool.AppendCertsFromPEM(certificates) || variable == "SSL_CERT_DIR" {
				continue
			}
			return nil, fault.New(fault.Invalid, "the variable %s names %s, from which no certificate can be read", variable, file)
		}
	}
	return pool, nil
}

// certificatesIn returns the files in a list of folders.
func certificatesIn(folders string) []string {
	var files []string
	for _, folder := range strings.Split(folders, string(filepath.ListSeparator)) {
		entries, _ := os.ReadDir(folder) // a folder that cannot be read has no certificates
		for _, entry := range entries {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files
}
