// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Each action has one line, and comes through JSON.
func TestActions(t *testing.T) {
	plan := batchrelease.ReleasePlan{BatchPartition: ptr.To(int32(1))}
	all := kruise.Actions{
		kruise.SetFinalizer{Kind: "Rollout", Name: "web", Finalizer: "f", Reason: reason.Finalizer},
		kruise.PatchRollout{Name: "web", Annotations: map[string]string{"b": "1", "a": "2"}, Reason: reason.Hash},
		kruise.PatchWorkload{Workload: deployment, Patch: workload.Patch{Replicas: ptr.To(int32(3))}, Reason: reason.GiveBack},
		kruise.CreateBatchRelease{Name: "web", WorkloadRef: deployment, ReleasePlan: plan, Reason: reason.Step},
		kruise.UpdateBatchRelease{Name: "web", WorkloadRef: deployment, Reason: reason.Step},
		kruise.PatchBatchRelease{Name: "web", Finalize: batchrelease.Immediate, Reason: reason.Closing},
		kruise.DeleteBatchRelease{Name: "web", Reason: reason.Closing},
		kruise.SelectPods{Service: "web", Key: "k", Value: "v", Reason: reason.PinTraffic},
		kruise.SelectPods{Service: "web", Key: "k", Reason: reason.RestoreTraffic},
		kruise.CreateService{Name: "web-canary", Stable: "web", Reason: reason.RouteTraffic},
		kruise.DeleteService{Name: "web-canary", Reason: reason.RestoreTraffic},
		kruise.SetRoute{Name: "route", Rules: []traffic.Rule{{}}, Reason: reason.RouteTraffic},
		kruise.SetIngress{Name: "in-canary", Annotations: map[string]string{"a": "b"}, Reason: reason.RouteTraffic},
		kruise.DeleteIngress{Name: "in-canary", Reason: reason.RestoreTraffic},
	}
	require.Equal(t, strings.TrimSpace(`
Added finalizer f of Rollout web (Finalizer)
Annotated rollout web: a, b (Hash)
Patched deployment demo: {"spec":{"replicas":3}} (GiveBack)
Created batch release web up to batch 2 (Step)
Updated batch release web up to batch last (Step)
Patched batch release web (Closing)
Deleted batch release web (Closing)
Set k to v in the selector of service web (PinTraffic)
Removed k from the selector of service web (RestoreTraffic)
Created service web-canary from web (RouteTraffic)
Deleted service web-canary (RestoreTraffic)
Set 1 rules of route route (RouteTraffic)
Set ingress in-canary: a (RouteTraffic)
Deleted ingress in-canary (RestoreTraffic)
held back: Paused`), kruise.Plan{Actions: all, Holds: []kplan.Hold{{Reason: reason.Paused}}}.String())
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back kruise.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, all, back)
	for _, text := range []string{`[{}]`, `[{"unknown":{}}]`, `{}`} {
		require.Error(t, json.Unmarshal([]byte(text), &back), text)
	}
	_, err = json.Marshal(kruise.Actions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", kruise.Plan{}.String())
}

// A converted Rollout shares nothing with the one it was made of.
func TestConvertKeepsNothing(t *testing.T) {
	route := "r"
	old := kruise.RolloutV1alpha1{
		Name: "web", WorkloadRef: deployment, Status: kruise.Status{Conditions: []kplan.Condition{{Type: "a"}}, Sub: &kruise.StepStatus{CurrentStepIndex: 1}},
		Steps: []kruise.StepV1alpha1{{
			Weight: ptr.To(int32(20)), Pause: kruise.Pause{Duration: ptr.To(int32(60))},
			Matches: []traffic.Match{{Path: &traffic.PathMatch{Value: "/"}, Headers: []traffic.ValueMatch{{Name: "a"}}, QueryParams: []traffic.ValueMatch{{Name: "a"}}}},
		}},
		TrafficRoutings: []traffic.Routing{{Ingress: &traffic.IngressRef{Name: "i"}, Gateway: &traffic.GatewayRef{HTTPRouteName: &route}, CustomNetworkRefs: []traffic.NetworkRef{{Kind: "K"}}}},
	}
	r := purity.Check(t, old, func(o kruise.RolloutV1alpha1) (kruise.Rollout, error) { return o.Convert(), nil })
	purity.Check(t, r, func(r kruise.Rollout) (kruise.RolloutV1alpha1, error) { return kruise.ConvertBack(r), nil })
}

