// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TestSimulateUnderWay: releases that are under way go on from where they stand, and come
// to their end if their broken pods heal.
func TestSimulateUnderWay(t *testing.T) {
	for _, c := range rolloutCases {
		file := progressive + c.file + ".yaml"
		code, text, stderr := run(nil, at("simulate", "-f", file, "--heal")...)
		switch c.file {
		case "healthy":
			require.Equal(t, exitFailure, code)
			require.Contains(t, stderr, "nothing is being released; --from must hold its Deployment as it is before the release")
			continue
		case "no-service":
			require.Equal(t, exitFailure, code)
			require.Contains(t, stderr, "in step 1 StepTrafficRouting: the stable Service is missing")
		default:
			require.Zero(t, code, stderr)
			require.Contains(t, text, "Complete after ")
		}
		golden(t, data+"golden/simulate/rollout-"+c.file+".txt", []byte(text))
		_, text, _ = run(nil, at("simulate", "-f", file, "--heal", "-o", "json")...)
		var r releaseJSON
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		first := r.Steps[0]
		fresh, old := first.sizes()
		require.Equal(t, c.step, first.Step, c.file)
		require.Equal(t, []int32{c.sets[1].pods(), c.sets[0].pods()}, []int32{fresh, old}, c.file)
		for _, s := range r.Steps {
			fresh, old = s.sizes()
			require.LessOrEqual(t, fresh+old, int32(8))
			require.GreaterOrEqual(t, s.Available, int32(5))
		}
	}
}

// TestSimulateUnderWayTime: 20 of 60 seconds of the pause have passed at the present, and
// two when the pods of the file became ready. A person takes five minutes from now on.
func TestSimulateUnderWayTime(t *testing.T) {
	pause := progressive + "pause.yaml"
	require.InDelta(t, 40, beginsAt(t, 2, nil, at("simulate", "-f", pause)...), 1)
	require.InDelta(t, 58, beginsAt(t, 2, nil, "simulate", "-f", pause), 1)
	approval := progressive + "approval.yaml"
	require.InDelta(t, 7, beginsAt(t, 3, nil, at("simulate", "-f", approval, "--approve-after", "7s")...), 1)
	code, text, _ := run(nil, at("simulate", "-f", approval, "--never-approve")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(text), "not finished, and nothing changes any more after 0s, in step 2 StepPaused: a person has to confirm step 2 of 3.")
	code, text, _ = run(nil, at("simulate", "-f", pause, "--never-ready", "--time-limit", "30m")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(text), "in step 2 StepUpgrade")
}

// A manual pause that begins behind a timed one takes the whole time that a person needs.
func TestPersonTakesTime(t *testing.T) {
	text, err := os.ReadFile(progressive + "echoserver.yaml")
	require.NoError(t, err)
	manual := strings.Replace(string(text), "            duration: 120\n", "            {}\n", 1)
	require.InDelta(t, 396, beginsAt(t, 3, []byte(manual), append(append([]string{}, echoserver...), "-f", "-")...), 1, "the second pause begins after 1m36s")
}

// beginsAt is when a step of a release begins, in seconds.
func beginsAt(t *testing.T, step int32, stdin []byte, args ...string) float64 {
	t.Helper()
	var r releaseJSON
	require.NoError(t, json.Unmarshal([]byte(succeed(t, stdin, append(args, "-o", "json")...)), &r))
	for i := range r.Steps {
		if r.Steps[i].Step == step {
			return r.Steps[i].Time
		}
	}
	require.Fail(t, "it has no such step")
	return 0
}

// objectsIn returns the objects of a file by kind, and what they are a list of again.
func objectsIn(t *testing.T, file string, edit func(map[string][]*unstructured.Unstructured)) []byte {
	t.Helper()
	byKind := map[string][]*unstructured.Unstructured{}
	for _, o := range objectsOf(t, file) {
		byKind[o.GetKind()] = append(byKind[o.GetKind()], o)
	}
	edit(byKind)
	var items []any
	for _, kind := range []string{"Rollout", "BatchRelease", "Deployment", "ReplicaSet", "Pod", "Service", "HTTPRoute"} {
		for _, o := range byKind[kind] {
			items = append(items, o.Object)
		}
	}
	text, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	require.NoError(t, err)
	return text
}

