// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/partition"
)

// explained are the rules by which a plan may differ from a recording of the default
// decision. There are none: every difference fails. Under Corrected it is the
// repairs.
func explained() map[string]string {
	return map[string]string{
		"StatusAhead": "StatusAheadFailsScaling, StatusAheadStopsCleanup: an old ReplicaSet that reports more available pods than it wants does not end the pass",
	}
}

// A partitionCase is the input of a recorded pass, or of one of its steps.
type partitionCase struct {
	ReplicaSets []struct {
		Name, Template string
		CreatedAt      int
		Revision       *string
		Desired        *string `json:"desiredReplicasAnnotation"`
		Max            *string `json:"maxReplicasAnnotation"`

		Replicas, StatusReplicas, ReadyReplicas, AvailableReplicas int32
	}
	Replicas, StatusReplicas int32
	Strategy                 struct {
		MaxSurge, MaxUnavailable, Partition json.RawMessage
		Paused                              bool
	}
	Template string
}

// A recordedSet is a ReplicaSet of a recorded result.
type recordedSet struct {
	Desired  string `json:"desiredReplicasAnnotation"`
	Max      string `json:"maxReplicasAnnotation"`
	Name     string `json:"name"`
	Replicas int32  `json:"replicas"`
}

// written returns the annotation of a strategy; an absent limit is not written.
func written(t require.TestingT, surge, unavailable, partition json.RawMessage, paused bool) string {
	limits := map[string]json.RawMessage{}
	if len(surge) > 0 {
		limits["maxSurge"] = surge
	}
	if len(unavailable) > 0 {
		limits["maxUnavailable"] = unavailable
	}
	text, err := json.Marshal(map[string]any{"rollingUpdate": limits, "partition": partition, "paused": paused})
	require.NoError(t, err)
	return string(text)
}

func parsed(t require.TestingT, text string) *partition.Strategy {
	p, err := deploy.ParsePartitioned(text)
	require.NoError(t, err, text)
	return &p
}

func (c partitionCase) snapshot(t require.TestingT) deploy.Snapshot {
	s := deploy.Snapshot{Deployment: deploy.Deployment{
		Name: "demo", UID: "demo-uid", Replicas: ptr.To(c.Replicas), Template: revision.Template{ID: c.Template, Hash: "<hash>"},
		Strategy: deploy.Recreate, Paused: true, ProgressDeadlineSeconds: ptr.To(int32(deploy.NoLimit)),
		Partitioned: parsed(t, written(t, c.Strategy.MaxSurge, c.Strategy.MaxUnavailable, c.Strategy.Partition, c.Strategy.Paused)),
		Status:      deploy.Status{Replicas: c.StatusReplicas},
	}}
	for _, in := range c.ReplicaSets {
		rs := replicaset.ReplicaSet{
			Name: in.Name, UID: in.Name, ControllerUID: "demo-uid", CreationTimestamp: t0.Add(time.Duration(in.CreatedAt) * time.Second),
			Replicas: ptr.To(in.Replicas), Template: revision.Template{ID: in.Template}, Annotations: map[string]string{},
			Status: replicaset.Status{
				Replicas: in.StatusReplicas, ReadyReplicas: in.ReadyReplicas, AvailableReplicas: in.AvailableReplicas,
			},
		}
		for key, text := range map[string]*string{
			revision.AnnotationRevision: in.Revision, revision.AnnotationDesired: in.Desired, revision.AnnotationMax: in.Max,
		} {
			if text != nil {
				rs.Annotations[key] = *text
			}
		}
		s.ReplicaSets = append(s.ReplicaSets, rs)
	}
	return s
}

// lags reports whether an old ReplicaSet reports more available pods than it wants.
func (c partitionCase) lags() bool {
	for _, rs := range c.ReplicaSets {
		if rs.AvailableReplicas > rs.Replicas {
			return true
		}
	}
	return false
}