// To the present version of the API and back.
func TestConvert(t *testing.T) {
	old := kruise.RolloutV1alpha1{
		Name: "web", WorkloadRef: deployment, Paused: true,
		Annotations:              map[string]string{workload.AnnotationRollingStyle: "partition", workload.AnnotationTrafficRouting: "tr"},
		Steps:                    []kruise.StepV1alpha1{{Weight: ptr.To(int32(20))}, {Weight: ptr.To(int32(50)), Replicas: rollout.Int(3)}, {Replicas: rollout.Percent(100)}},
		PatchPodTemplateMetadata: &workload.TemplateMetadata{Labels: map[string]string{"a": "b"}},
	}
	r := old.Convert()
	require.Equal(t, workload.Partition, r.Style())
	require.Equal(t, []kruise.Step{
		{Traffic: rollout.Percent(20), Replicas: rollout.Percent(20)}, {Traffic: rollout.Percent(50), Replicas: rollout.Int(3)}, {Replicas: rollout.Percent(100)},
	}, r.Canary.Steps)
	require.Equal(t, "tr", r.Canary.TrafficRoutingRef)
	back := kruise.ConvertBack(r)
	back.Steps[0].Replicas = rollout.IntOrPercent{} // written out now
	require.Equal(t, old, back)
	for style, want := range map[string]workload.Style{"": workload.Canary, "canary": workload.Canary, "PARTITION": workload.Partition, "odd": workload.Canary} {
		old.Annotations[workload.AnnotationRollingStyle] = style
		require.Equal(t, want, old.Convert().Style(), style)
	}
	blueGreen := kruise.ConvertBack(kruise.Rollout{Name: "web", BlueGreen: &kruise.Strategy{Steps: []kruise.Step{{}}}})
	require.Equal(t, kruise.RolloutV1alpha1{Name: "web"}, blueGreen)
	canary := kruise.ConvertBack(kruise.Rollout{Name: "web", Canary: &kruise.Strategy{EnableExtraWorkloadForCanary: true}})
	require.Equal(t, map[string]string{workload.AnnotationRollingStyle: "canary"}, canary.Annotations, "no TrafficRouting is named")
	canary = kruise.ConvertBack(kruise.Rollout{Name: "web", Canary: &kruise.Strategy{TrafficRoutingRef: "tr"}})
	require.Equal(t, map[string]string{workload.AnnotationRollingStyle: "partition", workload.AnnotationTrafficRouting: "tr"}, canary.Annotations)
}

