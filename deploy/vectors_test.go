// SPDX-License-Identifier: Apache-2.0

package deploy_test

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
)

// A recording is one decision that a real controller was seen to take.
type recording struct {
	ID     string          `json:"id"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// recordings reads a file of them from the folder that KPLAN_VECTORS names, else from
// one beside the repository, else from a sample in testdata.
func recordings(t *testing.T, name string) []recording {
	t.Helper()
	var file struct{ Cases []recording }
	require.NoError(t, json.Unmarshal(recorded(t, name), &file))
	require.NotEmpty(t, file.Cases)
	return file.Cases
}

func recorded(t *testing.T, name string) []byte {
	t.Helper()
	if folder := os.Getenv("KPLAN_VECTORS"); folder != "" {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)+".json"))
		require.NoError(t, err, "KPLAN_VECTORS names a folder without this file")
		return data
	}
	if data, err := os.ReadFile(filepath.Join("..", "..", "shared", "vectors", filepath.FromSlash(name)+".json")); err == nil {
		return data
	}
	packed, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".json.gz"))
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	var data bytes.Buffer
	_, err = data.ReadFrom(reader)
	require.NoError(t, err)
	return data.Bytes()
}

// agree compares recordings with what decide comes to, as JSON. The second result of
// decide names the rule, of those in explained, by which the two may differ, or "".
func agree(t *testing.T, name string, decide func(t *testing.T, r recording) (got any, rule string)) {
	t.Helper()
	cases := recordings(t, name)
	rules, failed := map[string]int{}, 0
	for _, r := range cases {
		got, rule := decide(t, r)
		data, err := json.Marshal(got)
		require.NoError(t, err)
		diff := cmp.Diff(plain(t, r.Output), plain(t, data))
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
	t.Logf("%s: %d cases, %d differ", name, len(cases), failed)
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%s: %d explained by %s", name, rules[rule], explained()[rule])
	}
}

func plain(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}
