// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// kinds are fields of actions, and words the words for kinds.
var (
	kinds = regexp.MustCompile(`"kind":"Server",?`)
	words = strings.NewReplacer("daemon set", "parent", "Fleet", "parent", "DaemonPod", "child", "pod ", "child ", "pod: ", "child: ", "Server", "child")
)

// TestPropertyKinds: with kinds of one's own the plan is the same in other words, whatever
// kinds the controllers of pods and revisions are said to have.
func TestPropertyKinds(t *testing.T) {
	wordless := func(t *rapid.T, p daemonset.Plan) string {
		text, err := json.Marshal(p)
		require.NoError(t, err)
		return words.Replace(kinds.ReplaceAllString(string(text)+p.String(), ""))
	}
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		own := purity.Clone(s)
		own.DaemonSet.Kind, own.DaemonSet.PodKind = "Fleet", "Server"
		other := func(uid string) string {
			if uid == "" {
				return ""
			}
			return random.OneOf(random.Rapid(t), "controller", "", "Fleet", daemonset.Kind, "Group")
		}
		for i := range own.Pods {
			own.Pods[i].ControllerKind = other(own.Pods[i].ControllerUID)
		}
		for i := range own.Revisions {
			own.Revisions[i].ControllerKind = other(own.Revisions[i].ControllerUID)
		}
		want, err := daemonset.Reconcile(s, t0, opts)
		if err != nil {
			t.Skip()
		}
		if diff := cmp.Diff(wordless(t, want), wordless(t, reconcile(t, own, t0, opts))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestKinds goes through what becomes of objects.
func TestKinds(t *testing.T) {
	s := random.Agents(1, "v1")
	s.DaemonSet.Kind, s.DaemonSet.PodKind, s.Pods, s.Revisions = "Fleet", "Server", nil, nil
	p, err := daemonset.Reconcile(s, t0, daemonset.Options{})
	require.NoError(t, err)
	require.Contains(t, p.String(), "Created Server on node ")
	after, err := p.Apply(s, t0)
	require.NoError(t, err)
	require.Equal(t, "Fleet", after.Pods[0].ControllerKind)
	require.Equal(t, "Fleet", after.Revisions[0].ControllerKind)
}
