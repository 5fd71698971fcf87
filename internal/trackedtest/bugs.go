// SPDX-License-Identifier: Apache-2.0

package trackedtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Bug is a change of the incremental counting that makes it wrong: its name, a file, what
// that has once, and what it has instead.
type Bug [4]string

// planted returns the text of the file with the bug.
func (b *Bug) planted(t *testing.T) string {
	file, old, becomes := b[1], b[2], b[3]
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), old), "%s: %q", file, old)
	return strings.Replace(string(text), old, becomes, 1)
}

// Apply checks that each bug is a change of the sources as they are.
func Apply(t *testing.T, bugs []Bug) {
	for i := range bugs {
		bugs[i].planted(t)
	}
}

// Find plants each bug, and wants TestTrackerSteps of the package to find it, and says after
// how many steps it does, of 200,000 or KPLAN_STEPS. It compiles the package again and again, and
// so runs only on demand.
func Find(t *testing.T, bugs []Bug) {
	if os.Getenv("KPLAN_MUTANTS") == "" {
		t.Skip("takes minutes: set KPLAN_MUTANTS to run it")
	}
	for i := range bugs {
		t.Run(bugs[i][0], func(t *testing.T) { bugs[i].find(t) })
	}
}

func (b *Bug) find(t *testing.T) {
	dir := t.TempDir()
	path, err := filepath.Abs(b[1])
	require.NoError(t, err)
	bug, overlay := filepath.Join(dir, "bug.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: bug}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bug, []byte(b.planted(t)), 0o600))
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout", "20m", "-overlay", overlay, "-run", "^TestTrackerSteps$", ".")
	cmd.Env = append(os.Environ(), "KPLAN_STEPS="+cmp.Or(os.Getenv("KPLAN_STEPS"), "200000"))
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "nobody notices\n%s", out)
	found := regexp.MustCompile(`after \d+ steps( at least it panics| at least it never ends)?`).Find(out)
	require.NotNil(t, found, "it does not run\n%s", out)
	t.Logf("found %s", found)
}

// Steps runs machines until they have made as many steps as KPLAN_STEPS says, or few. Each
// makes at most 2,000, and its first one is the one after so many. A panic is a failure, and so
// are steps that take minutes.
func Steps(t *testing.T, few int, run func(seed uint64, before, steps int)) {
	steps := few
	if text := os.Getenv("KPLAN_STEPS"); text != "" {
		var err error
		steps, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for seed := uint64(1); steps > 0; seed++ {
		before, n := int(seed-1)*2_000, min(steps, 2_000)
		within(t, before, func() { run(seed, before, n) })
		steps -= n
	}
}

// within runs steps that come after so many.
func within(t *testing.T, before int, run func()) {
	late := time.AfterFunc(3*time.Minute, func() { panic(fmt.Sprintf("after %d steps at least it never ends", before)) })
	defer func() {
		if late.Stop(); t.Failed() {
			return
		}
		if r := recover(); r != nil {
			t.Fatalf("after %d steps at least it panics: %v", before, r)
		}
	}()
	run()
}
