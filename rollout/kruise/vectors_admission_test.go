// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

type recordedRolloutRef struct {
	Exists, Deleting, TrafficRouting, RefersToOtherWorkload bool
	Phase                                                   kruise.Phase
	Strategy                                                string
}

func (in recordedRolloutRef) rollouts(ref workload.Ref) []kruise.Rollout {
	if !in.Exists {
		return nil
	}
	r := kruise.Rollout{Name: "rollouts-demo", WorkloadRef: ref}
	r.Status.Phase = in.Phase
	if in.Deleting {
		r.DeletionTimestamp = now
	}
	if in.RefersToOtherWorkload {
		r.WorkloadRef.Name = "other"
	}
	s := &kruise.Strategy{}
	if in.TrafficRouting {
		s.TrafficRoutings = routings(1)
	}
	switch in.Strategy {
	case "canary":
		r.Canary = s
	case "blueGreen":
		r.BlueGreen = s
	}
	return []kruise.Rollout{r}
}

type recordedDeployment struct {
	Annotations map[string]string `json:"annotations"`
	Labels      map[string]string `json:"labels"`
	Paused      bool              `json:"paused"`
	Replicas    *int32            `json:"replicas"`
	Strategy    struct {
		RollingUpdate *partition.RollingUpdate `json:"rollingUpdate,omitempty"`
		Type          string                   `json:"type,omitempty"`
	} `json:"strategy"`
	Template string `json:"template"`
	UID      string `json:"uid"`
}

func (d recordedDeployment) workload() workload.Workload {
	return workload.Workload{
		Ref: deployment, UID: d.UID, Annotations: d.Annotations, Labels: d.Labels, Paused: d.Paused, Replicas: d.Replicas,
		StrategyType: d.Strategy.Type, RollingUpdate: d.Strategy.RollingUpdate, Template: revision.Template{ID: d.Template},
	}
}

func recordDeployment(w workload.Workload) recordedDeployment {
	d := recordedDeployment{
		Annotations: recordMap(w.Annotations), Labels: recordMap(w.Labels), Paused: w.Paused, Replicas: w.Replicas, Template: w.Template.ID, UID: w.UID,
	}
	d.Strategy.Type, d.Strategy.RollingUpdate = w.StrategyType, w.RollingUpdate
	return d
}

// recordMap returns a map as recordings have it, which is never nil.
func recordMap(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func TestVectorsAdmitDeployment(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/webhook_deployment", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			New, Old    recordedDeployment
			ReplicaSets []struct {
				Name, Template, Revision string
				Replicas                 int32
				CreatedAt                int64
			}
			Rollout                   recordedRolloutRef
			RolloutWorkloadAPIVersion string
		}
		r.Read(t, &in)
		ref := deployment
		if in.RolloutWorkloadAPIVersion != "" {
			ref.APIVersion = in.RolloutWorkloadAPIVersion
		}
		s := kruise.AdmitSnapshot{Old: in.Old.workload(), New: in.New.workload(), Rollouts: in.Rollout.rollouts(ref)}
		for _, set := range in.ReplicaSets {
			s.Sets = append(s.Sets, workload.Set{
				Name: set.Name, Template: revision.Template{ID: set.Template, Hash: set.Name}, Replicas: set.Replicas,
				Revision: set.Revision, CreationTimestamp: time.Unix(set.CreatedAt, 0),
			})
		}
		a, err := planAdmission(s, kruise.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, a.Reason)
		out := map[string]any{"changed": a.Changed}
		if a.Changed {
			out["object"] = recordDeployment(a.Object)
		}
		return out, ""
	})
}

// recordStrategy words the update strategy of a StatefulSet.
func recordStrategy(w workload.Workload) map[string]any {
	out := map[string]any{}
	if w.StrategyType != "" {
		out["type"] = w.StrategyType
	}
	if !w.Partition.IsZero() {
		out["rollingUpdate"] = map[string]any{"partition": w.Partition}
	}
	return out
}

func TestVectorsAdmitOthers(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/webhook_other_workloads", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Kind                                                                     string
			NewRolloutIDAnnotation, OldRolloutIDAnnotation, NewTemplate, OldTemplate string
			HasRollingUpdate                                                         *bool
			Replicas, StatusReplicas, StatusUpdatedReplicas                          int32
			Rollout                                                                  recordedRolloutRef
			UpdateStrategyType                                                       *string
		}
		r.Read(t, &in)
		w := workload.Workload{Ref: map[string]workload.Ref{
			"CloneSet": cloneSet, "KruiseDaemonSet": kruiseSet, "DaemonSet": daemonSet, "StatefulSet": statefulSet,
		}[in.Kind], Replicas: &in.Replicas, Template: revision.Template{ID: in.OldTemplate}, Status: workload.Status{
			Replicas: in.StatusReplicas, UpdatedReplicas: in.StatusUpdatedReplicas,
		}}
		if in.UpdateStrategyType != nil {
			w.StrategyType = *in.UpdateStrategyType
		}
		annotated := func(id string) map[string]string {
			if id == "" {
				return map[string]string{}
			}
			return map[string]string{workload.LabelRolloutID: id}
		}
		s := kruise.AdmitSnapshot{Old: w, New: w, Rollouts: in.Rollout.rollouts(w.Ref)}
		s.New.Template.ID = in.NewTemplate
		s.Old.Annotations, s.New.Annotations = annotated(in.OldRolloutIDAnnotation), annotated(in.NewRolloutIDAnnotation)
		a, err := planAdmission(s, kruise.Options{})
		require.NoError(t, err)
		out := map[string]any{"annotations": recordMap(a.Object.Annotations), "changed": a.Changed, "error": "<nil>"}
		var recorded map[string]any
		require.NoError(t, json.Unmarshal(r.Output, &recorded))
		rule := ""
		for member := range recorded {
			switch member {
			case "partition":
				out[member] = a.Object.Partition
			case "updateStrategyType":
				out[member] = a.Object.StrategyType
			case "updateStrategy":
				out[member] = recordStrategy(a.Object)
				if len(a.Object.Annotations) == 0 {
					out["annotations"] = nil // of a StatefulSet, which has no map then
				}
			case "panic":
				rule = "crash"
			}
		}
		return out, rule
	})
}
