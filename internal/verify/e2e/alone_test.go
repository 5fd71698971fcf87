// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
)

// alone returns a ReplicaSet or ReplicationController without an owner.
func alone(kind string, replicas int, tag string) string {
	version, selector := "apps/v1", "{matchLabels: {app: web}}"
	if kind == "ReplicationController" {
		version, selector = "v1", "{app: web}"
	}
	return fmt.Sprintf(`apiVersion: %s
kind: %s
metadata: {name: web}
spec:
  replicas: %d
  selector: %s
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "%s%s"}]}
`, version, kind, replicas, selector, image, tag)
}

// aloneStates bring the first object into a live state.
var aloneStates = []struct {
	name string
	make func(e *env, kind string, n int) (next string)
}{
	{"grown", func(e *env, kind string, n int) string { return alone(kind, n+3, "2") }},
	{"shrunk", func(e *env, kind string, n int) string { return alone(kind, n-2, "1") }},
	{"same", func(e *env, kind string, n int) string { return alone(kind, n, "1") }},
	{"quota", func(e *env, kind string, n int) string {
		e.quota(fmt.Sprint(n + 1))
		e.kubectl("patch", "resourcequota", "limit", "--subresource=status", "--type=merge", "-p", fmt.Sprintf(`{"status": {"used": {"pods": "%d"}}}`, n))
		return alone(kind, n+3, "1")
	}},
	{"broken", func(e *env, kind string, n int) string {
		e.apply(alone(kind, n, "missing"))
		for name := range e.state.Pods {
			e.harm(name)
		}
		e.wait("other pods", func(s *cluster.State) bool {
			return len(podsOf(s, active)) == n && len(podsOf(s, ready)) == 0
		})
		return alone(kind, n+2, "missing")
	}},
}

// foretoldAlone is the part of a simulation about pods.
type foretoldAlone struct {
	Assumed []string
	Steps   []struct {
		Parts   []struct{ Ready int }
		Status  struct{ Replicas int }
		Actions []struct {
			CreatePods *struct{ Count int }
			DeletePod  *struct{ Name string }
		}
		Tie *struct {
			Count int
			Pods  []string
		}
	}
}

// may reports whether the simulation deletes a pod, or might delete it in a tie.
func (f *foretoldAlone) may(name string) bool {
	for _, s := range f.Steps {
		for _, a := range s.Actions {
			if a.DeletePod != nil && a.DeletePod.Name == name {
				return true
			}
		}
		if s.Tie != nil && slices.Contains(s.Tie.Pods, name) {
			return true
		}
	}
	return false
}

// Upstream's controllers do what kplan simulate --live says of a ReplicaSet or
// ReplicationController without a Deployment: the numbers of pods and ready pods, and the victims.
func TestAlone(t *testing.T) {
	t.Parallel()
	world := ownWorld(t, true)
	for _, kind := range []string{"ReplicaSet", "ReplicationController"} {
		for i, state := range aloneStates {
			t.Run(kind+"-"+state.name, func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, world, strings.ToLower("alone-"+kind+"-"+state.name), upstream, script{})
				defer e.close(script{})
				n := 3 + rand.New(rand.NewPCG(19, uint64(i))).IntN(4)
				e.behave(quick)
				e.apply(alone(kind, n, "1"))
				e.wait("all pods", func(s *cluster.State) bool { return len(podsOf(s, ready)) == n })
				next := state.make(e, kind, n)
				e.settle()
				e.checkAlone(next, kind)
			})
		}
	}
}

func (e *env) checkAlone(next, kind string) {
	file := filepath.Join(e.TempDir(), "next.yaml")
	require.NoError(e, os.WriteFile(file, []byte(next), 0o600))
	var problems strings.Builder
	cmd := e.kplan("simulate", "--live", "-f", file, "-o", "json")
	cmd.Stderr = &problems
	text, _ := cmd.Output() // of pods that never become ready it is no success
	var f foretoldAlone
	only(e, text, &f, problems.String())
	before := podsOf(e.state, active)
	e.applyFile(file)
	e.settle()
	last := f.Steps[len(f.Steps)-1]
	got := [2]int{len(podsOf(e.state, active)), len(podsOf(e.state, ready))}
	require.Equal(e, got, [2]int{last.Status.Replicas, last.Parts[0].Ready}, "pods and ready ones\n%s\n%s", text, problems.String())
	for _, p := range before {
		require.True(e, e.state.Pods[p.Name] != nil || f.may(p.Name), "%s went\n%s", p.Name, text)
	}
	explained, err := e.kplan("explain", strings.ToLower(kind)+"/web", "-o", "wide").Output() // notes are on stderr
	require.NoError(e, err, string(explained))
	require.True(e, strings.HasPrefix(string(explained), kind+" "+e.namespace+"/web is "), string(explained))
}
