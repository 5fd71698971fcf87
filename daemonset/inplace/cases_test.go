// SPDX-License-Identifier: Apache-2.0

package inplace_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A vector is a recorded decision.
type vector struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// epoch is the present of all recorded decisions.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// vectors returns the recorded decisions of one file: from the folder that
// KPLAN_VECTORS names, from the full set if it lies beside the module, or from the
// sample that package daemonset keeps.
func vectors(t *testing.T, set, decision string) []vector {
	t.Helper()
	folder, named := os.LookupEnv("KPLAN_VECTORS")
	if !named {
		folder = filepath.Join("..", "..", "..", "shared", "vectors")
	}
	var file struct {
		Cases []vector `json:"cases"`
	}
	name := filepath.Join(folder, set+"-daemonset", decision+".json")
	data, err := os.ReadFile(name)
	switch {
	case err == nil:
		require.NoError(t, json.Unmarshal(data, &file), name)
	case named || !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	default:
		name = filepath.Join("..", "testdata", "vectors.json.gz")
		file.Cases = sampled(t, name)[set+"-daemonset/"+decision]
	}
	require.NotEmpty(t, file.Cases, "no cases in %s", name)
	t.Logf("%s %s: %d cases from %s", set, decision, len(file.Cases), name)
	return file.Cases
}

func sampled(t *testing.T, name string) map[string][]vector {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var all map[string][]vector
	require.NoError(t, json.NewDecoder(z).Decode(&all))
	return all
}

func decode[In, Out any](t *testing.T, v vector) (in In, out Out) {
	t.Helper()
	require.NoError(t, json.Unmarshal(v.Input, &in), v.Name)
	require.NoError(t, json.Unmarshal(v.Output, &out), v.Name)
	return in, out
}