func set(value any, path ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		if value == nil {
			unstructured.RemoveNestedField(o.Object, path...)
		} else if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

// TestCannotTakeOver: what a simulation cannot begin with is refused, by the object and
// the field.
func TestCannotTakeOver(t *testing.T) {
	none := func(kind string) func(map[string][]*unstructured.Unstructured) {
		return func(o map[string][]*unstructured.Unstructured) { delete(o, kind) }
	}
	change := func(kind string, value any, path ...string) func(map[string][]*unstructured.Unstructured) {
		return func(o map[string][]*unstructured.Unstructured) { set(value, path...)(o[kind][0]) }
	}
	second := func(o map[string][]*unstructured.Unstructured) { o["ReplicaSet"] = o["ReplicaSet"][:1] }
	const when = "2026-03-03T09:29:30Z"
	tests := map[string]struct {
		edit func(map[string][]*unstructured.Unstructured)
		want string
	}{
		"no batch release": {none("BatchRelease"), `Rollout "web": its BatchRelease is not in the input`},
		"no replica sets":  {none("ReplicaSet"), `Rollout "web": its ReplicaSets are not in the input`},
		"no new set":       {second, `Deployment "web": status.updatedReplicas: 2: the ReplicaSet of these pods is not in the input`},
		"no stable set":    {func(o map[string][]*unstructured.Unstructured) { o["ReplicaSet"] = o["ReplicaSet"][1:] }, `Deployment "web": metadata.labels[rollouts.kruise.io/stable-revision]: "6b6449b5bf": the ReplicaSet of this revision is not in the input`},
		"collision":        {change("Deployment", int64(1), "status", "collisionCount"), `Deployment "web": status.collisionCount: 1: a release whose templates have had equal hashes`},
		"deleted rollout":  {change("Rollout", when, "metadata", "deletionTimestamp"), `Rollout "web": metadata.deletionTimestamp: "2026-03-03T09:29:30Z": the Rollout is being deleted`},
		"deleted workload": {change("Deployment", when, "metadata", "deletionTimestamp"), `Deployment "web": metadata.deletionTimestamp: "2026-03-03T09:29:30Z": the Deployment is being deleted`},
		"disabled":         {change("Rollout", true, "spec", "disabled"), `Rollout "web": spec.disabled: true: the Rollout releases nothing`},
		"given up":         {change("Rollout", "Disabling", "status", "phase"), `Rollout "web": status.phase: "Disabling": the release is being given up`},
		"no step status":   {change("Rollout", nil, "status", "canaryStatus"), `Rollout "web": status.canaryStatus: "": must be set`},
		"no condition":     {change("Rollout", nil, "status", "conditions"), `Rollout "web": status.conditions: "": must hold the condition Progressing`},
		"shared traffic":   {change("Rollout", "tr", "metadata", "annotations", workload.AnnotationTrafficRouting), `metadata.annotations[rollouts.kruise.io/trafficrouting]: "tr": TrafficRouting objects are not simulated`},
		"no canary": {func(o map[string][]*unstructured.Unstructured) {
			set(true, "spec", "strategy", "canary", "enableExtraWorkloadForCanary")(o["Rollout"][0])
		}, `Rollout "web": its canary Deployment is not in the input`},
		"too many replicas": {change("Deployment", int64(100001), "spec", "replicas"), `Deployment "web": spec.replicas: 100001: must be at most 100000 to be simulated`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := objectsIn(t, progressive+"batch.yaml", tt.edit)
			code, stdout, stderr := run(text, "simulate", "-f", "-")
			require.Equal(t, exitFailure, code, stdout)
			require.Empty(t, stdout)
			require.Regexp(t, "error: .*standard input: ", stderr)
			require.Contains(t, stderr, tt.want)
		})
	}
	code, _, stderr := run(nil, "simulate", "-f", progressive+"batch.yaml", "--from", progressive+"batch.yaml")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `Rollout "web": status.phase: "Progressing": the release is under way and goes on from where it stands, not from what --from holds`)
}

