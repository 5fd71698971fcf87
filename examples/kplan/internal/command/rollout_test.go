// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

const progressive = data + "rollout/"

// A rolloutCase is a Rollout of six pods of 20%, 50% and 100% with its Deployment, as
// kubectl prints them, and what follows.
type rolloutCase struct {
	file string
	rule string // why the expectations are so

	old        bool // of rollouts.kruise.io/v1alpha1
	traffic    bool // steps lead traffic, by an HTTPRoute
	noServices bool
	progress   string // the reason of the condition, "" for Healthy
	step       int32
	state      kruise.StepState
	since      time.Duration // since the last update
	batch      batchrelease.State
	partition  string
	sets       []liveSet
	labelled   int // new pods that carry the label of the batch

	stands  string
	actions string
	holds   string
}

var rolloutCases = []rolloutCase{
	{
		file: "healthy", rule: "nothing is released", stands: "complete", holds: "NoUpdate",
		sets: []liveSet{{version: 1, revision: "1", size: 6, desired: 6, max: 8, age: 48 * hour, available: 6}},
	},
	{
		file: "batch", rule: "two pods are updated and one is ready, the batch asks for two",
		progress: "InRolling", step: 1, state: kruise.StateUpgrade, since: half, batch: batchrelease.StateVerifying, partition: "20%",
		sets: []liveSet{
			{version: 1, revision: "1", size: 4, desired: 6, max: 8, age: 48 * hour, available: 4},
			{version: 2, revision: "2", size: 2, desired: 6, max: 8, age: half, available: 1, failing: 1},
		},
		labelled: 2, stands: "waiting", holds: "BatchNotReady 1 2, TooFewReady 1 2",
	},
	{
		file: "pause", rule: "20 of the 60 seconds have passed",
		progress: "InRolling", step: 1, state: kruise.StatePaused, since: 20 * time.Second, batch: batchrelease.StateReady, partition: "20%",
		sets: []liveSet{
			{version: 1, revision: "1", size: 4, desired: 6, max: 8, age: 48 * hour, available: 4},
			{version: 2, revision: "2", size: 2, desired: 6, max: 8, age: half, available: 2},
		},
		labelled: 2, stands: "waiting", holds: "Pause 20 60",
	},
	{
		file: "approval", rule: "the second step has no duration", old: true,
		progress: "InRolling", step: 2, state: kruise.StatePaused, since: hour, batch: batchrelease.StateReady, partition: "50%",
		sets: []liveSet{
			{version: 1, revision: "1", size: 3, desired: 6, max: 8, age: 48 * hour, available: 3},
			{version: 2, revision: "2", size: 3, desired: 6, max: 8, age: hour, available: 3},
		},
		labelled: 3, stands: "waiting", holds: "Approval 2 3",
	},
	{
		file: "traffic", rule: "the canary Service first, and the stable one is pinned", traffic: true,
		progress: "InRolling", step: 1, state: kruise.StateTrafficRouting, since: half, batch: batchrelease.StateReady, partition: "20%",
		sets: []liveSet{
			{version: 1, revision: "1", size: 4, desired: 6, max: 8, age: 48 * hour, available: 4},
			{version: 2, revision: "2", size: 2, desired: 6, max: 8, age: half, available: 2},
		},
		labelled: 2, stands: "progressing", actions: "CreateService RouteTraffic, SelectPods PinTraffic", holds: "TrafficChanged",
	},
	{
		file: "no-service", rule: "without the stable Service the step waits", traffic: true, noServices: true,
		progress: "InRolling", step: 1, state: kruise.StateTrafficRouting, since: half, batch: batchrelease.StateReady, partition: "20%",
		sets: []liveSet{
			{version: 1, revision: "1", size: 4, desired: 6, max: 8, age: 48 * hour, available: 4},
			{version: 2, revision: "2", size: 2, desired: 6, max: 8, age: half, available: 2},
		},
		labelled: 2, stands: "stuck", holds: "NoStableService",
	},
}

// rollout returns the Rollout as its planner reads it.
func (c *rolloutCase) rollout() kruise.Rollout {
	r := kruise.Rollout{
		Name: "web", UID: string(uid("rollout")), Generation: 1, Finalizers: []string{workload.FinalizerRollout},
		WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		Canary: &kruise.Strategy{Steps: []kruise.Step{
			{Replicas: rollout.Percent(20), Pause: kruise.Pause{Duration: new(int32(60))}},
			{Replicas: rollout.Percent(50)},
			{Replicas: rollout.Percent(100)},
		}},
	}
	if c.traffic {
		r.Canary.Steps[0].Traffic, r.Canary.Steps[1].Traffic = rollout.Percent(20), rollout.Percent(50)
		r.Canary.TrafficRoutings = []traffic.Routing{{Service: "web", GracePeriodSeconds: 3, Gateway: &traffic.GatewayRef{HTTPRouteName: new("web")}}}
	}
	r.Annotations = map[string]string{workload.AnnotationHash: kruise.StrategyHash(r)}
	return r
}

