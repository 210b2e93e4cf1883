package tokens_test

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
)

func TestEstimatesAreCloseToCounts(t *testing.T) {
	random := rand.NewChaCha8([32]byte{7})
	noise := make([]byte, 900)
	_, _ = random.Read(noise)
	for name, text := range map[string]string{
		"nothing": "",
		"English": "Create a new issue in a repository, with a title, a body and the labels that it shall have. Returns its number.",
		"JSON":    `{"found":true,"confidence":"high","required_args":[{"name":"owner","type":"string"},{"name":"repo","type":"string"}],"other_matches":[{"call_as":"mcp__github__create_issue","score":0.512}]}`,
		"names": "create_issue getRepositoryBranches TwilioApiV2010--ListAvailablePhoneNumberLocal " +
			"kubernetes-mcp-server__pods_list_in_namespace",
		"Markdown":   "## Usage\n\n- **must** be `true`\n- see <https://example.org/a/b?c=d&e=f>\n\n```json\n{\"a\": [1, 2, 3]}\n```\n",
		"German":     "Zeigt die letzten Änderungen auf dem Hauptzweig des Verzeichnisses für größere Geschäftsvorfälle.",
		"Russian":    "Создаёт новую задачу в репозитории и возвращает её номер.",
		"Greek":      "Δημιουργεί ένα νέο ζήτημα στο αποθετήριο και επιστρέφει τον αριθμό του.",
		"Chinese":    "在存储库中创建一个新问题，并返回它的编号。支持标题、正文和标签。",
		"Japanese":   "リポジトリに新しい課題を作成し、その番号を返します。",
		"Korean":     "저장소에 새 이슈를 만들고 번호를 반환합니다.",
		"Arabic":     "ينشئ مشكلة جديدة في المستودع ويعيد رقمها.",
		"emoji":      "🎯🚀✅⚠️👩‍👩‍👧‍👦🇩🇪 Purpose: 🔥",
		"many emoji": strings.Repeat("🦄🧬🪐", 300),
		"base64":     base64.StdEncoding.EncodeToString(noise),
		"hex":        hex.EncodeToString(noise),
		"no spaces":  strings.Repeat("qzxvjkwpq", 90),
		"marks":      strings.Repeat("#$%&*!?~^|", 60),
		"not UTF-8":  string(noise[:200]),
	} {
		counted, estimated := tokens.Count(text), tokens.Estimate(text)
		if 4*estimated < 3*counted || name == "English" && 5*estimated > 6*counted {
			t.Errorf("%s: %d tokens, estimated %d", name, counted, estimated)
		}
	}
}
