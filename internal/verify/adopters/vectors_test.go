// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/recorded"
)

// A file of recorded cases of a project, and the answer of an adapter to one of them.
type file struct {
	project, name string
	decide        func(t *testing.T, r recorded.Recording) answer
}

// An answer is a decision as it was recorded, as far as it is one, and as it comes out here.
// Policy is the key of the row in policies under which they may differ, "" if they may not.
type answer struct {
	want, got any
	policy    string
}

// policies are why a recorded decision may come out otherwise here.
var policies = map[string]string{
	"none below 0":       "Agones asks for fewer than no servers where players hold more than the fleet is to have, which the API server refuses; here it is none",
	"analysis":           "analyses are not planned here: a step of one is over when its caller says so",
	"never without one":  "the number is asked for alone, with limits of 0; who asks in upstream, and here, has raised them to 1",
	"nothing to do":      "a part of a step is asked for with no steps to go, which a whole step never does",
	"template not noted": "templates differ in what is not recorded of them",
}

// same is an answer that must equal the recorded one.
func same(r recorded.Recording, got any) answer { return answer{want: r.Output, got: got} }

// read decodes the input of a case.
func read[T any](t *testing.T, r recorded.Recording) (in T) {
	r.Read(t, &in)
	return in
}

// result decodes the recorded answer of a case.
func result[T any](t *testing.T, r recorded.Recording) (out T) {
	recorded.Recording{ID: r.ID, Input: r.Output}.Read(t, &out)
	return out
}

// refused is how an error of upstream is recorded.
var refused = map[string]bool{"error": true}

// files are all that is recorded of projects with a copy of their own.
func files() []file {
	return slices.Concat(clusterAPIFiles, machineControllerFiles, argoFiles, agonesFiles, leaderWorkerSetFiles, rolloutsFiles, kruiseFiles)
}

// TestVectors runs every recorded case through the adapter of its project. It fails if one
// comes out otherwise and no policy says why, if a policy has no case, and if there is a file
// without an adapter. The table that it logs counts the cases of each project.
func TestVectors(t *testing.T) {
	names, counts, rows := []string{}, map[string]*count{}, map[string]int{}
	for _, f := range files() {
		names = append(names, f.name)
		if counts[f.project] == nil {
			counts[f.project] = &count{}
		}
		t.Run(f.name, func(t *testing.T) { counts[f.project].run(t, f, rows) })
	}
	require.ElementsMatch(t, recordedFiles(t), names, "files with cases, and with an adapter")
	require.ElementsMatch(t, slices.Collect(maps.Keys(policies)), slices.Collect(maps.Keys(rows)), "policies, and those that a case needs")
	var table strings.Builder
	all := count{}
	for _, project := range slices.Sorted(maps.Keys(counts)) {
		c := counts[project]
		fmt.Fprintf(&table, "\n%-28s %6d of %6d equal, %3d by a policy", project, c.equal, c.equal+c.named, c.named)
		all.equal, all.named = all.equal+c.equal, all.named+c.named
	}
	fmt.Fprintf(&table, "\n%-28s %6d of %6d equal, %3d by a policy", "all", all.equal, all.equal+all.named, all.named)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&table, "\n%4d %s: %s", rows[name], name, policies[name])
	}
	t.Log(table.String())
}

// A count is of recorded cases that come out as recorded, and by a policy otherwise.
type count struct{ equal, named int }

func (c *count) run(t *testing.T, f file, rows map[string]int) {
	failed := 0
	for _, r := range recorded.All(t, "adopters/"+f.name) {
		a := f.decide(t, r)
		diff := cmp.Diff(recorded.Plain(t, recorded.Marshal(t, a.want)), recorded.Plain(t, recorded.Marshal(t, a.got)))
		switch {
		case diff == "":
			c.equal++
		case a.policy != "":
			c.named++
			rows[a.policy]++
		default:
			if failed++; failed <= 3 {
				t.Errorf("%s %s (-recorded +got):\n%s", r.ID, r.Input, diff)
			}
		}
	}
	require.Zero(t, failed, "cases that differ")
}

// recordedFiles are the names of all files with cases of such projects.
func recordedFiles(t *testing.T) (names []string) {
	folder, end := filepath.Join("testdata", "adopters"), ".json.gz"
	if vectors := os.Getenv("KPLAN_VECTORS"); vectors != "" {
		folder, end = filepath.Join(vectors, "adopters"), ".json"
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*"+end))
	require.NoError(t, err)
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), end))
	}
	return names
}
