// SPDX-License-Identifier: Apache-2.0

package releases_test

import (
	"encoding/json"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/conformance/releases"
)

const readme = "../../../../README.md"

// The README has the table that the records make. KPLAN_TABLE=write writes it.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	want, err := releases.Replace(string(text), os.DirFS("."))
	require.NoError(t, err)
	if os.Getenv("KPLAN_TABLE") == "write" {
		require.NoError(t, os.WriteFile(readme, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "./release.sh table writes it")
}

// KPLAN_PARTS names a folder of parts, and KPLAN_RECORD the file of the record that they
// make: see release.sh.
func TestRecord(t *testing.T) {
	parts, path := os.Getenv("KPLAN_PARTS"), os.Getenv("KPLAN_RECORD")
	if parts == "" {
		t.Skip("no parts to join")
	}
	all, err := releases.Join(os.DirFS(parts))
	require.NoError(t, err)
	text, err := json.MarshalIndent(all, "", "\t")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
}

func TestJoin(t *testing.T) {
	folder := fstest.MapFS{
		"a.json": {Data: []byte(`{"kubernetes": "1.36.3", "commit": "0123abcd", "seed": 1, "cases": 10, "carried": 3, "otherwise": ["a"], "intended": {"x": 1}}`)},
		"b.json": {Data: []byte(`{"kubernetes": "1.36.3", "commit": "0123abcd", "seed": 1, "cases": 5, "passes": 7, "otherwise": ["a"], "intended": {"x": 2, "y": 4}}`)},
	}
	all, err := releases.Join(folder)
	require.NoError(t, err)
	require.Equal(t, releases.Record{
		Kubernetes: "1.36.3", Commit: "0123abcd", Seed: 1, Cases: 15, Passes: 7, Carried: 3,
		Otherwise: []string{"a"}, Intended: map[string]int{"x": 3, "y": 4},
	}, all)
	folder["c.json"] = &fstest.MapFile{Data: []byte(`{"kubernetes": "1.36.3", "commit": "0123abcd", "seed": 2}`)}
	_, err = releases.Join(folder)
	require.ErrorContains(t, err, "c.json: of 1.36.3 at commit 0123abcd with seed 2")
	folder["c.json"] = &fstest.MapFile{Data: []byte(`{"kubernetes": "1.36.3", "commit": "4567cdef", "seed": 1}`)}
	_, err = releases.Join(folder)
	require.ErrorContains(t, err, "c.json: of 1.36.3 at commit 4567cdef with seed 1, others of 1.36.3 at commit 0123abcd with seed 1")
	for _, not := range []string{"", "0123abcd-dirty"} {
		_, err = releases.Join(fstest.MapFS{"a.json": {Data: []byte(`{"kubernetes": "1.36.3", "commit": "` + not + `", "seed": 1}`)}})
		require.ErrorContains(t, err, "is no commit")
	}
	_, err = releases.Join(fstest.MapFS{})
	require.Error(t, err)
}

func TestReplace(t *testing.T) {
	folder := fstest.MapFS{
		"1.34.json": {Data: []byte(`{"kubernetes": "1.34.4", "commit": "0123abcd", "otherwise": ["c", "d"]}`)},
		"1.35.json": {Data: []byte(`{"kubernetes": "1.35.4", "commit": "0123abcd", "otherwise": ["c", "d", "a (b)"]}`)},
		"1.36.json": {Data: []byte(`{"kubernetes": "1.36.3", "commit": "0123abcd", "cases": 1234567, "passes": 12, "carried": 123, "otherwise": ["a (b)", "c"]}`)},
		"1.37.json": {Data: []byte(`{"kubernetes": "1.37.2", "commit": "0123abcd", "cases": 123456, "passes": 1000}`)},
	}
	_, err := releases.Replace("no place", folder)
	require.Error(t, err)
	got, err := releases.Replace("a\n"+releases.Begin+"old\n"+releases.End+"b\n", folder)
	require.NoError(t, err)
	require.Contains(t, got, "|\n| 1.37.2 | 0123abcd | 123,456 | 1,000 | 0 | nothing |\n| 1.36.3 | 0123abcd | 1,234,567 | 12 | 123 | a (b); c |\n| 1.35.4 | 0123abcd | 0 | 0 | 0 | d; what 1.36.3 does |\n| 1.34.4 | 0123abcd | 0 | 0 | 0 | c; d |\n"+releases.End+"b\n")
	require.NotContains(t, got, "old")
	_, err = releases.Table(fstest.MapFS{"1.37.json": {Data: []byte("no JSON")}})
	require.ErrorContains(t, err, "1.37.json")
}
