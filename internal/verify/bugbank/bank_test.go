// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
)

// An entry is one issue.
type entry struct {
	issue  string // repository and number
	title  string
	check  func(t *testing.T)
	mutant mutant
}

// A shelf is the entries of one kind.
type shelf struct {
	kind    string
	entries []entry
}

// bank returns all entries.
func bank() []shelf {
	return []shelf{
		{"deployment", deployments()},
		{"replicaset", replicaSets()},
		{"order", orders()},
		{"revision", revisions()},
		{"selector and claim", selectors()},
		{"daemonset", daemonSets()},
		{"rollout", rollouts()},
		{"argo", argoEntries()},
	}
}

func TestBank(t *testing.T) {
	for _, s := range bank() {
		for _, e := range s.entries {
			t.Run(e.issue, e.check)
		}
	}
}

// TestEntries: each issue is there once, and there are enough of them.
func TestEntries(t *testing.T) {
	name := regexp.MustCompile(`^[a-z-]+-[0-9]+$`)
	seen := map[string]bool{}
	for _, s := range bank() {
		require.NotEmpty(t, s.entries, s.kind)
		for _, e := range s.entries {
			require.Regexp(t, name, e.issue)
			require.NotEmpty(t, e.title, e.issue)
			require.NotNil(t, e.check, e.issue)
			require.False(t, seen[e.issue], "two entries %s", e.issue)
			seen[e.issue] = true
		}
	}
	require.GreaterOrEqual(t, len(seen), 60)
}

// TestMutantsApply: each mutant changes the sources as they are.
func TestMutantsApply(t *testing.T) {
	for _, s := range bank() {
		for _, e := range s.entries {
			t.Run(e.issue, func(t *testing.T) {
				_, text, err := e.mutant.apply()
				require.NoError(t, err)
				_, err = parser.ParseFile(token.NewFileSet(), "", text, 0)
				require.NoError(t, err, "with the bug, it is no Go")
			})
		}
	}
}

// TestMutants brings each bug back, and wants its entry to fail. It compiles packages
// again and again, and so runs only on demand.
func TestMutants(t *testing.T) {
	if os.Getenv("KPLAN_MUTANTS") == "" {
		t.Skip("takes minutes: set KPLAN_MUTANTS to run it")
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, s := range bank() {
		run, killed := 0, 0
		for _, e := range s.entries {
			t.Run(e.issue, func(t *testing.T) {
				verdict, output := e.run(t)
				run++
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", e.issue, e.title, e.mutant.place, verdict)
				if verdict != "killed" {
					t.Fatalf("%s\n%s", verdict, output)
				}
				killed++
			})
		}
		fmt.Fprintf(table, "%s:\t%d of %d killed\t\t\n", s.kind, killed, run)
	}
	require.NoError(t, table.Flush())
	t.Log("\n" + text.String())
}

// run tests the entry on sources with its bug. A bug that does not compile is none.
func (e entry) run(t *testing.T) (verdict, output string) {
	t.Helper()
	file, text, err := e.mutant.apply()
	require.NoError(t, err)
	dir := t.TempDir()
	mutated, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	original, err := filepath.Abs(file)
	require.NoError(t, err)
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: mutated}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(mutated, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-overlay", overlay, "-run", "^TestBank$/^"+e.issue+"$", "./internal/verify/bugbank")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	switch failed := strings.Contains(string(out), "--- FAIL: TestBank/"+e.issue); {
	case err == nil:
		return "survived", string(out)
	case !failed:
		return "does not run", string(out)
	}
	return "killed", ""
}
