// SPDX-License-Identifier: Apache-2.0

package releases_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/conformance/releases"
)

const readme = "../../../README.md"

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

func TestReplace(t *testing.T) {
	folder := fstest.MapFS{
		"1.36.json": {Data: []byte(`{"kubernetes": "1.36.3", "cases": 1234567, "passes": 12, "carried": 123, "otherwise": ["a (b)", "c"]}`)},
		"1.37.json": {Data: []byte(`{"kubernetes": "1.37.2", "cases": 123456, "passes": 1000}`)},
	}
	_, err := releases.Replace("no place", folder)
	require.Error(t, err)
	got, err := releases.Replace("a\n"+releases.Begin+"old\n"+releases.End+"b\n", folder)
	require.NoError(t, err)
	require.Contains(t, got, "|\n| 1.37.2 | 123,456 | 1,000 | 0 | nothing |\n| 1.36.3 | 1,234,567 | 12 | 123 | a (b); c |\n"+releases.End+"b\n")
	require.NotContains(t, got, "old")
	_, err = releases.Table(fstest.MapFS{"1.37.json": {Data: []byte("no JSON")}})
	require.ErrorContains(t, err, "1.37.json")
}
