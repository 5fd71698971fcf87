// SPDX-License-Identifier: Apache-2.0

package outside_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module makes a module outside of the workspace, and returns its folder and the environment of
// commands there. It takes kplan from this checkout, or, with KPLAN_PROXY and KPLAN_VERSION set,
// that version from a folder which is a module proxy, as from zips.
func module(t *testing.T, name string) (folder string, environment []string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	rapid := regexp.MustCompile(`pgregory\.net/rapid v\S+`)
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	version, replace := os.Getenv("KPLAN_VERSION"), ""
	environment = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if proxy := os.Getenv("KPLAN_PROXY"); proxy != "" {
		before, err := exec.Command("go", "env", "GOPROXY").Output()
		require.NoError(t, err)
		environment = append(environment, "GOPROXY=file://"+proxy+","+strings.TrimSpace(string(before)), "GONOSUMDB=github.com/kplan-go/*")
	} else {
		version, replace = "v0.0.0", "\nreplace github.com/kplan-go/kplan => "+root+"\n"
	}
	folder = t.TempDir()
	text := "module example.com/" + name + "\n\ngo 1.24.0\n\nrequire (\n\tgithub.com/kplan-go/kplan " + version + "\n\t" + rapid.FindString(string(own)) + "\n)\n" + replace
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o644))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644))
	return folder, environment
}

// TestRoller: imported checks find each bug in another project's planner, and nothing in it without
// bugs.
func TestRoller(t *testing.T) {
	full(t)
	folder, environment := module(t, "roller")
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/roller")))
	written := filepath.Join(folder, "table.md")
	cmd := exec.Command("go", "test", ".", "-args", "-rapid.seed=1", "-rapid.checks=2000", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	cmd.Dir, cmd.Env = folder, append(environment, "ROLLER_TABLE="+written)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	table, err := os.ReadFile(written)
	require.NoError(t, err)
	t.Logf("\n%s", table)
	require.GreaterOrEqual(t, bytes.Count(table, []byte("\n")), 2+25)
	compared(t, string(table))
}

// TestCluster: another project's scheduler and controller run in a world.
func TestCluster(t *testing.T) {
	folder, environment := module(t, "cluster")
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/cluster")))
	cmd := exec.Command("go", "test", "-v", ".")
	cmd.Dir, cmd.Env = folder, environment
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// TestLayer: bugs around our planner of Rollouts are found by rollouttest.
func TestLayer(t *testing.T) {
	full(t)
	folder, environment := module(t, "layer")
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/layer")))
	cmd := exec.Command("go", "test", "-v", ".", "-args", "-rapid.seed=1", "-rapid.checks=300", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	cmd.Dir, cmd.Env = folder, environment
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// full skips tests that take half a minute, unless users or versions of the modules ask for them.
func full(t *testing.T) {
	t.Helper()
	if os.Getenv("KPLAN_FULL") == "" && os.Getenv("KPLAN_PROXY") == "" {
		t.Skip("set KPLAN_FULL to draw thousands of cases with planted bugs")
	}
}

// compared compares the bugs of the table with README.md. With KPLAN_UPDATE set, it writes the
// table. The number of the case depends on all random draws and is not compared.
func compared(t *testing.T, table string) {
	t.Helper()
	const readme, heading = "README.md", "| planted bug |"
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), heading)
	require.True(t, found)
	before, tail, _ := strings.Cut(rest, "\n\n")
	if os.Getenv("KPLAN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(readme, []byte(head+table+"\n"+tail), 0o644))
		return
	}
	require.Equal(t, planted(table), planted(heading+before), "run the test with KPLAN_UPDATE=1")
}

// planted returns the first column of a table.
func planted(table string) (bugs []string) {
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		bugs = append(bugs, strings.Split(line, "|")[1])
	}
	return bugs
}
