// SPDX-License-Identifier: Apache-2.0

// Package recorded compares decisions with recorded decisions of real controllers. It reads the
// recordings from the folder in KPLAN_VECTORS, or else from testdata of the package under test.
package recorded

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// A Recording is one decision of a real controller.
type Recording struct {
	ID     string          `json:"id"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// Read decodes the input.
func (r Recording) Read(t require.TestingT, input any) {
	require.NoError(t, json.Unmarshal(r.Input, input), r.ID)
}

// All returns the recordings of a file.
func All(t *testing.T, name string) []Recording {
	t.Helper()
	if folder := os.Getenv("KPLAN_VECTORS"); folder != "" {
		data, err := os.ReadFile(filepath.Join(folder, name+".json"))
		require.NoError(t, err, "KPLAN_VECTORS names a folder without this file")
		return decodeRecordings(t, data)
	}
	packed, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".json.gz"))
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	var data bytes.Buffer
	_, err = data.ReadFrom(reader)
	require.NoError(t, err)
	return decodeRecordings(t, data.Bytes())
}

func decodeRecordings(t *testing.T, data []byte) []Recording {
	t.Helper()
	var file struct{ Cases []Recording }
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

// explained returns the reasons for which a decision may differ from the recorded one, by name.
// Reasons that explain nothing in a complete set of recordings must be removed.
func explained() map[string]string {
	return map[string]string{
		"malformed":    "text that is no percentage cannot be written as an IntOrPercent; upstream reads it as 0",
		"literal 100%": "0100% and 100% are the same IntOrPercent",
		"no pause":     "a pause of 0 s behind a change of the same pass; the clock of the recording went on meanwhile",
		"clock":        "less than a second passed between the setup of the recording and its pass",
		"no canary":    "upstream deletes the canary Service whether it exists or not",
		"crash":        "upstream crashes",
	}
}

// Agree compares the decisions of a file with ours, as JSON. The second result of decide names the
// reason for a difference, or is empty.
func Agree(t *testing.T, name string, decide func(t *testing.T, r Recording) (got any, rule string)) {
	t.Helper()
	cases := All(t, name)
	rules := map[string]int{}
	failed := 0
	for _, r := range cases {
		got, rule := decide(t, r)
		diff := cmp.Diff(Plain(t, r.Output), Plain(t, Marshal(t, got)))
		switch {
		case diff == "":
		case rule != "":
			require.Contains(t, explained(), rule)
			rules[rule]++
		default:
			if failed++; failed <= 3 {
				t.Errorf("%s %s (-recorded +got):\n%s", r.ID, r.Input, diff)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%s: %d of %d cases differ", name, failed, len(cases))
	}
	t.Logf("%s: %d cases", name, len(cases))
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%s: %d explained by %s", name, rules[rule], explained()[rule])
	}
}

// Marshal returns the JSON of a value.
func Marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// Plain decodes JSON into maps, lists and numbers.
func Plain(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}

// Loose is an IntOrPercent as upstream reads it: text that is not a percentage is 0%.
type Loose struct {
	rollout.IntOrPercent
	Rule string // the reason for a difference, or ""
}

// UnmarshalJSON accepts everything that upstream accepts.
func (v *Loose) UnmarshalJSON(data []byte) error {
	*v = Loose{}
	if v.IntOrPercent.UnmarshalJSON(data) != nil {
		*v = Loose{rollout.Percent(0), "malformed"}
		return nil
	}
	if len(data) > 2 && data[0] == '"' && string(data) != `"`+v.String()+`"` {
		v.Rule = "literal 100%"
	}
	return nil
}

// Worst returns the first rule that is not empty.
func Worst(vs ...Loose) string {
	for _, v := range vs {
		if v.Rule != "" {
			return v.Rule
		}
	}
	return ""
}
