package normalize

import "strings"

// Shell reports whether a decoded text is a command for a shell.
func Shell(s string) bool {
	s = strings.ToLower(s)
	for _, part := range []string{
		"/dev/tcp/", "rm -rf", "rm -fr", "chmod +x", "chmod 777", "chmod -r", "/bin/sh", "/bin/bash", "bash -c", "bash -i", "sh -c",
		"nc -e", "ncat ", "mkfifo ", "powershell", "invoke-expression", "iex(", "iex (", "cmd.exe", "cmd /c", "python -c", "python3 -c",
		"perl -e", "ruby -e", "node -e", "base64 -d", "crontab", "authorized_keys", "eval(", "exec(", "os.system", "subprocess.",
		"child_process", "> /etc/", "mkfs.", "dd if=", "curl -", "wget -", "scp ", "socat ", "xmrig",
	} {
		if strings.Contains(s, part) {
			return true
		}
	}
	fetches := strings.Contains(s, "curl ") || strings.Contains(s, "wget ") || strings.Contains(s, "fetch ")
	return fetches && (strings.Contains(s, "://") || strings.Contains(s, "|"))
}
