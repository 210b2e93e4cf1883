package classifier

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

//go:embed table.json
var tableData []byte

// table is the weights of the regression.
type table struct {
	Bias       float64
	Vector     []float64          // one weight for each value of a vector
	Features   map[string]float64 // by name of the feature; other features have no weight
	Thresholds scan.Thresholds
}

// unit is the step in which weights are stored.
const unit = .01

// stored is the form of Weights in table.json. Weights are stored as whole numbers of hundredths (see unit).
type stored struct {
	Model      string         `json:"model"`      // of the vectors
	Thresholds [4]float64     `json:"thresholds"` // as in scan.Thresholds
	Bias       int            `json:"bias"`
	Vector     []int          `json:"vector"`
	Features   map[string]int `json:"features"`
}

// shipped returns the table that is embedded in the program.
var shipped = sync.OnceValue(func() *table {
	t, err := readTable(tableData)
	if err != nil {
		panic(err) // cannot happen: a test reads the embedded table
	}
	return t
})

func readTable(data []byte) (*table, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("read the table of the classifier: %w", err)
	}
	if s.Model != minilm.Model || len(s.Vector) != minilm.Dimensions {
		return nil, fmt.Errorf("the table of the classifier is for the encoder %q with %d values; run make train-trust",
			s.Model, len(s.Vector))
	}
	t := &table{
		Bias:     float64(s.Bias) * unit,
		Vector:   make([]float64, len(s.Vector)),
		Features: make(map[string]float64, len(s.Features)),
		Thresholds: scan.Thresholds{
			Some: s.Thresholds[0], Hundredth: s.Thresholds[1], Confirming: s.Thresholds[2], Thousandth: s.Thresholds[3],
		},
	}
	for i, w := range s.Vector {
		t.Vector[i] = float64(w) * unit
	}
	for name, w := range s.Features {
		t.Features[name] = float64(w) * unit
	}
	return t, nil
}

// Weights are the weights and thresholds that the training has found.
type Weights struct {
	Bias       float64
	Vector     []float64
	Features   map[string]float64
	Thresholds scan.Thresholds
}

// Marshal returns weights in the form that the program embeds. It leaves out features whose rounded weight is from -1 to
// 1 units.
func (w Weights) Marshal() ([]byte, error) {
	round := func(x float64) int { return int(math.Round(x / unit)) }
	up := func(x float64) float64 { return math.Ceil(x*100) / 100 }
	s := stored{
		Model:      minilm.Model,
		Thresholds: [4]float64{up(w.Thresholds.Some), up(w.Thresholds.Hundredth), up(w.Thresholds.Confirming), up(w.Thresholds.Thousandth)},
		Bias:       round(w.Bias),
		Features:   make(map[string]int),
	}
	for _, x := range w.Vector {
		s.Vector = append(s.Vector, round(x))
	}
	for name, x := range w.Features {
		if r := round(x); r > 1 || r < -1 {
			s.Features[name] = r
		}
	}
	return json.Marshal(s)
}