// TestWithoutItsRollout: a Deployment is not simulated as if it were on its own.
func TestWithoutItsRollout(t *testing.T) {
	text := objectsIn(t, progressive+"batch.yaml", func(o map[string][]*unstructured.Unstructured) { delete(o, "Rollout") })
	code, stdout, stderr := run(text, "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(stdout), "wants 2 pods, the partition allows 2")
	require.Contains(t, stderr, `Deployment "web" is released by a Rollout that is not in the input, and goes only as far as that has let it`)
}

// TestChangedUnderWay: a template that comes in the middle starts the release anew, and
// that of the old pods ends it.
func TestChangedUnderWay(t *testing.T) {
	change := func(edit func(template map[string]any), updated int64) []byte {
		return objectsIn(t, progressive+"batch.yaml", func(o map[string][]*unstructured.Unstructured) {
			d := o["Deployment"][0]
			template, _, err := unstructured.NestedMap(o["ReplicaSet"][0].Object, "spec", "template")
			require.NoError(t, err)
			unstructured.RemoveNestedField(template, "metadata", "labels", "pod-template-hash")
			edit(template)
			set(template, "spec", "template")(d)
			set(int64(8), "metadata", "generation")(d)
			set(int64(8), "status", "observedGeneration")(d)
			set(updated, "status", "updatedReplicas")(d)
		})
	}
	third := change(func(template map[string]any) {
		set(int64(60), "spec", "terminationGracePeriodSeconds")(&unstructured.Unstructured{Object: template})
	}, 0)
	golden(t, data+"golden/simulate/rollout-third.txt", []byte(succeed(t, third, at("simulate", "-f", "-")...)))
	back := change(func(map[string]any) {}, 4)
	golden(t, data+"golden/simulate/rollout-back.txt", []byte(succeed(t, back, at("simulate", "-f", "-")...)))
}

// TestOtherHash: OpenKruise hashes templates with the types that it was built with. A
// revision that differs from the label of the pods is no new release.
func TestOtherHash(t *testing.T) {
	const ours, theirs = "86dd985b8b", "7c9d5b6f48"
	foreign := func(file string) []byte {
		return objectsIn(t, file, func(o map[string][]*unstructured.Unstructured) {
			r, br := o["Rollout"][0], o["BatchRelease"][0]
			for _, field := range []string{"canaryRevision", "observedRolloutID"} {
				set(theirs, "status", "canaryStatus", field)(r)
			}
			set("BatchRelease is at state Ready, rollout-id "+theirs+", step 1", "status", "canaryStatus", "message")(r)
			set(theirs, "status", "updateRevision")(br)
			set(theirs, "status", "observedRolloutID")(br)
			set(theirs, "spec", "releasePlan", "rolloutID")(br)
			var typed kubekruise.BatchReleaseObject
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(br.Object, &typed))
			set(kubekruise.BatchRelease(&typed).ReleasePlan.Hash(), "status", "observedReleasePlanHash")(br)
			for _, p := range o["Pod"] {
				if p.GetLabels()[workload.LabelRolloutID] != "" {
					set(theirs, "metadata", "labels", workload.LabelRolloutID)(p)
					set(theirs, "metadata", "labels", workload.LabelControllerRevision)(p)
				}
			}
		})
	}
	file := progressive + "pause.yaml"
	require.Contains(t, string(foreign(file)), "canaryRevision: "+theirs)
	want := succeed(t, nil, at("explain", "-f", file)...)
	require.Contains(t, want, "pauses 1m")
	require.Equal(t, want, strings.ReplaceAll(succeed(t, foreign(file), at("explain", "-f", "-")...), theirs, ours))
	want = succeed(t, nil, at("simulate", "-f", file)...)
	require.Contains(t, want, "label 6 pods")
	want = strings.Replace(want, "label 6 pods", "label 4 pods", 1) // two of theirs have the label of their revision already
	require.Equal(t, want, succeed(t, foreign(file), at("simulate", "-f", "-")...))
}

// TestStylesWithoutBounds: Canary and BlueGreen add all new pods to the old ones, so that
// no bound of the Deployment holds, and during the latter no pod counts as available.
func TestStylesWithoutBounds(t *testing.T) {
	text, err := os.ReadFile(progressive + "echoserver.yaml")
	require.NoError(t, err)
	for style, manifest := range map[string]string{
		"canary":     strings.Replace(string(text), "    canary:\n", "    canary:\n      enableExtraWorkloadForCanary: true\n", 1),
		"blue-green": strings.Replace(string(text), "    canary:\n", "    blueGreen:\n", 1),
	} {
		args := append(append([]string{}, echoserver...), "-f", "-")
		golden(t, data+"golden/simulate/"+style+".txt", []byte(succeed(t, []byte(manifest), args...)))
		require.NotContains(t, succeed(t, []byte(manifest), append(args, "-o", "json")...), `"bounds"`)
	}
}

