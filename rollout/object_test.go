package rollout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

// Each action has one line, and comes through JSON.
func TestActions(t *testing.T) {
	plan := rollout.ReleasePlan{BatchPartition: new(int32(1))}
	all := rollout.Actions{
		rollout.SetFinalizer{Kind: "Rollout", Name: "web", Finalizer: "f", Reason: rollout.ReasonFinalizer},
		rollout.PatchRollout{Name: "web", Annotations: map[string]string{"b": "1", "a": "2"}, Reason: rollout.ReasonHash},
		rollout.PatchWorkload{Workload: deployment, Patch: rollout.WorkloadPatch{Replicas: new(int32(3))}, Reason: rollout.ReasonGiveBack},
		rollout.CreateBatchRelease{Name: "web", WorkloadRef: deployment, ReleasePlan: plan, Reason: rollout.ReasonStep},
		rollout.UpdateBatchRelease{Name: "web", WorkloadRef: deployment, Reason: rollout.ReasonStep},
		rollout.PatchBatchRelease{Name: "web", Finalize: rollout.Immediate, Reason: rollout.ReasonClosing},
		rollout.DeleteBatchRelease{Name: "web", Reason: rollout.ReasonClosing},
		rollout.SelectPods{Service: "web", Key: "k", Value: "v", Reason: rollout.ReasonPinTraffic},
		rollout.SelectPods{Service: "web", Key: "k", Reason: rollout.ReasonRestoreTraffic},
		rollout.CreateService{Name: "web-canary", Stable: "web", Reason: rollout.ReasonRouteTraffic},
		rollout.DeleteService{Name: "web-canary", Reason: rollout.ReasonRestoreTraffic},
		rollout.SetRoute{Name: "route", Rules: []rollout.RouteRule{{}}, Reason: rollout.ReasonRouteTraffic},
		rollout.SetIngress{Name: "in-canary", Annotations: map[string]string{"a": "b"}, Reason: rollout.ReasonRouteTraffic},
		rollout.DeleteIngress{Name: "in-canary", Reason: rollout.ReasonRestoreTraffic},
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
held back: Paused`), rollout.Plan{Actions: all, Holds: []rollout.Hold{{Reason: rollout.ReasonPaused}}}.String())
	data, err := json.Marshal(all)
	require.NoError(t, err)
	var back rollout.Actions
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, all, back)
	for _, text := range []string{`[{}]`, `[{"unknown":{}}]`, `{}`} {
		require.Error(t, json.Unmarshal([]byte(text), &back), text)
	}
	_, err = json.Marshal(rollout.Actions{nil})
	require.Error(t, err)
	require.Equal(t, "nothing to do", rollout.Plan{}.String())
}

// A converted Rollout shares nothing with the one it was made of.
func TestConvertKeepsNothing(t *testing.T) {
	route := "r"
	old := rollout.RolloutV1alpha1{
		Name: "web", WorkloadRef: deployment, Status: rollout.RolloutStatus{Conditions: []rollout.Condition{{Type: "a"}}, Sub: &rollout.StepStatus{CurrentStepIndex: 1}},
		Steps: []rollout.StepV1alpha1{{
			Weight: new(int32(20)), Pause: rollout.Pause{Duration: new(int32(60))},
			Matches: []rollout.Match{{Path: &rollout.PathMatch{Value: "/"}, Headers: []rollout.ValueMatch{{Name: "a"}}, QueryParams: []rollout.ValueMatch{{Name: "a"}}}},
		}},
		TrafficRoutings: []rollout.TrafficRouting{{Ingress: &rollout.IngressRef{Name: "i"}, Gateway: &rollout.GatewayRef{HTTPRouteName: &route}, CustomNetworkRefs: []rollout.NetworkRef{{Kind: "K"}}}},
	}
	r := purity.Check(t, old, func(o rollout.RolloutV1alpha1) (rollout.Rollout, error) { return o.Convert(), nil })
	purity.Check(t, r, func(r rollout.Rollout) (rollout.RolloutV1alpha1, error) { return rollout.ConvertBack(r), nil })
}

// To the present version of the API and back.
func TestConvert(t *testing.T) {
	old := rollout.RolloutV1alpha1{
		Name: "web", WorkloadRef: deployment, Paused: true,
		Annotations:              map[string]string{rollout.AnnotationRollingStyle: "partition", rollout.AnnotationTrafficRouting: "tr"},
		Steps:                    []rollout.StepV1alpha1{{Weight: new(int32(20))}, {Weight: new(int32(50)), Replicas: rollout.Int(3)}, {Replicas: rollout.Percent(100)}},
		PatchPodTemplateMetadata: &rollout.TemplateMetadata{Labels: map[string]string{"a": "b"}},
	}
	r := old.Convert()
	require.Equal(t, rollout.Partition, r.Style())
	require.Equal(t, []rollout.Step{
		{Traffic: rollout.Percent(20), Replicas: rollout.Percent(20)}, {Traffic: rollout.Percent(50), Replicas: rollout.Int(3)}, {Replicas: rollout.Percent(100)},
	}, r.Canary.Steps)
	require.Equal(t, "tr", r.Canary.TrafficRoutingRef)
	back := rollout.ConvertBack(r)
	back.Steps[0].Replicas = rollout.IntOrPercent{} // written out now
	require.Equal(t, old, back)
	for style, want := range map[string]rollout.Style{"": rollout.Canary, "canary": rollout.Canary, "PARTITION": rollout.Partition, "odd": rollout.Canary} {
		old.Annotations[rollout.AnnotationRollingStyle] = style
		require.Equal(t, want, old.Convert().Style(), style)
	}
	blueGreen := rollout.ConvertBack(rollout.Rollout{Name: "web", BlueGreen: &rollout.Strategy{Steps: []rollout.Step{{}}}})
	require.Equal(t, rollout.RolloutV1alpha1{Name: "web"}, blueGreen)
	canary := rollout.ConvertBack(rollout.Rollout{Name: "web", Canary: &rollout.Strategy{EnableExtraWorkloadForCanary: true}})
	require.Equal(t, map[string]string{rollout.AnnotationRollingStyle: "canary"}, canary.Annotations, "no TrafficRouting is named")
	canary = rollout.ConvertBack(rollout.Rollout{Name: "web", Canary: &rollout.Strategy{TrafficRoutingRef: "tr"}})
	require.Equal(t, map[string]string{rollout.AnnotationRollingStyle: "partition", rollout.AnnotationTrafficRouting: "tr"}, canary.Annotations)
}

// What the recordings do not hold.
func TestValidateRest(t *testing.T) {
	paths := func(es []*rollout.FieldError) (list []string) {
		for _, e := range es {
			require.ErrorIs(t, e, rollout.ErrInvalid)
			list = append(list, e.Path)
		}
		return list
	}
	good := partitioned(deployment, step(rollout.Percent(20), 0), step(rollout.Int(3), 0))
	require.Empty(t, rollout.Validate(good, nil))
	both := good
	both.BlueGreen = good.Canary
	require.Equal(t, []string{"Rollout.Canary"}, paths(rollout.Validate(both, nil)))
	require.Equal(t, []string{"Rollout.Canary"}, paths(rollout.Validate(rollout.Rollout{WorkloadRef: deployment}, nil)))
	other := good
	other.Name = "other"
	require.Equal(t, []string{"Rollout.WorkloadRef"}, paths(rollout.Validate(good, []rollout.Rollout{other})))
	empty := good
	empty.Canary = &rollout.Strategy{Steps: []rollout.Step{{}}, TrafficRoutings: []rollout.TrafficRouting{{
		GracePeriodSeconds: -1, Ingress: &rollout.IngressRef{}, Gateway: &rollout.GatewayRef{},
	}}}
	require.Equal(t, []string{
		"Rollout.Canary.Steps[0].Replicas", "Rollout.Canary.TrafficRoutings[0].Service", "Rollout.Canary.TrafficRoutings[0].Ingress.Name",
		"Rollout.Canary.TrafficRoutings[0].Gateway.HTTPRouteName", "Rollout.Canary.TrafficRoutings[0].GracePeriodSeconds",
	}, paths(rollout.Validate(empty, nil)))
	empty.Canary.TrafficRoutings = []rollout.TrafficRouting{{Service: "a"}}
	require.Contains(t, paths(rollout.Validate(empty, nil)), "Rollout.Canary.TrafficRoutings[0]")

	require.Empty(t, rollout.ValidateUpdate(good, both, nil)[1:], "while nothing progresses only the object itself counts")
	running := good
	running.Status.Phase = rollout.PhaseProgressing
	changed := partitioned(cloneSet, step(rollout.Percent(20), 0))
	changed.Canary.TrafficRoutings, changed.Canary.EnableExtraWorkloadForCanary = routings(1), true
	require.Equal(t, []string{"Rollout.WorkloadRef", "Rollout.TrafficRoutings", "Rollout.Style", "Rollout.Steps"}, paths(rollout.ValidateUpdate(running, changed, nil)))
	require.Len(t, rollout.ValidateUpdate(running, rollout.Rollout{WorkloadRef: deployment}, nil), 1)
	require.Equal(t, []string{"Rollout.WorkloadRef", "Rollout.Steps"}, paths(rollout.ValidateV1alpha1(rollout.RolloutV1alpha1{})))
}

// The worked hashes.
func TestHashes(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(100), 60))
	r.Canary.FailureThreshold = rollout.Int(1)
	require.Equal(t, `{"steps":[{"replicas":"100%","pause":{}}]}`, rollout.StrategyText(r))
	require.Equal(t, "bdwfwb27z9v562474w5459925c7bf2v2994bx79zd2bv6bz8b4ff78vv2fw4w45b", rollout.StrategyHash(r))
	require.Equal(t, "null", rollout.StrategyText(rollout.Rollout{}))
	plan := release(rollout.Partition, rollout.Percent(25)).ReleasePlan
	require.Equal(t, `{"batches":[{"canaryReplicas":"25%"}],"batchPartition":0,"rollingStyle":"Partition","enableExtraWorkloadForCanary":false}`, plan.Text())
}

// Bad input is an error with a path, or has a defined result.
func TestBadInput(t *testing.T) {
	_, err := planRollout(rollout.Snapshot{Workload: &rollout.WorkloadState{Replicas: -1}}, time.Time{}, rollout.Options{})
	for _, path := range []string{"now", "Rollout.Name", "Rollout.Canary", "Workload.Replicas"} {
		require.ErrorContains(t, err, path)
	}
	require.ErrorIs(t, err, rollout.ErrInvalid)
	_, err = planRollout(rollout.Snapshot{Rollout: partitioned(deployment)}, now, rollout.Options{})
	require.ErrorContains(t, err, "Rollout.Steps")
	negative := &rollout.Workload{Replicas: new(int32(-1))}
	_, err = planBatch(rollout.BatchSnapshot{Workload: negative, Canary: negative}, time.Time{}, rollout.BatchOptions{})
	for _, path := range []string{"now", "Release.Name", "Workload.Replicas", "Canary.Replicas"} {
		require.ErrorContains(t, err, path)
	}
	_, err = planAdmission(rollout.AdmitSnapshot{New: *negative}, rollout.Options{})
	require.ErrorContains(t, err, "New.Replicas")
	_, err = rollout.ParseStrategy("{")
	require.ErrorIs(t, err, rollout.ErrInvalid)
	require.Equal(t, rollout.ExtraStatus{}, rollout.ParseExtraStatus("{"))
	require.Equal(t, `{"expectedUpdatedReplicas":3}`, rollout.ExtraStatus{ExpectedUpdatedReplicas: 3}.Text())
	require.Equal(t, rollout.WorkloadState{}, rollout.Inspect(rollout.InspectSnapshot{Workload: rollout.Workload{Generation: 1}}))
	require.Equal(t, "", rollout.WorkloadRef{APIVersion: "v1"}.Group())
	require.Equal(t, int32(1), rollout.RecalculateStep(nil, nil, 0, 0))
	kind, _ := rollout.PauseOf(rollout.Rollout{}, 1, now, 0)
	require.Equal(t, rollout.PauseNone, kind)
	require.Empty(t, rollout.ReleaseOf(rollout.Rollout{}, rollout.WorkloadState{}, 1, 0).ReleasePlan.Batches)
}

// Traffic through an Ingress, from the first step to the end.
func TestIngress(t *testing.T) {
	r := partitioned(deployment, step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	r.Canary.Steps[0].Traffic = rollout.Percent(20)
	r.Canary.TrafficRoutings = []rollout.TrafficRouting{{Service: "svc", Ingress: &rollout.IngressRef{Name: "in"}}}
	r.Canary.PatchPodTemplateMetadata = &rollout.TemplateMetadata{Labels: map[string]string{"app": "new", "tier": "x"}}
	s := begun(rollout.StateTrafficRouting, r)
	s.Traffic = rollout.Traffic{Stable: &rollout.Service{Name: "svc", Selector: map[string]string{"app": "old"}}, Ingress: &rollout.Ingress{Name: "in"}}
	p := reconcile(t, s, rollout.Options{AppendPodSelector: true})
	require.Equal(t, map[string]string{"app": "new", "tier": "x", rollout.LabelPodTemplateHash: "v2"}, p.Actions[0].(rollout.CreateService).Selector)
	s.Traffic.Stable.Selector = map[string]string{rollout.LabelPodTemplateHash: "v1"}
	s.Traffic.Canary = &rollout.Service{Name: "svc-canary", Selector: map[string]string{rollout.LabelPodTemplateHash: "v0"}}
	p = reconcile(t, s, rollout.Options{})
	require.Equal(t, "Set pod-template-hash to v2 in the selector of service svc-canary (RouteTraffic)\nheld back: TrafficChanged", p.String())
	s.Traffic.Canary.Selector[rollout.LabelPodTemplateHash] = "v2"
	p = reconcile(t, s, rollout.Options{})
	create, ok := p.Actions[0].(rollout.SetIngress)
	require.True(t, ok)
	require.True(t, create.Create)
	require.Equal(t, "0", create.Annotations["nginx.ingress.kubernetes.io/canary-weight"])
	none := s
	none.Rollout.Canary = &rollout.Strategy{TrafficRoutings: r.Canary.TrafficRoutings, Steps: []rollout.Step{{Replicas: rollout.Percent(50), Traffic: rollout.Percent(0)}}}
	none.Rollout.Status.Sub.RolloutHash = "" // it is no change of the plan
	require.NotContains(t, reconcile(t, none, rollout.Options{}).String(), "ingress", "none is made for no traffic")
	none.Rollout.Canary.Steps[0].Matches = []rollout.Match{{Headers: []rollout.ValueMatch{{Name: "a", Value: "b"}}}}
	require.Contains(t, reconcile(t, none, rollout.Options{}).String(), "Set ingress in-canary", "but for matches")
	s.Rollout.Status.Sub.RolloutHash = rollout.StrategyHash(r)
	s.Traffic.CanaryIngress = &rollout.Ingress{Name: "in-canary", Annotations: create.Annotations}
	p = reconcile(t, s, rollout.Options{})
	changed, ok := p.Actions[0].(rollout.SetIngress)
	require.True(t, ok)
	require.Equal(t, "20", changed.Annotations["nginx.ingress.kubernetes.io/canary-weight"])
	s.Traffic.CanaryIngress.Annotations = changed.Annotations
	require.Equal(t, rollout.StateMetricsAnalysis, reconcile(t, s, rollout.Options{}).Status.CurrentStepState)
	s.Rollout.Status.Conditions[0].Reason, s.Rollout.Status.Sub.FinalisingStep = rollout.ProgressFinalising, rollout.FinalRouteToStable
	require.Contains(t, reconcile(t, s, rollout.Options{}).String(), "Deleted ingress in-canary (RestoreTraffic)")
	s.Rollout.Status.Conditions[0].Reason = rollout.ProgressInitializing
	s.Traffic.Ingress = nil
	p = reconcile(t, s, rollout.Options{})
	require.Equal(t, "ingress in not found", p.Failure)
	require.Equal(t, s.Rollout.Status, p.Status, "nothing is written behind a failure")
	s.Traffic.Stable = nil
	require.Equal(t, "service svc not found", reconcile(t, s, rollout.Options{}).Failure)
}

// A TrafficRouting that several Rollouts share.
func TestSharedRouting(t *testing.T) {
	s := begun(rollout.StateBeforeUpgrade, twoSteps())
	s.Rollout.Status.Conditions[0].Reason = rollout.ProgressInitializing
	s.Rollout.Annotations[rollout.AnnotationTrafficRouting] = "tr"
	require.Contains(t, reconcile(t, s, rollout.Options{}).Failure, "tr not found")
	s.Shared = &rollout.SharedRouting{Name: "tr", Phase: "Finalizing"}
	require.Equal(t, rollout.ReasonSharedRouting, reconcile(t, s, rollout.Options{}).Holds[0].Reason)
	s.Shared.Phase = ""
	p := reconcile(t, s, rollout.Options{})
	require.Equal(t, "Added finalizer progressing.rollouts.kruise.io/web of TrafficRouting tr (SharedRouting)", p.String())
	s.Shared.Finalizers = []string{"progressing.rollouts.kruise.io/web"}
	require.Equal(t, rollout.ProgressInRolling, conditionOf(reconcile(t, s, rollout.Options{}).Status, rollout.ConditionProgressing).Reason)
	s.Rollout.Status.Conditions[0].Reason = rollout.ProgressCancelling
	require.Contains(t, reconcile(t, s, rollout.Options{}).String(), "Removed finalizer progressing.rollouts.kruise.io/web of TrafficRouting tr (Closing)")
}

// A rollback of a StatefulSet goes through the steps as well.
func TestRollbackThroughSteps(t *testing.T) {
	r := partitioned(statefulSet, step(rollout.Percent(50), -1), step(rollout.Percent(100), 0))
	s := begun(rollout.StatePaused, r)
	s.Rollout.Annotations[rollout.AnnotationRollbackInBatch] = "true"
	s.Rollout.Status.Sub.CurrentStepIndex = 2
	s.Workload.InRollback, s.Workload.CanaryRevision = true, "v1"
	p := reconcile(t, s, rollout.Options{})
	require.Equal(t, int32(1), p.Status.CurrentStepIndex)
	require.Equal(t, "v1", p.Status.Sub.Revision)
	s.Rollout.Status.Sub = p.Status.Sub
	s.Rollout.Status.Sub.CurrentStepState = rollout.StateUpgrade
	create, ok := reconcile(t, s, rollout.Options{}).Actions[0].(rollout.CreateBatchRelease)
	require.True(t, ok)
	require.Equal(t, map[string]string{rollout.AnnotationRollbackInBatch: "true"}, create.Annotations)
}

// What a new object gets first.
func TestFirstPass(t *testing.T) {
	for ref, kind := range map[rollout.WorkloadRef]string{deployment: "deployment", cloneSet: "cloneset", daemonSet: "daemonset", statefulSet: "statefulset"} {
		r := partitioned(ref, step(rollout.Percent(100), 0))
		p := reconcile(t, rollout.Snapshot{Rollout: r, Workload: &rollout.WorkloadState{Consistent: true}}, rollout.Options{})
		require.Len(t, p.Actions, 3)
		require.Equal(t, kind, *p.Actions[1].(rollout.PatchWorkload).Patch.Labels[rollout.LabelWorkloadType])
		require.Equal(t, rollout.PhaseHealthy, p.Status.Phase)
	}
	p := reconcile(t, rollout.Snapshot{Rollout: twoSteps(), Workload: &rollout.WorkloadState{}}, rollout.Options{})
	require.Equal(t, now.Add(3*time.Second), p.RecheckAt)
	require.Equal(t, rollout.ReasonWorkloadInconsistent, p.Holds[0].Reason)
}
