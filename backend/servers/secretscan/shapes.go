package secretscan

import "strings"

// shape describes the tokens of an issuer: one of the texts in begins, at the
// beginning of a word, followed by parts.
type shape struct {
	begins []string
	parts  []shapePart
}

// shapePart matches one of texts, or min to max characters of the set in. No part can begin with a character of the
// previous part's set, so a shape can match in one way only.
type shapePart struct {
	texts    []string
	in       *set
	min, max int
	endsWord bool
	slot     int // index in scanner.runs
}

var (
	lettersDigits = bytesOf("A-Za-z0-9", false)
	withDashes    = bytesOf("-_A-Za-z0-9", false)
	withHyphens   = bytesOf("-A-Za-z0-9", false)
	smallDigits   = bytesOf("a-z0-9", false)
	capitalDigits = bytesOf("A-Z0-9", false)
	smallHex      = bytesOf("a-f0-9", false)
	digits        = bytesOf("0-9", false)
)

func atLeast(n int, in *set) shapePart { return shapePart{in: in, min: n, max: all} }
func exactly(n int, in *set) shapePart { return shapePart{in: in, min: n, max: n} }
func either(texts ...string) shapePart { return shapePart{texts: texts} }

func begin(texts ...string) []string { return texts }

var shapes = newShapes([]shape{
	{begin("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "glpat-"), []shapePart{atLeast(16, withDashes)}},
	{begin("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_"), []shapePart{atLeast(20, lettersDigits)}},
	{begin("github_pat_"), []shapePart{atLeast(20, inWord)}},
	{begin("xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"), []shapePart{atLeast(10, withHyphens)}},
	{begin("AKIA", "ASIA"), []shapePart{{in: capitalDigits, min: 16, max: 16, endsWord: true}}},
	{begin("AIza", "figd_", "nvapi-", "pypi-"), []shapePart{atLeast(30, withDashes)}},
	{begin("xapp-"), []shapePart{exactly(1, digits), either("-"), atLeast(20, withHyphens)}},
	{begin("shpat_", "shpss_", "shpca_", "shppa_"), []shapePart{exactly(32, bytesOf("a-fA-F0-9", false))}},
	{begin("ntn_", "xai-"), []shapePart{atLeast(40, lettersDigits)}},
	{begin("lin_api_", "gsk_", "pplx-", "r8_", "phc_", "phx_", "glsa_", "apify_api_", "npm_"), []shapePart{atLeast(30, lettersDigits)}},
	{begin("SG."), []shapePart{atLeast(16, withDashes), either("."), atLeast(16, withDashes)}},
	{begin("sbp_"), []shapePart{exactly(40, smallHex)}},
	{begin("sb_secret_", "ya29.", "GOCSPX-", "hvs."), []shapePart{atLeast(20, withDashes)}},
	{begin("tvly-", "ctx7sk-"), []shapePart{atLeast(20, withHyphens)}},
	{begin("dapi"), []shapePart{exactly(32, smallHex)}},
	{begin("ATATT3"), []shapePart{atLeast(50, bytesOf("-_=A-Za-z0-9", false))}},
	{begin("pat"), []shapePart{exactly(14, lettersDigits), either("."), exactly(64, smallHex)}},
	{begin("AGE-SECRET-KEY-1"), []shapePart{atLeast(50, capitalDigits)}},
	{begin("dop_v1_"), []shapePart{atLeast(32, smallHex)}},
	{begin("eyJ"), []shapePart{atLeast(8, withDashes), either(".eyJ"), atLeast(8, withDashes), either("."), atLeast(8, withDashes)}},
	// The address of a webhook is a credential, because a caller needs nothing else.
	{begin("hooks.slack.com/"), []shapePart{either("services/", "workflows/", "triggers/"), atLeast(10, bytesOf("-_A-Za-z0-9/", false))}},
	{
		begin("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
		[]shapePart{atLeast(1, digits), either("/"), atLeast(20, withDashes)},
	},
	{
		begin("hooks.zapier.com/", "mcp.zapier.com/", "actions.zapier.com/"),
		[]shapePart{either("hooks/catch/", "api/mcp/s/", "mcp/"), atLeast(8, bytesOf("-_A-Za-z0-9/=", false))},
	},
	{begin("hook."), []shapePart{atLeast(1, smallDigits), either(".make.com/"), atLeast(16, smallDigits)}},
	{
		begin("maker.ifttt.com/trigger/"),
		[]shapePart{atLeast(1, bytesOf("/"+white, true)), either("/json/with/key/", "/with/key/"), atLeast(10, withDashes)},
	},
	{begin("webhook.office.com/webhookb2/"), []shapePart{atLeast(20, bytesOf("-@/A-Za-z0-9", false))}},
})

// shapeTable finds shapes by the first two bytes of their beginnings.
type shapeTable struct {
	pairs [1 << 16 / 64]uint64 // bit set, indexed by these two bytes
	at    map[uint16][]beginning
	slots int
}

type beginning struct {
	text  string
	parts []shapePart
}

func newShapes(list []shape) *shapeTable {
	t := &shapeTable{at: make(map[uint16][]beginning)}
	for _, shape := range list {
		for i := range shape.parts {
			shape.parts[i].slot = t.slots
			t.slots++
		}
		for _, text := range shape.begins {
			pair := uint16(text[0])<<8 | uint16(text[1])
			t.pairs[pair/64] |= 1 << (pair % 64)
			t.at[pair] = append(t.at[pair], beginning{text, shape.parts})
		}
	}
	return t
}

// tokens calls found for each token with a known shape, until found returns false.
func (s *scanner) tokens(found func(from, to int) bool) {
	s.steps += len(s.text)
	for i, at := 0, 0; i+1 < len(s.text); i++ {
		from, to := i, i
		pair := uint16(s.text[i])<<8 | uint16(s.text[i+1])
		switch {
		case s.text[i] == ':':
			from, to = s.bot(at, i)
		case shapes.pairs[pair/64]&(1<<(pair%64)) != 0 && !s.isIn(i-1, inWord):
			for _, b := range shapes.at[pair] {
				if end, ok := s.shape(i, b); ok {
					to = end
					break
				}
			}
		}
		if to > from {
			if !found(from, to) {
				return
			}
			at, i = to, to-1
		}
	}
}

// shape returns the end of the token that begins at i with b. ok is false if there is no such token.
func (s *scanner) shape(i int, b beginning) (end int, ok bool) {
	s.steps += len(b.text)
	if !strings.HasPrefix(s.text[i:], b.text) {
		return 0, false
	}
	i += len(b.text)
	for _, part := range b.parts {
		if i, ok = s.part(i, part); !ok {
			return 0, false
		}
	}
	return i, true
}

func (s *scanner) part(i int, part shapePart) (end int, ok bool) {
	for _, text := range part.texts {
		s.steps += len(text)
		if strings.HasPrefix(s.text[i:], text) {
			return i + len(text), true
		}
	}
	if part.in == nil {
		return 0, false
	}
	if part.max != all {
		end = s.skip(i, part.in, part.max)
	} else { // remember the run, because other tokens may begin within it
		if s.runs == nil {
			s.runs = make([]run, shapes.slots)
		}
		last := &s.runs[part.slot]
		if i < last.from || i >= last.to {
			*last = run{i, s.skip(i, part.in, all)}
		}
		end = max(i, last.to)
	}
	if end-i < part.min || part.endsWord && s.isIn(end, inWord) {
		return 0, false
	}
	return end, true
}

// bot returns the range of the Telegram bot token, NUMBER:TOKEN, whose colon is at the index
// colon and which does not begin before the index at. The range is empty if there is no such
// token.
func (s *scanner) bot(at, colon int) (from, to int) {
	if !strings.HasPrefix(s.text[colon:], ":AA") {
		return colon, colon
	}
	for from = colon; from > at && colon-from < 11 && digits[s.text[from-1]]; from-- {
		s.steps++
	}
	const length = 33
	to = s.skip(colon+len(":AA"), withDashes, length)
	if n := colon - from; n < 8 || n > 10 || s.isIn(from-1, inWord) || to-colon-len(":AA") < length {
		return colon, colon
	}
	return from, to
}

// HasToken reports whether a text contains a token with a known shape.
func HasToken(text string) (has bool) {
	s := scanner{text: text}
	s.tokens(func(int, int) bool {
		has = true
		return false
	})
	return has
}
