"""Writes texts with their numbers of tokens, counted by the reference implementation: tiktoken of OpenAI.

    python3 -m venv venv && venv/bin/pip install tiktoken==0.14.0
    go run ./build/tokens js-tiktoken-1.0.21.tgz
    venv/bin/python build/tokens/vectors.py > backend/base/tokens/testdata/vectors.jsonl

The vocabulary is read from the file that build/tokens writes, because the published one is on the web only.
"""

import json
import random
import sys
import unicodedata
import zlib

import tiktoken

packed = zlib.decompress(open("backend/base/tokens/o200k.bin", "rb").read(), -15)
n = 199998
words, at = {}, n
for rank in range(n):
    words[packed[at : at + packed[rank]]] = rank
    at += packed[rank]
assert at == len(packed)
pattern = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)
encoding = tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=words, special_tokens={})

chance = random.Random(200)
everything = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Cs", "Co")]
kinds = {}
for c in everything:
    kinds.setdefault(unicodedata.category(c), []).append(c)


def some(alphabet, most):
    return "".join(chance.choice(alphabet) for _ in range(chance.randint(1, most)))


texts = [
    "", " ", "\n", "\r\n\r\n", "a", "'s", "it's IT'S it'ſ they'Re we'VE I'M he'lL you'd x'y", "1234567 ½²३४५६",
    "https://example.org/a//b?c=d\n/e", "  leading", "trailing  ", "a  b   c\t\td \n e\r\r\nf", "   \n   \n", " \u00a0\u2003x\u3000y\u0085z",
    "<|endoftext|> and <|endofprompt|>", "Create a new issue in a repository, with a title, a body and labels. Returns its number.",
    "Zeigt die letzten Änderungen für größere Geschäftsvorfälle.", "Создаёт новую задачу в репозитории.", "在存储库中创建一个新问题，并返回它的编号。",
    "リポジトリに新しい課題を作成します。", "저장소에 새 이슈를 만들고 번호를 반환합니다.", "ينشئ مشكلة جديدة في المستودع", "שָׁלוֹם עוֹלָם", "नमस्ते दुनिया", "สวัสดีชาวโลก",
    "🎯🚀✅⚠️👩‍👩‍👧‍👦🇩🇪 Purpose: 🔥", "e\u0301e\u0301\u0301 Z͑ͫ̓ͪ̂a\u0300lgo", "DŽdžLjǅ ʰʷ ªº ǅungla", "camelCaseHTTPServer XMLHttpRequest snake_case_name kebab-case",
    "a" * 3000, "ab" * 1000, " " * 5000 + "x", "\n" * 700, "=" * 900, "qzxjvk" * 200, "漢" * 400, "🦄" * 150, "0" * 100, "\u0301" * 90, "A" * 777 + "b",
    '{"type":"object","properties":{"owner":{"type":"string","description":"Who owns it"},"n":{"type":"integer","minimum":0,"default":-1.5e10}},"required":["owner"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}',
    json.dumps({"name": "create_issue", "inputSchema": {"type": "object", "properties": {f"field_{i}": {"type": ["string", "null"], "enum": ["a", "b\"c", "\u00e9"]} for i in range(20)}}}, indent=2),
    "func (s *Store) Open(ctx context.Context) error {\n\tif err := s.db.Ping(); err != nil {\n\t\treturn fmt.Errorf(\"open: %w\", err)\n\t}\n\treturn nil\n}\n",
    "SELECT a.id, count(*) FROM t AS a WHERE a.x <> 'y''z' GROUP BY 1; -- comment\n", "<div class=\"a\">&nbsp;<!-- x --></div>\n\n\n```js\nconst x = `a${b}`;\n```",
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
]
ascii_text = "".join(map(chr, range(32, 127)))
for _ in range(250):
    texts.append(some(everything, 60))
for _ in range(250):
    texts.append(some(ascii_text, 120))
for _ in range(150):
    texts.append(some(" \t\n\r\u00a0\u2028\u3000/'aB1.", 60))
for _ in range(250):  # runs of one category each
    texts.append("".join(some(kinds[chance.choice(list(kinds))], 6) for _ in range(chance.randint(1, 12))))
for _ in range(100):
    texts.append("".join(chance.choice(["'s", "'S", "'ſ", "'RE", "'lL", "'", "don", "X", "é", "\u0301", "ª", " ", "D", "''"]) for _ in range(chance.randint(1, 14))))
known = list(words)
for _ in range(150):  # tokens in other orders
    texts.append(b"".join(chance.choice(known) for _ in range(chance.randint(1, 30))).decode("utf-8", "ignore"))
for text in texts:
    print(json.dumps({"text": text, "tokens": len(encoding.encode_ordinary(text))}, ensure_ascii=True))