// status gives the Rollout the status that its controller wrote.
func (c *rolloutCase) status(r *kruise.Rollout, d *appsv1.Deployment) {
	hash := func(v int) string { return strings.TrimPrefix(setName("web", v), "web-") }
	s := &kruise.StepStatus{
		ObservedRolloutID: hash(2), ObservedWorkloadGeneration: d.Generation, RolloutHash: kruise.StrategyHash(*r), StableRevision: hash(1),
		Revision: hash(2), PodTemplateHash: hash(2), CurrentStepIndex: c.step, NextStepIndex: kruise.NextStep(3, c.step),
		CurrentStepState: c.state, LastUpdateTime: liveNow.Add(-c.since),
	}
	r.Status = kruise.Status{ObservedGeneration: 1, Phase: kruise.PhaseProgressing, Sub: s}
	if c.progress == "" {
		s.StableRevision, s.Revision, s.PodTemplateHash, s.ObservedRolloutID = "", hash(1), "", hash(1)
		s.CurrentStepIndex, s.NextStepIndex, s.CurrentStepState = 3, -1, kruise.StateCompleted
		r.Status.Phase, r.Status.Message = kruise.PhaseHealthy, "rollout is healthy"
		r.Status.CurrentStepIndex, r.Status.CurrentStepState = 3, kruise.StateCompleted
		return
	}
	for _, set := range c.sets {
		if set.version == 2 {
			s.Replicas, s.ReadyReplicas = set.pods(), int32(set.available)
		}
	}
	r.Status.Conditions = []kplan.Condition{{
		Type: workload.ConditionProgressing, Status: "True", Reason: c.progress, Message: "Rollout is in Progressing",
		LastUpdateTime: liveNow.Add(-hour), LastTransitionTime: liveNow.Add(-hour),
	}}
	r.Status.CurrentStepIndex, r.Status.CurrentStepState = c.step, c.state
	s.Message = fmt.Sprintf("BatchRelease is at state %s, rollout-id %s, step %d", c.batch, hash(2), c.step)
	switch c.state {
	case kruise.StateUpgrade:
		r.Status.Message = fmt.Sprintf("Rollout is in step(%d/3), and upgrade workload to new version", c.step)
	case kruise.StatePaused:
		kind := "and wait duration(60 seconds) to enter the next step"
		if c.step == 2 {
			kind = "and you need manually confirm to enter the next step"
		}
		r.Status.Message = fmt.Sprintf("Rollout is in step(%d/3), %s", c.step, kind)
	}
}

// release returns the BatchRelease of a Rollout that is under way.
func (c *rolloutCase) release(r kruise.Rollout) batchrelease.Release {
	s := r.Status.Sub
	facts := workload.State{StableRevision: s.StableRevision, CanaryRevision: s.Revision, PodTemplateHash: s.PodTemplateHash}
	br := kruise.ReleaseOf(r, facts, c.step, 0)
	br.UID, br.Generation, br.Finalizers = string(uid("release")), 1, []string{workload.FinalizerBatchRelease}
	br.Status = batchrelease.Status{
		StableRevision: s.StableRevision, UpdateRevision: s.Revision, ObservedGeneration: 1, ObservedRolloutID: br.ReleasePlan.RolloutID,
		ObservedWorkloadReplicas: 6, ObservedReleasePlanHash: br.ReleasePlan.Hash(), Phase: batchrelease.PhaseProgressing,
		Current: batchrelease.CurrentBatch{
			BatchState: c.batch, CurrentBatch: c.step - 1, UpdatedReplicas: s.Replicas, UpdatedReadyReplicas: s.ReadyReplicas,
		},
	}
	if c.batch == batchrelease.StateReady {
		br.Status.Current.BatchReadyTime = liveNow.Add(-c.since)
	}
	return br
}