// TestSimulateRolloutOfCluster: the present is that of the clock.
func TestSimulateRolloutOfCluster(t *testing.T) {
	_, flags := newAPIServer(t, progressive+"pause.yaml")
	text := succeed(t, nil, at(append([]string{"simulate", "rollout/web"}, flags...)...)...)
	require.Equal(t, succeed(t, nil, at("simulate", "-f", progressive+"pause.yaml")...), text)
	require.InDelta(t, 0, beginsAt(t, 2, nil, append([]string{"simulate", "rollout/web"}, flags...)...), 1, "the pause is long over")
}

// canaryUnderWay is a release of the style Canary whose two new pods serve in a Deployment
// of their own. Pods are those that the statuses tell of.
const canaryUnderWay = `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: web, uid: r, generation: 1, finalizers: [rollouts.kruise.io/rollout]}
spec:
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  strategy:
    canary:
      enableExtraWorkloadForCanary: true
      steps: [{replicas: 2, pause: {duration: 60}}, {replicas: 100%}]
status:
  observedGeneration: 1
  phase: Progressing
  conditions: [{type: Progressing, status: "True", reason: InRolling, lastTransitionTime: "2026-03-03T09:00:00Z", lastUpdateTime: "2026-03-03T09:00:00Z"}]
  canaryStatus:
    {currentStepIndex: 1, nextStepIndex: 2, currentStepState: StepPaused, canaryRevision: NEW, podTemplateHash: NEW, stableRevision: OLD,
    lastUpdateTime: "2026-03-03T09:30:00Z", finalisingStep: "", observedRolloutID: NEW, canaryReplicas: 2, canaryReadyReplicas: 2}
---
apiVersion: rollouts.kruise.io/v1beta1
kind: BatchRelease
metadata: {name: web, uid: b, generation: 1, finalizers: [rollouts.kruise.io/batch-release-finalizer]}
spec:
  releasePlan: {batchPartition: 0, batches: [{canaryReplicas: 2}, {canaryReplicas: 100%}], enableExtraWorkloadForCanary: true, rollingStyle: Canary, rolloutID: NEW}
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
status:
  {observedGeneration: 1, phase: Progressing, stableRevision: OLD, updateRevision: NEW, observedRolloutID: NEW, observedWorkloadReplicas: 4,
  canaryStatus: {batchState: Ready, currentBatch: 0, updatedReplicas: 2, updatedReadyReplicas: 2}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {name: web, uid: d, generation: 2, creationTimestamp: "2026-03-01T09:30:00Z", labels: {rollouts.kruise.io/workload-type: deployment},
  annotations: {rollouts.kruise.io/in-progressing: '{"rolloutName":"web"}', deployment.kubernetes.io/revision: "1"}}
spec: {paused: true, replicas: 4, selector: {matchLabels: {app: web}}, strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, template: TEMPLATE2}
status: {observedGeneration: 2, replicas: 4, readyReplicas: 4, availableReplicas: 4}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {name: web-x, uid: c, generation: 1, creationTimestamp: "2026-03-03T09:20:00Z", finalizers: [finalizer.rollouts.kruise.io/canary-deployment],
  labels: {rollouts.kruise.io/canary-deployment: web}, annotations: {deployment.kubernetes.io/revision: "1",
  batchrelease.rollouts.kruise.io/control-info: '{"apiVersion":"rollouts.kruise.io/v1beta1","kind":"BatchRelease","name":"web","uid":"b","controller":true,"blockOwnerDeletion":true}'},
  ownerReferences: [{apiVersion: rollouts.kruise.io/v1beta1, kind: BatchRelease, name: web, uid: b, controller: true}]}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, template: TEMPLATE2}
status: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-OLD, uid: s1, generation: 1, creationTimestamp: "2026-03-01T09:30:00Z", labels: {app: web, pod-template-hash: OLD}, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}
spec: {replicas: 4, selector: {matchLabels: {app: web, pod-template-hash: OLD}}, template: TEMPLATE-OF-OLD}
status: {observedGeneration: 1, replicas: 4, readyReplicas: 4, availableReplicas: 4}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-x-NEW, uid: s2, generation: 1, creationTimestamp: "2026-03-03T09:20:00Z", labels: {app: web, pod-template-hash: NEW}, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web-x, uid: c, controller: true}]}
spec: {replicas: 2, selector: {matchLabels: {app: web, pod-template-hash: NEW}}, template: TEMPLATE-OF-NEW}
status: {observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2}
`