// sets returns the ReplicaSets of a snapshot, by name, as they are recorded.
func sets(s deploy.Snapshot) []recordedSet {
	recorded := []recordedSet{}
	for _, rs := range s.ReplicaSets {
		recorded = append(recorded, recordedSet{
			Name: rs.Name, Replicas: *rs.Replicas,
			Desired: rs.Annotations[revision.AnnotationDesired], Max: rs.Annotations[revision.AnnotationMax],
		})
	}
	slices.SortFunc(recorded, func(a, b recordedSet) int { return cmp.Compare(a.Name, b.Name) })
	return recorded
}

// tooMany returns the error that upstream ends a pass with.
func tooMany(p deploy.Plan) (text string, ends bool) {
	i := slices.IndexFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.StatusAhead })
	if i < 0 || p.ExtraStatus != nil {
		return "", false
	}
	h := p.Holds[i]
	return fmt.Sprintf("when cleaning up unhealthy replicas, got invalid request to scale down ns/%s %d -> %d", h.Name, h.Limit, h.Have), true
}

func TestVectorsPartitionedPass(t *testing.T) {
	agree(t, "kruise-rollouts/sync_deployment", func(t *testing.T, r recording) (any, string) {
		var in partitionCase
		require.NoError(t, json.Unmarshal(r.Input, &in))
		s := in.snapshot(t)
		p, err := deploy.Reconcile(s, t0, deploy.Options{})
		require.NoError(t, err)
		out := map[string]any{"deploymentRevision": "", "extraStatus": ""}
		if text, ends := tooMany(p); ends {
			out["error"] = text
		}
		for _, a := range p.Actions {
			require.NoError(t, apply(&s, a))
		}
		// The recording lost the revision: it had been written to the status alone.
		if n := s.Deployment.Annotations[revision.AnnotationRevision]; n != "" {
			require.Regexp(t, `^[0-9]+$`, n)
		}
		out["extraStatus"] = s.Deployment.Annotations[partition.AnnotationExtraStatus]
		out["replicaSets"] = sets(s)
		var recorded struct{ WithoutAliasing json.RawMessage }
		require.NoError(t, json.Unmarshal(r.Output, &recorded))
		if len(recorded.WithoutAliasing) > 0 {
			out["withoutAliasing"] = recorded.WithoutAliasing // see TestVectorsOldSetsCorrected
		}
		return out, ""
	})
}

// step returns what a step of a recorded pass comes to, as it is recorded.
func step(t *testing.T, name string, r recording, opts deploy.Options) (result deploy.StepResult, out map[string]any, in partitionCase) {
	require.NoError(t, json.Unmarshal(r.Input, &in))
	s := in.snapshot(t)
	result, err := deploy.Step(name, s, t0, opts)
	require.NoError(t, err)
	for _, a := range result.Set {
		require.NoError(t, apply(&s, a))
	}
	for _, rs := range s.ReplicaSets {
		require.Equal(t, result.Sizes[rs.Name], *rs.Replicas)
	}
	return result, map[string]any{"replicaSets": sets(s)}, in
}

func TestVectorsGrowNew(t *testing.T) {
	agree(t, "kruise-rollouts/reconcile_new_replica_set", func(t *testing.T, r recording) (any, string) {
		result, out, _ := step(t, deploy.StepNew, r, deploy.Options{})
		out["scaled"] = result.Scaled
		return out, ""
	})
}

func TestVectorsOldSets(t *testing.T) {
	for _, name := range []string{"reconcile_old_replica_sets", "reconcile_old_replica_sets_many"} {
		agree(t, "kruise-rollouts/"+name, func(t *testing.T, r recording) (any, string) {
			result, out, _ := step(t, deploy.StepOld, r, deploy.Options{})
			out["scaled"], out["scaleDownLimit"] = result.Scaled, result.OldSurplus
			var recorded struct{ WithoutAliasing json.RawMessage }
			require.NoError(t, json.Unmarshal(r.Output, &recorded))
			if len(recorded.WithoutAliasing) > 0 {
				out["withoutAliasing"] = recorded.WithoutAliasing
			}
			return out, ""
		})
	}
}