// What the recordings do not hold.
func TestValidateRest(t *testing.T) {
	paths := func(es []*kplan.FieldError) (list []string) {
		for _, e := range es {
			require.ErrorIs(t, e, kplan.ErrInvalid)
			list = append(list, e.Path)
		}
		return list
	}
	good := partitioned(deployment, step(rollout.Percent(20), 0), step(rollout.Int(3), 0))
	require.Empty(t, kruise.Validate(good, nil, kruise.Options{}))
	both := good
	both.BlueGreen = good.Canary
	require.Equal(t, []string{"Rollout.Canary"}, paths(kruise.Validate(both, nil, kruise.Options{})))
	require.Equal(t, []string{"Rollout.Canary"}, paths(kruise.Validate(kruise.Rollout{WorkloadRef: deployment}, nil, kruise.Options{})))
	other := good
	other.Name = "other"
	require.Equal(t, []string{"Rollout.WorkloadRef"}, paths(kruise.Validate(good, []kruise.Rollout{other}, kruise.Options{})))
	empty := good
	empty.Canary = &kruise.Strategy{Steps: []kruise.Step{{}}, TrafficRoutings: []traffic.Routing{{
		GracePeriodSeconds: -1, Ingress: &traffic.IngressRef{}, Gateway: &traffic.GatewayRef{},
	}}}
	require.Equal(t, []string{
		"Rollout.Canary.Steps[0].Replicas", "Rollout.Canary.TrafficRoutings[0].Service", "Rollout.Canary.TrafficRoutings[0].Ingress.Name",
		"Rollout.Canary.TrafficRoutings[0].Gateway.HTTPRouteName", "Rollout.Canary.TrafficRoutings[0].GracePeriodSeconds",
	}, paths(kruise.Validate(empty, nil, kruise.Options{})))
	empty.Canary.TrafficRoutings = []traffic.Routing{{Service: "a"}}
	require.Contains(t, paths(kruise.Validate(empty, nil, kruise.Options{})), "Rollout.Canary.TrafficRoutings[0]")

	require.Empty(t, kruise.ValidateUpdate(good, both, nil, kruise.Options{})[1:], "while nothing progresses only the object itself counts")
	running := good
	running.Status.Phase = kruise.PhaseProgressing
	changed := partitioned(cloneSet, step(rollout.Percent(20), 0))
	changed.Canary.TrafficRoutings, changed.Canary.EnableExtraWorkloadForCanary = routings(1), true
	require.Equal(t, []string{"Rollout.WorkloadRef", "Rollout.TrafficRoutings", "Rollout.Style", "Rollout.Steps"}, paths(kruise.ValidateUpdate(running, changed, nil, kruise.Options{})))
	require.Len(t, kruise.ValidateUpdate(running, kruise.Rollout{WorkloadRef: deployment}, nil, kruise.Options{}), 1)
	require.Equal(t, []string{"Rollout.WorkloadRef", "Rollout.Steps"}, paths(kruise.ValidateV1alpha1(kruise.RolloutV1alpha1{}, kruise.Options{})))
}

// The worked hashes.
func TestHashes(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(100), 60))
	r.Canary.FailureThreshold = rollout.Int(1)
	require.Equal(t, "bdwfwb27z9v562474w5459925c7bf2v2994bx79zd2bv6bz8b4ff78vv2fw4w45b", kruise.StrategyHash(r), `of {"steps":[{"replicas":"100%","pause":{}}]}`)
	require.Equal(t, "c86782fdv42c8fd4w9zv4547bvx6zcdvxx77f8b84f94c47wdx45fdf64fd6wf4w", kruise.StrategyHash(kruise.Rollout{}), "of null")
	plan := release(workload.Partition, rollout.Percent(25)).ReleasePlan
	require.Equal(t, `{"batches":[{"canaryReplicas":"25%"}],"batchPartition":0,"rollingStyle":"Partition","enableExtraWorkloadForCanary":false}`, plan.Text())
}

// Bad input is an error with a path, or has a defined result.
func TestBadInput(t *testing.T) {
	_, err := planRollout(kruise.Snapshot{Workload: &workload.State{Replicas: -1}}, time.Time{}, kruise.Options{})
	for _, path := range []string{"now", "Rollout.Name", "Rollout.Canary", "Workload.Replicas"} {
		require.ErrorContains(t, err, path)
	}
	require.ErrorIs(t, err, kplan.ErrInvalid)
	_, err = planRollout(kruise.Snapshot{Rollout: partitioned(deployment)}, now, kruise.Options{})
	require.ErrorContains(t, err, "Rollout.Steps")
	negative := &workload.Workload{Replicas: ptr.To(int32(-1))}
	_, err = planBatch(batchrelease.Snapshot{Workload: negative, Canary: negative}, time.Time{}, batchrelease.Options{})
	for _, path := range []string{"now", "Release.Name", "Workload.Replicas", "Canary.Replicas"} {
		require.ErrorContains(t, err, path)
	}
	_, err = planAdmission(kruise.AdmitSnapshot{New: *negative}, kruise.Options{})
	require.ErrorContains(t, err, "New.Replicas")
	_, err = partition.ParseStrategy("{")
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.Equal(t, partition.ExtraStatus{}, partition.ParseExtraStatus("{"))
	require.Equal(t, `{"expectedUpdatedReplicas":3}`, partition.ExtraStatus{ExpectedUpdatedReplicas: 3}.Text())
	require.Equal(t, workload.State{}, workload.Inspect(workload.InspectSnapshot{Workload: workload.Workload{Generation: 1}}))
	require.Equal(t, "", workload.Ref{APIVersion: "v1"}.Group())
	require.Equal(t, int32(1), kruise.RecalculateStep(nil, nil, 0, 0))
	kind, _ := kruise.PauseOf(kruise.Rollout{}, 1, now, 0)
	require.Equal(t, kruise.PauseNone, kind)
	require.Empty(t, kruise.ReleaseOf(kruise.Rollout{}, workload.State{}, 1, 0).ReleasePlan.Batches)
}

