// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzLoad: whatever stands in a file is read, passed over with a note, or refused with
// the name of the file in one line; and it is read the same twice.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("../../testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && len(text) < 3000 {
			f.Add(text)
		}
	}
	f.Add([]byte("kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nspec: {selector: {}}\n---\nkind: List\nitems: [1]\n"))
	f.Add([]byte("- 1\n---\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		load := func() (*Set, error) {
			return Load(Source{Filenames: []string{"-"}, Stdin: bytes.NewReader(text), Nodes: 2})
		}
		s, err := load()
		again, err2 := load()
		if err != nil {
			if err2 == nil || err.Error() != err2.Error() || err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v, then %v", err, err2)
			}
			return
		}
		if len(s.Workloads) != len(again.Workloads) || len(s.DaemonSets) != len(again.DaemonSets) || len(s.Rollouts) != len(again.Rollouts) {
			t.Fatalf("%+v, then %+v", s, again)
		}
		for _, w := range s.Opened() {
			_, _ = w.Snapshot()
			w.History()
			w.PodSnapshots()
		}
		for i := range s.DaemonSets {
			_, _ = s.DaemonSets[i].Snapshot()
		}
	})
}
