// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/revision"
)

// An outcome is the state of a workload after a stage.
type outcome struct {
	// name and revision of the newest ReplicaSet or ControllerRevision.
	name     string
	revision int64
	// changes is whether pods or revisions come, go, or get other numbers.
	changes bool
	// sizes of ReplicaSets that want pods, and the first size of a new ReplicaSet; of a DaemonSet
	// its pods and the updated ones.
	sizes map[string]int32
}

// A score counts correct forecasts.
type score struct {
	sync.Mutex
	names, same, sizes, unchanged, sized, all int
}

func (s *score) String() string {
	return fmt.Sprintf("names right %d of %d, no-change right %d of %d, sizes right %d of %d (%d of them no change)",
		s.names, s.all, s.same, s.all, s.sizes, s.all, s.unchanged)
}

// stage compares the forecast of kplan for the change from the existing to other objects with the
// outcome of the change.
func (p *previews) stage(what string, from, to []*unstructured.Unstructured, do func()) {
	p.Helper()
	start := time.Now()
	want := p.preview(from, to)
	require.Len(p, want, len(to))
	p.settle()
	before, seen := p.outcomes(), len(p.history)
	do()
	p.finish()
	after := p.outcomes()
	var here score
	for _, key := range slices.Sorted(maps.Keys(want)) {
		w, got := want[key], after[key]
		got.changes = !cmp.Equal(before[key], got, cmp.AllowUnexported(outcome{}))
		p.firstSizes(got, seen)
		here.add(p, what+" "+key, w, got)
	}
	p.Logf("%s: %s, %.1f s", what, here.String(), time.Since(start).Seconds())
	p.all.Lock()
	defer p.all.Unlock()
	p.all.all += here.all
	p.all.names += here.names
	p.all.same += here.same
	p.all.sizes += here.sizes
	p.all.unchanged += here.unchanged
}

func (s *score) add(p *previews, what string, want, got outcome) {
	s.all++
	right := 0
	if want.name == got.name && want.revision == got.revision {
		s.names++
		right++
	}
	if want.changes == got.changes {
		s.same++
		right++
	}
	if maps.Equal(want.sizes, got.sizes) {
		s.sizes++
		right++
	}
	if !got.changes {
		s.unchanged++
	}
	if right < 3 {
		p.Errorf("%s: kplan says %+v, the cluster has %+v", what, want, got)
	}
}