// items returns the objects of the case.
func (c *rolloutCase) items() []any {
	r := c.rollout()
	base := liveCase{file: "rollout-" + c.file, replicas: 6, version: 1, revision: "1", progressing: "NewReplicaSetAvailable", sets: c.sets}
	if c.progress != "" {
		base.version, base.revision, base.progressing = 2, "2", "ReplicaSetUpdated"
	}
	o := base.objects()
	c.status(&r, o.deployment)
	var items []any
	if c.old {
		items = append(items, kubekruise.ToRolloutV1alpha1("default", kruise.ConvertBack(r)))
	} else {
		items = append(items, kubekruise.ToRollout("default", r))
	}
	o.deployment.Labels[workload.LabelWorkloadType] = "deployment"
	if c.progress != "" {
		br := c.release(r)
		items = append(items, kubekruise.ToBatchRelease("default", br))
		c.takeOver(o, br, r.Status.Sub)
	}
	items = append(items, o.deployment)
	for _, rs := range o.sets {
		items = append(items, rs)
	}
	for _, p := range o.pods {
		items = append(items, p)
	}
	if c.traffic {
		items = append(items, c.routes()...)
	}
	return items
}

// takeOver makes the Deployment and its pods what the BatchRelease made of them.
func (c *rolloutCase) takeOver(o *liveObjects, br batchrelease.Release, s *kruise.StepStatus) {
	d := o.deployment
	size, _ := rollout.Parse(c.partition)
	strategy := partition.Strategy{
		RollingStyle: partition.Style, Partition: size,
		RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)},
	}
	extra := partition.ExtraStatus{UpdatedReadyReplicas: s.ReadyReplicas, ExpectedUpdatedReplicas: s.Replicas}
	d.Spec.Paused, d.Labels[workload.LabelStableRevision] = true, s.StableRevision
	for key, value := range map[string]string{
		workload.AnnotationInProgress: `{"rolloutName":"web"}`, partition.AnnotationStrategy: strategy.Text(),
		partition.AnnotationControlInfo: workload.ControlInfo(br.Name, br.UID), partition.AnnotationExtraStatus: extra.Text(),
	} {
		d.Annotations[key] = value
	}
	for key, value := range d.Annotations {
		if key != revision.AnnotationRevision { // its controller copies the others
			o.sets[1].Annotations[key] = value
		}
	}
	n := 0
	for _, p := range o.pods {
		if p.Labels[revision.LabelHash] == s.PodTemplateHash && n < c.labelled {
			n++
			p.Labels[workload.LabelRolloutID] = br.ReleasePlan.RolloutID
			p.Labels[workload.LabelBatchID] = fmt.Sprint((n + 1) / 2) // two in the first batch, one in the second
		}
	}
}

func (c *rolloutCase) routes() []any {
	route := &kubekruise.HTTPRouteObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: "gateway.networking.k8s.io/v1", Kind: "HTTPRoute"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
	}
	route.Spec.Rules = []json.RawMessage{json.RawMessage(`{"backendRefs":[{"kind":"Service","name":"web","port":80}]}`)}
	if c.noServices {
		return []any{route}
	}
	service := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	return []any{service, route}
}

// rolloutPlan is what a reader of the JSON output takes from it.
type rolloutPlan struct {
	Kind         string
	State        string
	Actions      kruise.Actions
	Holds        []kplan.Hold
	Status       kruise.Status
	BatchRelease *batchrelease.Plan
	Steps        []preview.Step
}

