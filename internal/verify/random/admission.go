// SPDX-License-Identifier: Apache-2.0

package random

import (
	"maps"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Admission draws an update of a workload that a Rollout of OpenKruise should release.
func Admission(s Source) kruise.AdmitSnapshot {
	ref := OneOf(s, "kind of workload", Demo, Demo, Demo, DemoClones, DemoDaemons, DemoDaemonsAdv)
	old := workload.Workload{
		Ref: ref, UID: "w", Replicas: ptrBetween(s, "replicas", 0, 6), Template: version(s, "old"),
		StrategyType: "RollingUpdate", Labels: map[string]string{}, Annotations: map[string]string{},
	}
	if OneIn(s, "limits", 3) {
		old.RollingUpdate = &partition.RollingUpdate{MaxUnavailable: rollout.Int(1), MaxSurge: OneOf(s, "surge", rollout.IntOrPercent{}, rollout.Int(1))}
	}
	if Bool(s, "labelled") {
		old.Labels[workload.LabelStableRevision] = "v1"
	}
	if OneIn(s, "in progress", 3) {
		old.Annotations[workload.AnnotationInProgress] = "x"
	}
	if OneIn(s, "driven", 3) {
		old.StrategyType, old.Paused = "Recreate", true
		old.Annotations[partition.AnnotationStrategy] = `{"rollingStyle":"Partition","partition":"20%","rollingUpdate":{"maxUnavailable":1}}`
	}
	if ref == DemoDaemons && Bool(s, "saved") {
		old.StrategyType, old.Annotations[workload.AnnotationDaemonSetStrategy] = "OnDelete", "RollingUpdate"
	}
	snapshot := kruise.AdmitSnapshot{Rollouts: []kruise.Rollout{ofWorkload(s, ref)}, Old: old, New: old}
	snapshot.New.Labels, snapshot.New.Annotations = maps.Clone(old.Labels), maps.Clone(old.Annotations)
	snapshot.New.Template = version(s, "new")
	for _, w := range []*workload.Workload{&snapshot.Old, &snapshot.New} {
		if OneIn(s, "named", 3) {
			w.Labels[workload.LabelRolloutID], w.Annotations[workload.LabelRolloutID] = OneOf(s, "label", "", "", "a", "b"), OneOf(s, "annotation", "", "", "a", "b")
		}
	}
	for _, name := range OneOf(s, "sets", []string{"v1"}, []string{"v2"}, []string{"v1", "v2"}, []string{"v2", "v3"}, nil) {
		snapshot.Sets = append(snapshot.Sets, workload.Set{Name: "web-" + name, Template: revision.Template{ID: name, Hash: name}, Replicas: Between[int32](s, "size", 0, 3), Revision: name[1:]})
	}
	return snapshot
}

func version(s Source, name string) revision.Template {
	v := OneOf(s, name, "v1", "v2", "v3")
	return revision.Template{ID: v, Hash: v}
}

func ptrBetween(s Source, name string, low, high int32) *int32 {
	n := Between(s, name, low, high)
	return &n
}

// ofWorkload draws a Rollout that has not started.
func ofWorkload(s Source, ref workload.Ref) kruise.Rollout {
	var led []traffic.Routing
	if Bool(s, "led") {
		led = Routed(1)
	}
	return kruise.Rollout{Name: "web", WorkloadRef: ref, Canary: &kruise.Strategy{Steps: Steps(s, true), TrafficRoutings: led}}
}

// Preview draws the input of a preview of a Rollout of OpenKruise.
func Preview(s Source) preview.Input {
	in := preview.Input{
		Rollout: ofWorkload(s, OneOf(s, "kind of workload", Demo, Demo, DemoClones, DemoStateful)), Replicas: OneOf[int32](s, "replicas", 1, 4, 6, 10, 101, 150),
	}
	if Bool(s, "limits") {
		limit := func(name string) rollout.IntOrPercent {
			return OneOf(s, name, rollout.Int(0), rollout.Int(1), rollout.Percent(25), rollout.Percent(2147483647))
		}
		in.Limits = &partition.RollingUpdate{MaxSurge: limit("surge"), MaxUnavailable: limit("unavailable")}
	}
	if OneIn(s, "generations", 3) {
		for range Between(s, "templates", 1, 5) {
			in.Generations = append(in.Generations, Between[int32](s, "generation", 0, 4))
		}
	}
	return in
}