// finish waits until all rollouts are over that are not paused.
func (p *previews) finish() {
	p.Helper()
	deadline := time.Now().Add(waitLimit)
	for p.settle(); ; p.settle() {
		var open []string
		for name, d := range p.state.Deployments {
			n, s := *d.Spec.Replicas, d.Status
			if !d.Spec.Paused && (s.UpdatedReplicas != n || s.AvailableReplicas != n || s.Replicas != n) {
				open = append(open, name)
			}
		}
		for name, d := range p.state.DaemonSets {
			if s := d.Status; s.UpdatedNumberScheduled != daemonNodes || s.NumberAvailable != daemonNodes || s.CurrentNumberScheduled != daemonNodes {
				open = append(open, name)
			}
		}
		if len(open) == 0 {
			return
		}
		if time.Now().After(deadline) {
			p.Fatalf("%v are not rolled out", open)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// outcomes returns the current state of the workloads.
func (p *previews) outcomes() map[string]outcome {
	all := map[string]outcome{}
	at := func(kind, name string) outcome {
		o, ok := all[kind+"/"+name]
		if !ok {
			o.sizes = map[string]int32{}
		}
		return o
	}
	for _, rs := range p.state.ReplicaSets {
		if owner(rs) == "" {
			continue
		}
		o, number := at("Deployment", owner(rs)), int64(0)
		_, _ = fmt.Sscan(rs.Annotations["deployment.kubernetes.io/revision"], &number)
		if number > o.revision {
			o.name, o.revision = rs.Name, number
		}
		if *rs.Spec.Replicas > 0 {
			o.sizes[rs.Name] = *rs.Spec.Replicas
		}
		all["Deployment/"+owner(rs)] = o
	}
	for _, r := range p.state.Revisions {
		if o := at("DaemonSet", owner(r)); r.Revision > o.revision {
			o.name, o.revision = r.Name, r.Revision
			all["DaemonSet/"+owner(r)] = o
		}
	}
	for name, d := range p.state.DaemonSets {
		o := at("DaemonSet", name)
		o.sizes["pods"], o.sizes["updated"] = d.Status.CurrentNumberScheduled, d.Status.UpdatedNumberScheduled
		all["DaemonSet/"+name] = o
	}
	return all
}

// firstSizes adds the first size of the newest ReplicaSet if it was created since.
func (p *previews) firstSizes(o outcome, seen int) {
	for _, c := range p.history[seen:] {
		if rs, ok := c.Object.(*appsv1.ReplicaSet); ok && rs.Name == o.name {
			if rs.Generation == 1 && rs.Status.ObservedGeneration == 0 {
				o.sizes["at first"] = *rs.Spec.Replicas
			}
			return
		}
	}
}

// A simulated is the output of kplan for a workload.
type simulated struct {
	Kind, Name string
	Steps      []struct {
		Actions []map[string]json.RawMessage
		Parts   []struct {
			Name               string
			New                bool
			Replicas, Revision int64
		}
	}
}

// preview returns the forecast of kplan.
func (p *previews) preview(from, to []*unstructured.Unstructured) map[string]outcome {
	p.Helper()
	before := map[string]outcome{}
	if from != nil {
		p.settle()
		before = p.outcomes()
	}
	to = each(to, func(_ int, u *unstructured.Unstructured) { u.SetNamespace(p.namespace) })
	all := map[string]outcome{}
	for _, kind := range []string{"Deployment", "DaemonSet"} {
		around := []*unstructured.Unstructured{}
		if kind == "DaemonSet" {
			around = p.nodes()
		}
		args := []string{"simulate", "-o", "json", "-f", p.file(append(ofKind(to, kind), around...))}
		if from != nil {
			args = append(args, "--from", p.file(append(around, from...)))
		}
		var printed struct{ Items []simulated }
		require.NoError(p, json.Unmarshal(p.simulate(args...), &printed))
		for _, s := range printed.Items {
			key := kind + "/" + s.Name
			all[key] = s.outcome(before[key])
		}
	}
	return all
}

// simulate runs kplan. A rollout that does not end, such as a paused one, is exit code 1.
func (p *previews) simulate(args ...string) []byte {
	p.Helper()
	path, err := kplanPath()
	require.NoError(p, err)
	var errs strings.Builder
	cmd := exec.Command(path, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		require.NoError(p, err, errs.String())
	}
	require.NotEmpty(p, out, errs.String())
	return out
}

func ofKind(list []*unstructured.Unstructured, kind string) (some []*unstructured.Unstructured) {
	for _, u := range list {
		if u.GetKind() == kind {
			some = append(some, u)
		}
	}
	return some
}

// outcome reads the end of a simulation. Values that it does not name stay as before.
func (s *simulated) outcome(before outcome) outcome {
	o := outcome{name: before.name, revision: before.revision, sizes: map[string]int32{}}
	for _, step := range s.Steps {
		for _, action := range step.Actions {
			for name, body := range action {
				o.act(s.Kind, name, body)
			}
		}
	}
	end := s.Steps[len(s.Steps)-1]
	if s.Kind == "DaemonSet" {
		o.sizes["pods"], o.sizes["updated"] = 0, 0
		for _, part := range end.Parts {
			o.sizes["pods"] += int32(part.Replicas)
			if part.New {
				o.sizes["updated"] += int32(part.Replicas)
			}
		}
		return o
	}
	o.name, o.revision = "", 0
	for _, rs := range end.Parts {
		if rs.Revision > o.revision {
			o.name, o.revision = rs.Name, rs.Revision
		}
		if rs.Replicas > 0 {
			o.sizes[rs.Name] = int32(rs.Replicas)
		}
	}
	return o
}

// act takes in an action.
func (o *outcome) act(kind, name string, body json.RawMessage) {
	var a struct {
		Name     string
		Replicas int32
		Revision int64
		To       int64 // which number a revision gets that there was before
		Set      map[string]string
	}
	_ = json.Unmarshal(body, &a)
	switch name {
	case "createReplicaSet":
		o.sizes["at first"] = a.Replicas
	case "createRevision", "updateRevision":
		o.name, o.revision = a.Name, max(a.Revision, a.To)
	case "scaleReplicaSet", "createPod", "deletePod":
	case "annotateReplicaSet": // if a Deployment without pods goes back to a revision, nothing is scaled
		if a.Set[revision.AnnotationRevision] == "" {
			return
		}
	default:
		return
	}
	o.changes = true
}