// firstItem decodes the first of several documents, or the only one.
func firstItem[T any](t *testing.T, text string) T {
	t.Helper()
	var list struct{ Items []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	data := []byte(text)
	if len(list.Items) > 0 {
		data = list.Items[0]
	}
	var v T
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}

// TestRollouts plans and explains what kubectl prints.
func TestRollouts(t *testing.T) {
	for _, c := range rolloutCases {
		t.Run(c.file, func(t *testing.T) {
			require.NotEmpty(t, c.rule)
			file := progressive + c.file + ".yaml"
			text, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": c.items(), "metadata": map[string]any{}})
			require.NoError(t, err)
			golden(t, file, text)
			for _, command := range []string{"plan", "explain"} {
				golden(t, data+"golden/"+command+"/rollout-"+c.file+".txt", []byte(succeed(t, nil, at(command, "-f", file)...)))
			}
			plan := firstItem[rolloutPlan](t, succeed(t, nil, at("plan", "-f", file, "-o", "json")...))
			explained := firstItem[rolloutPlan](t, succeed(t, nil, at("explain", "-f", file, "-o", "json")...))
			require.Equal(t, "Rollout", plan.Kind)
			require.Equal(t, c.stands, explained.State)
			require.Equal(t, c.actions, rolloutActions(plan.Actions), c.rule)
			texts := holdTexts(plan.Holds)
			if plan.BatchRelease != nil {
				texts = append(texts, holdTexts(plan.BatchRelease.Holds)...)
			}
			require.Equal(t, c.holds, strings.Join(texts, ", "), c.rule)
			require.Len(t, plan.Steps, 3)
			require.Equal(t, preview.Sizes{New: 2, Old: 4}, plan.Steps[0].End)
		})
	}
	files, err := filepath.Glob(progressive + "*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(rolloutCases)+len(rolloutManifests), "every file is a case")
	for _, command := range []string{"plan", "explain"} {
		text := succeed(t, nil, at(command, "-f", progressive+"batch.yaml", "-o", "json")...)
		golden(t, data+"golden/"+command+"/rollout-batch.json", []byte(text))
	}
}

func holdTexts(holds []kplan.Hold) (texts []string) {
	for _, h := range holds {
		texts = append(texts, strings.TrimSuffix(fmt.Sprintf("%s %d %d", h.Reason, h.Have, h.Limit), " 0 0"))
	}
	return texts
}

func rolloutActions(actions kruise.Actions) string {
	var texts []string
	for _, a := range actions {
		_, reason, _ := strings.Cut(strings.TrimSuffix(a.String(), ")"), " (")
		texts = append(texts, strings.TrimPrefix(fmt.Sprintf("%T", a), "kruise.")+" "+reason)
	}
	return strings.Join(texts, ", ")
}

// rolloutManifests are files that people write.
var rolloutManifests = []string{"echoserver.yaml"}

// TestRolloutManifests: a manifest has a preview, and without its workload no plan.
func TestRolloutManifests(t *testing.T) {
	file := progressive + rolloutManifests[0]
	text := succeed(t, nil, at("plan", "-f", file, "-f", data+"echoserver-v1.yaml")...)
	golden(t, data+"golden/plan/rollout-manifest.txt", []byte(text))
	require.Contains(t, text, "2/6 2/4", "the sizes of the article")
	code, _, stderr := run(nil, "plan", "-f", file)
	require.Equal(t, exitFailure, code)
	require.Equal(t, "error: "+file+`: Rollout "echoserver": its workload is not in the input`+"\n", stderr)
	_, stdout, stderr := run([]byte(good), "plan", "-f", file, "-f", "-")
	require.Contains(t, stdout, "Deployment web")
	require.Equal(t, "note: "+file+`: skipped Rollout "echoserver": its workload is not in the input`+"\n", stderr)
}

// TestBadRollouts: one line says which file, which object, which field, and what is
// wrong.
func TestBadRollouts(t *testing.T) {
	rolloutOf := func(steps string) string {
		return good + `---
apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: web}
spec:
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  strategy: {canary: {` + steps + `}}
`
	}
	tests := map[string]struct{ text, want string }{
		"half a pod":  {rolloutOf("steps: [{replicas: 1}, {replicas: 2.5}]"), `spec.strategy.canary.steps[1].replicas: 2.5: must be a whole number of 32 bits or a percentage such as 25%`},
		"text":        {rolloutOf("steps: [{replicas: many}]"), `spec.strategy.canary.steps[0].replicas: "many": must be a whole number of 32 bits or a percentage such as 25%`},
		"threshold":   {rolloutOf("failureThreshold: {}, steps: [{replicas: 1}]"), `spec.strategy.canary.failureThreshold: map[string]interface {}: must be a whole number of 32 bits or a percentage such as 25%`},
		"no steps":    {rolloutOf(""), `spec.strategy.canary.steps: 0: OpenKruise would refuse it, in the words of its webhook: "The number of Canary.Steps cannot be empty"; set it`},
		"no strategy": {strings.Replace(rolloutOf(""), "{canary: {}}", "{}", 1), `spec.strategy.canary: <nil>: OpenKruise would refuse it, in the words of its webhook: "Canary and BlueGreen cannot both be empty"; set one of them`},
		"twice":       {rolloutOf("steps: [{replicas: 1}]") + strings.TrimPrefix(rolloutOf("steps: [{replicas: 1}]"), good), `there is one of this name already, in standard input`},
		"duration":    {rolloutOf("steps: [{replicas: 1, pause: {duration: long}}]"), `spec.strategy.canary.steps.pause.duration: string: must be a whole number of 32 bits`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run([]byte(tt.text), "plan", "-f", "-")
			require.Equal(t, exitFailure, code)
			require.Empty(t, stdout)
			require.Equal(t, `error: standard input: Rollout "web": `+tt.want+"\n", stderr)
		})
	}
	_, _, stderr := run([]byte(rolloutOf("steps: [{replicas: 1, wait: 3}]")), "plan", "-f", "-")
	require.Contains(t, stderr, `unknown field "spec.strategy.canary.steps[0].wait"`)
}