// TestSimulateCanaryUnderWay: the extra Deployment is part of the release, and not
// simulated beside it. Without it, or with other pods than those of the template, nothing
// is shown.
func TestSimulateCanaryUnderWay(t *testing.T) {
	template := func(image, labels string) string {
		return `{metadata: {labels: {app: web` + labels + `}}, spec: {containers: [{name: web, image: "` + image + `"}]}}`
	}
	const labels = ", pod-template-hash: "
	text := strings.NewReplacer(
		"TEMPLATE-OF-OLD", template("web:1", labels+"6b6449b5bf"), "TEMPLATE-OF-NEW", template("web:2", labels+"86dd985b8b"),
		"TEMPLATE2", template("web:2", ""), "OLD", "6b6449b5bf", "NEW", "86dd985b8b",
	).Replace(canaryUnderWay)
	out := succeed(t, []byte(text), "simulate", "-f", "-")
	golden(t, data+"golden/simulate/rollout-canary.txt", []byte(out))
	require.Equal(t, 1, strings.Count(out, "Complete after"))

	patched := strings.Replace(text, "enableExtraWorkloadForCanary: true\n", "enableExtraWorkloadForCanary: true\n      patchPodTemplateMetadata: {labels: {version: new}}\n", 1)
	code, _, stderr := run([]byte(strings.Replace(patched, "web:2", "web:3", 1)), "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "spec.strategy.canary.patchPodTemplateMetadata: ")

	foreign := strings.Replace(text, labels+"86dd985b8b}}, spec:", "}}, spec:", 1)
	code, _, stderr = run([]byte(foreign), "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `ReplicaSet "web-x-86dd985b8b": spec.template.metadata.labels: map[app:web]: must match the selector`)
}

// TestRejectedRollouts: what admission would reject of a manifest, by the name of the field
// in its version of the API. What is in a cluster has been accepted.
func TestRejectedRollouts(t *testing.T) {
	text, err := os.ReadFile(progressive + "echoserver.yaml")
	require.NoError(t, err)
	old := strings.NewReplacer("v1beta1", "v1alpha1", "  workloadRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: echoserver\n",
		"  objectRef: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: echoserver}}\n", "traffic: 20%", "weight: 20", "traffic: 50%", "weight: 50").Replace(string(text))
	tests := map[string]struct{ text, was, is, want string }{
		"too much traffic": {string(text), "traffic: 20%", "traffic: 120%", "spec.strategy.canary.steps[0].traffic: 120%: "},
		"backwards":        {string(text), "replicas: 50%", "replicas: 10%", "spec.strategy.canary.steps[1].replicas: 10%: "},
		"no steps":         {string(text[:strings.Index(string(text), "      steps:")]), "canary:", "canary: {}", "spec.strategy.canary.steps: 0: "},
		"blue-green":       {string(text[:strings.Index(string(text), "      steps:")]), "canary:", "blueGreen: {}", "spec.strategy.blueGreen.steps: 0: "},
		"no service":       {string(text), "service: echoserver", `service: ""`, "spec.strategy.canary.trafficRoutings[0]"},
		"older version":    {old, "replicas: 50%", "replicas: 10%", "spec.strategy.canary.steps[1].replicas: 10%: "},
		"older reference":  {old, "kind: Deployment", "kind: Job", "spec.objectRef.workloadRef: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(tt.text, tt.was, tt.is, 1)
			for _, command := range []string{"plan", "explain", "simulate"} {
				code, stdout, stderr := run([]byte(bad), command, "-f", data+"echoserver-v2.yaml", "-f", "-")
				require.Equal(t, exitFailure, code)
				require.Empty(t, stdout)
				require.Contains(t, stderr, `standard input: Rollout "echoserver": `+tt.want)
			}
			code, _, stderr := run([]byte(strings.Replace(bad, "metadata:\n", "metadata:\n  uid: r\n", 1)), "plan", "-f", data+"echoserver-v2.yaml", "-f", "-")
			if tt.is != "canary: {}" && tt.is != "blueGreen: {}" {
				require.Zero(t, code, stderr)
			}
		})
	}
}
