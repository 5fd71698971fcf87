package rollout_test

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

// The tests of this file and of those named vectors_*_test.go compare decisions
// with those that the real controllers were seen to take. The recordings are read
// from the folder that KPLAN_VECTORS names, else from testdata.

// A recording is one decision of a real controller.
type recording struct {
	ID     string          `json:"id"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

func (r recording) read(t require.TestingT, input any) {
	require.NoError(t, json.Unmarshal(r.Input, input), r.ID)
}

func recordings(t *testing.T, name string) []recording {
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

func decodeRecordings(t *testing.T, data []byte) []recording {
	t.Helper()
	var file struct{ Cases []recording }
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

// explained are the rules under which a decision may differ from the recorded one.
// A rule that explains nothing in a complete set of recordings would be removed.
func explained() map[string]string {
	return map[string]string{
		"malformed":    "0.2: text that is no percentage cannot be written as an IntOrPercent; upstream reads it as 0",
		"literal 100%": "0100% and 100% are the same IntOrPercent",
		"5.6.1":        "5.6.1: a pause of 0 s behind a change of the same pass; the clock of the recording went on meanwhile",
		"clock":        "16.3: less than a second passed between the setup of the recording and its pass",
		"14.5":         "14.5: upstream deletes the canary Service whether it exists or not",
		"crash":        "upstream crashes",
	}
}

// agree compares the decisions of a file with ours, as JSON. The second result of
// decide names the rule that explains a difference, or is empty.
func agree(t *testing.T, name string, decide func(t *testing.T, r recording) (got any, rule string)) {
	t.Helper()
	cases := recordings(t, name)
	rules := map[string]int{}
	failed := 0
	for _, r := range cases {
		got, rule := decide(t, r)
		diff := cmp.Diff(plain(t, r.Output), plain(t, marshal(t, got)))
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

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

func plain(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}

// loose is an IntOrPercent as upstream reads it: text that is no percentage is 0%.
type loose struct {
	rollout.IntOrPercent
	rule string
}

func (v *loose) UnmarshalJSON(data []byte) error {
	*v = loose{}
	if v.IntOrPercent.UnmarshalJSON(data) != nil {
		*v = loose{rollout.Percent(0), "malformed"}
		return nil
	}
	if len(data) > 2 && data[0] == '"' && string(data) != `"`+v.String()+`"` {
		v.rule = "literal 100%"
	}
	return nil
}

// worst returns the first rule of several that is not empty.
func worst(vs ...loose) string {
	for _, v := range vs {
		if v.rule != "" {
			return v.rule
		}
	}
	return ""
}