// Traffic through an Ingress, from the first step to the end.
func TestIngress(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	r.Canary.Steps[0].Traffic = rollout.Percent(20)
	r.Canary.TrafficRoutings = []traffic.Routing{{Service: "svc", Ingress: &traffic.IngressRef{Name: "in"}}}
	r.Canary.PatchPodTemplateMetadata = &workload.TemplateMetadata{Labels: map[string]string{"app": "new", "tier": "x"}}
	s := begun(kruise.StateTrafficRouting, r)
	s.Traffic = traffic.Objects{Stable: &traffic.Service{Name: "svc", Selector: map[string]string{"app": "old"}}, Ingress: &traffic.Ingress{Name: "in"}}
	p := reconcile(t, s, kruise.Options{AppendPodSelector: true})
	require.Equal(t, map[string]string{"app": "new", "tier": "x", workload.LabelPodTemplateHash: "v2"}, p.Actions[0].(kruise.CreateService).Selector)
	s.Traffic.Stable.Selector = map[string]string{workload.LabelPodTemplateHash: "v1"}
	s.Traffic.Canary = &traffic.Service{Name: "svc-canary", Selector: map[string]string{workload.LabelPodTemplateHash: "v0"}}
	p = reconcile(t, s, kruise.Options{})
	require.Equal(t, "Set pod-template-hash to v2 in the selector of service svc-canary (RouteTraffic)\nheld back: TrafficChanged", p.String())
	s.Traffic.Canary.Selector[workload.LabelPodTemplateHash] = "v2"
	p = reconcile(t, s, kruise.Options{})
	create, ok := p.Actions[0].(kruise.SetIngress)
	require.True(t, ok)
	require.True(t, create.Create)
	require.Equal(t, "0", create.Annotations["nginx.ingress.kubernetes.io/canary-weight"])
	none := s
	none.Rollout.Canary = &kruise.Strategy{TrafficRoutings: r.Canary.TrafficRoutings, Steps: []kruise.Step{{Replicas: rollout.Percent(50), Traffic: rollout.Percent(0)}}}
	none.Rollout.Status.Sub.RolloutHash = "" // it is no change of the plan
	require.NotContains(t, reconcile(t, none, kruise.Options{}).String(), "ingress", "none is made for no traffic")
	none.Rollout.Canary.Steps[0].Matches = []traffic.Match{{Headers: []traffic.ValueMatch{{Name: "a", Value: "b"}}}}
	require.Contains(t, reconcile(t, none, kruise.Options{}).String(), "Set ingress in-canary", "but for matches")
	s.Rollout.Status.Sub.RolloutHash = kruise.StrategyHash(r)
	s.Traffic.CanaryIngress = &traffic.Ingress{Name: "in-canary", Annotations: create.Annotations}
	p = reconcile(t, s, kruise.Options{})
	changed, ok := p.Actions[0].(kruise.SetIngress)
	require.True(t, ok)
	require.Equal(t, "20", changed.Annotations["nginx.ingress.kubernetes.io/canary-weight"])
	s.Traffic.CanaryIngress.Annotations = changed.Annotations
	require.Equal(t, kruise.StateMetricsAnalysis, reconcile(t, s, kruise.Options{}).Status.CurrentStepState)
	s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = kruise.ProgressFinalising, kruise.FinalRouteToStable
	require.Contains(t, reconcile(t, s, kruise.Options{}).String(), "Deleted ingress in-canary (RestoreTraffic)")
	s.Rollout.Status.Conditions[0].Reason = kruise.ProgressInitializing
	s.Traffic.Ingress = nil
	p = reconcile(t, s, kruise.Options{})
	require.Equal(t, "ingress in not found", p.Failure)
	require.Equal(t, s.Rollout.Status, p.Status, "nothing is written behind a failure")
	s.Traffic.Stable = nil
	require.Equal(t, "service svc not found", reconcile(t, s, kruise.Options{}).Failure)
}