// Under Corrected the order of removal is what upstream's would be if its lists did
// not share memory.
func TestVectorsOldSetsCorrected(t *testing.T) {
	for _, name := range []string{"reconcile_old_replica_sets", "reconcile_old_replica_sets_many"} {
		repaired := 0
		agree(t, "kruise-rollouts/"+name, func(t *testing.T, r recording) (any, string) {
			result, out, in := step(t, deploy.StepOld, r, deploy.Options{Repair: quirk.All})
			out["scaled"], out["scaleDownLimit"] = result.Scaled, result.OldSurplus
			var recorded map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(r.Output, &recorded))
			rule := ""
			if in.lags() {
				rule = "StatusAhead"
			}
			without, differs := recorded["withoutAliasing"]
			if !differs {
				return out, rule
			}
			repaired++
			require.NotEqual(t, plain(t, recorded["replicaSets"]), plainOf(t, out["replicaSets"]), r.ID)
			var want map[string]any
			require.NoError(t, json.Unmarshal(without, &want))
			if rule == "" {
				require.Equal(t, want["replicaSets"], plainOf(t, out["replicaSets"]), r.ID)
			}
			return recordedAs(t, r), ""
		})
		t.Logf("%s: in %d cases the repair of OldestFirstUnderPartition shows", name, repaired)
		require.Positive(t, repaired)
	}
}

func plainOf(t *testing.T, v any) any {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return plain(t, data)
}

func recordedAs(t *testing.T, r recording) any { return plain(t, r.Output) }

func TestVectorsScale(t *testing.T) {
	agree(t, "kruise-rollouts/scale_proportionally", func(t *testing.T, r recording) (any, string) {
		result, out, _ := step(t, deploy.StepScale, r, deploy.Options{})
		if result.Aborted {
			var recorded struct{ Error string }
			require.NoError(t, json.Unmarshal(r.Output, &recorded))
			require.Contains(t, recorded.Error, "invalid request to scale down")
			out["error"] = recorded.Error
		}
		return out, ""
	})
}

// formula returns the snapshot of a partitioned Deployment with sets of the given
// sizes, the first of which is new.
func formula(t require.TestingT, replicas int32, text string, sizes ...int32) deploy.Snapshot {
	s := deploy.Snapshot{Deployment: deploy.Deployment{
		Name: "demo", UID: "demo-uid", Replicas: ptr.To(replicas), Template: revision.Template{ID: "v0"}, Partitioned: parsed(t, text),
	}}
	for i, size := range sizes {
		name := fmt.Sprint("v", i)
		s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{
			Name: name, UID: name, ControllerUID: "demo-uid", Replicas: ptr.To(size), Template: revision.Template{ID: name},
		})
	}
	return s
}

func TestVectorsNewSize(t *testing.T) {
	agree(t, "kruise-rollouts/new_rs_new_replicas", func(t *testing.T, r recording) (any, string) {
		var in struct {
			MaxSurge, MaxUnavailable, Partition json.RawMessage
			NewReplicas, Replicas               int32
			OldReplicas                         []int32
		}
		require.NoError(t, json.Unmarshal(r.Input, &in))
		text := written(t, in.MaxSurge, in.MaxUnavailable, in.Partition, false)
		next, err := deploy.NextSize(formula(t, in.Replicas, text, append([]int32{in.NewReplicas}, in.OldReplicas...)...), t0)
		require.NoError(t, err)
		return next, ""
	})
}

// Text that is no percentage, and 100% in other words, come out as upstream reads
// them.
func TestVectorsLimit(t *testing.T) {
	agree(t, "kruise-rollouts/new_rs_replicas_limit", func(t *testing.T, r recording) (any, string) {
		var in struct {
			Partition json.RawMessage
			Replicas  int32
		}
		require.NoError(t, json.Unmarshal(r.Input, &in))
		limit, _, _, _, err := deploy.Limits(formula(t, in.Replicas, written(t, nil, nil, in.Partition, false)), t0)
		require.NoError(t, err)
		return limit, ""
	})
}

