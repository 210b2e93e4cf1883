package tokens

// short is the largest length in bytes of a piece for which count compares all pairs before each merge. For a longer
// piece, a heap is faster.
const short = 64

// count returns the number of tokens in a piece, by byte pair encoding. At first each byte is a part of its own. Then count
// merges two neighbouring parts that together are a token, always the first pair of the lowest rank, until no pair is a token.
func (v *vocabulary) count(piece string) int {
	switch {
	case len(piece) == 1 || v.rank(piece) != none:
		return 1
	case len(piece) <= short:
		return v.countShort(piece)
	default:
		return v.countLong(piece)
	}
}

func (v *vocabulary) countShort(piece string) int {
	var starts [short + 1]int
	var ranks [short]uint32 // of the pair that begins with each part; none for the last part
	n := len(piece)         // parts
	for i := range n {
		starts[i], ranks[i] = i, none
		if i+2 <= n {
			ranks[i] = v.rank(piece[i : i+2])
		}
	}
	starts[n] = n
	pair := func(i int) uint32 {
		if i+2 > n {
			return none
		}
		return v.rank(piece[starts[i]:starts[i+2]])
	}
	for {
		lowest := 0
		for i := 1; i < n; i++ {
			if ranks[i] < ranks[lowest] {
				lowest = i
			}
		}
		if ranks[lowest] == none {
			return n
		}
		copy(starts[lowest+1:n], starts[lowest+2:n+1])
		copy(ranks[lowest+1:n-1], ranks[lowest+2:n])
		n--
		ranks[lowest] = pair(lowest)
		if lowest > 0 {
			ranks[lowest-1] = pair(lowest - 1)
		}
	}
}

func (v *vocabulary) countLong(piece string) int {
	m := merger{v: v, piece: piece, parts: make([]part, len(piece)+1)}
	for i := range m.parts {
		m.parts[i] = part{before: i - 1, after: i + 1, rank: none}
	}
	n := len(piece)
	for i := range n {
		m.look(i)
	}
	for len(m.heap) > 0 {
		first := m.pop()
		i, rank := int(uint32(first)), uint32(first>>32)
		if m.parts[i].rank != rank { // the pair has changed meanwhile
			continue
		}
		joined := m.parts[i].after
		m.parts[joined].rank = none
		m.parts[i].after = m.parts[joined].after
		m.parts[m.parts[i].after].before = i
		n--
		m.look(i)
		if before := m.parts[i].before; before >= 0 {
			m.look(before)
		}
	}
	return n
}

// merger merges the parts of a long piece.
type merger struct {
	v     *vocabulary
	piece string
	parts []part // by the position of the first byte; the last element stands for the end of the piece
	// heap has the pairs that look has found, the lowest rank first. Each element has the rank in its upper 32 bits and
	// the position in its lower 32 bits.
	heap []uint64
}

type part struct {
	before, after int    // positions of the neighbours
	rank          uint32 // rank of the pair that begins with this part
}

// look finds the rank of the pair that begins with a part, and adds the pair to the heap if it is a token.
func (m *merger) look(i int) {
	p := &m.parts[i]
	if p.rank = none; p.after == len(m.piece) {
		return
	}
	if p.rank = m.v.rank(m.piece[i:m.parts[p.after].after]); p.rank != none {
		m.push(uint64(p.rank)<<32 | uint64(i))
	}
}

func (m *merger) push(x uint64) {
	m.heap = append(m.heap, x)
	for i := len(m.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if m.heap[up] <= m.heap[i] {
			return
		}
		m.heap[up], m.heap[i] = m.heap[i], m.heap[up]
		i = up
	}
}

func (m *merger) pop() uint64 {
	first, last := m.heap[0], len(m.heap)-1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	for i := 0; ; {
		low := 2*i + 1
		if low >= last {
			return first
		}
		if low+1 < last && m.heap[low+1] < m.heap[low] {
			low++
		}
		if m.heap[i] <= m.heap[low] {
			return first
		}
		m.heap[i], m.heap[low] = m.heap[low], m.heap[i]
		i = low
	}
}