// A TrafficRouting that several Rollouts share.
func TestSharedRouting(t *testing.T) {
	s := begun(kruise.StateBeforeUpgrade, twoSteps())
	s.Rollout.Status.Conditions[0].Reason = kruise.ProgressInitializing
	s.Rollout.Annotations[workload.AnnotationTrafficRouting] = "tr"
	require.Contains(t, reconcile(t, s, kruise.Options{}).Failure, "tr not found")
	s.Shared = &kruise.SharedRouting{Name: "tr", Phase: "Finalizing"}
	require.Equal(t, reason.SharedRouting, reconcile(t, s, kruise.Options{}).Holds[0].Reason)
	s.Shared.Phase = ""
	p := reconcile(t, s, kruise.Options{})
	require.Equal(t, "Added finalizer progressing.rollouts.kruise.io/web of TrafficRouting tr (SharedRouting)", p.String())
	s.Shared.Finalizers = []string{"progressing.rollouts.kruise.io/web"}
	require.Equal(t, kruise.ProgressInRolling, conditionOf(reconcile(t, s, kruise.Options{}).Status, workload.ConditionProgressing).Reason)
	s.Rollout.Status.Conditions[0].Reason = kruise.ProgressCancelling
	require.Contains(t, reconcile(t, s, kruise.Options{}).String(), "Removed finalizer progressing.rollouts.kruise.io/web of TrafficRouting tr (Closing)")
}

// A rollback of a StatefulSet goes through the steps as well.
func TestRollbackThroughSteps(t *testing.T) {
	r := partitioned(statefulSet, step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	s := begun(kruise.StatePaused, r)
	s.Rollout.Annotations[workload.AnnotationRollbackInBatch] = "true"
	s.Rollout.Status.Sub.CurrentStepIndex = 2
	s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1"
	p := reconcile(t, s, kruise.Options{})
	require.Equal(t, int32(1), p.Status.CurrentStepIndex)
	require.Equal(t, "v1", p.Status.Sub.Revision)
	s.Rollout.Status.Sub = p.Status.Sub
	s.Rollout.Status.Sub.CurrentStepState = kruise.StateUpgrade
	create, ok := reconcile(t, s, kruise.Options{}).Actions[0].(kruise.CreateBatchRelease)
	require.True(t, ok)
	require.Equal(t, map[string]string{workload.AnnotationRollbackInBatch: "true"}, create.Annotations)
}

// What a new object gets first.
func TestFirstPass(t *testing.T) {
	for ref, kind := range map[workload.Ref]string{deployment: "deployment", cloneSet: "cloneset", daemonSet: "daemonset", statefulSet: "statefulset"} {
		r := partitioned(ref, step(rollout.Percent(100), 0))
		p := reconcile(t, kruise.Snapshot{Rollout: r, Workload: &workload.State{Consistent: true}}, kruise.Options{})
		require.Len(t, p.Actions, 3)
		require.Equal(t, kind, *p.Actions[1].(kruise.PatchWorkload).Patch.Labels[workload.LabelWorkloadType])
		require.Equal(t, kruise.PhaseHealthy, p.Status.Phase)
	}
	p := reconcile(t, kruise.Snapshot{Rollout: twoSteps(), Workload: &workload.State{}}, kruise.Options{})
	require.Equal(t, now.Add(3*time.Second), p.RecheckAt)
	require.Equal(t, reason.WorkloadInconsistent, p.Holds[0].Reason)
}