func TestVectorsLowerBound(t *testing.T) {
	agree(t, "kruise-rollouts/new_rs_replicas_lower_bound", func(t *testing.T, r recording) (any, string) {
		var in struct {
			Replicas      int32
			RollingUpdate json.RawMessage
		}
		require.NoError(t, json.Unmarshal(r.Input, &in))
		text := fmt.Sprintf(`{"rollingUpdate":%s,"partition":0}`, in.RollingUpdate)
		_, lower, surge, unavailable, err := deploy.Limits(formula(t, in.Replicas, text), t0)
		require.NoError(t, err)
		return map[string]int32{"lowerBound": lower, "maxSurge": surge, "maxUnavailable": unavailable}, ""
	})
}

// A pass looks again after two seconds unless the partition is reached.
func TestVectorsSatisfied(t *testing.T) {
	agree(t, "kruise-rollouts/deployment_rollout_satisfied", func(t *testing.T, r recording) (any, string) {
		var in struct {
			Partition                                 json.RawMessage
			Generation, ObservedGeneration            int64
			Replicas, StatusReplicas, UpdatedReplicas int32
		}
		require.NoError(t, json.Unmarshal(r.Input, &in))
		s := formula(t, in.Replicas, written(t, nil, nil, in.Partition, false))
		d := &s.Deployment
		d.Generation, d.ProgressDeadlineSeconds = in.Generation, ptr.To(int32(deploy.NoLimit))
		d.Status = deploy.Status{ObservedGeneration: in.ObservedGeneration, Replicas: in.StatusReplicas, UpdatedReplicas: in.UpdatedReplicas}
		p, err := deploy.Reconcile(s, t0, deploy.Options{})
		require.NoError(t, err)
		if !p.RecheckAt.IsZero() {
			require.Equal(t, t0.Add(2*time.Second), p.RecheckAt)
		}
		var recorded struct{ Message string }
		require.NoError(t, json.Unmarshal(r.Output, &recorded))
		require.Equal(t, recorded.Message == "", p.RecheckAt.IsZero())
		return map[string]any{"satisfied": p.RecheckAt.IsZero(), "message": recorded.Message}, ""
	})
}

// A traceStep is what one partition led to.
type traceStep struct {
	Conflicted int32            `json:"conflictedPasses"`
	Final      map[string]int32 `json:"final"`
	Limit      int32            `json:"limit"`
	Partition  json.RawMessage  `json:"partition"`
	Sizes      []traceSizes     `json:"sizes"`
}

// Sequences of passes, in a cluster in which every pod is available before the next
// pass. How many passes upstream lost to conflicts with itself is not planned. A
// recording ends after 40 passes for one partition, those included.
func TestVectorsTraces(t *testing.T) {
	agree(t, "kruise-rollouts/trace_partition_deployment", func(t *testing.T, r recording) (any, string) {
		var in struct {
			MaxSurge, MaxUnavailable json.RawMessage
			Partitions               []json.RawMessage
			Replicas                 int32
		}
		require.NoError(t, json.Unmarshal(r.Input, &in))
		var recorded []traceStep
		require.NoError(t, json.Unmarshal(r.Output, &recorded))
		if string(in.MaxSurge) == "null" {
			in.MaxSurge = nil
		}
		s := partitioned(in.Replicas, "", set(1, in.Replicas))
		steps := []traceStep{}
		for i, partition := range in.Partitions {
			s.Deployment.Partitioned = parsed(t, written(t, in.MaxSurge, in.MaxUnavailable, partition, false))
			sizes := runPartition(t, &s, 40-int(recorded[i].Conflicted))
			final := partitionSizes(s)
			steps = append(steps, traceStep{
				Conflicted: recorded[i].Conflicted, Partition: partition, Sizes: sizes,
				Final: map[string]int32{"new": final.New, "old": final.Old},
				Limit: reconcile(t, s).ExtraStatus.ExpectedUpdatedReplicas,
			})
		}
		return steps, ""
	})
}
