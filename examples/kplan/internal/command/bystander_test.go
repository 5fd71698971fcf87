// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// bystanders are objects of each kind that the command reads, in each version that an API server
// serves or has served. None of them belongs to the Deployment "web", or is about it.
var bystanders = map[string]string{
	"autoscaling/v1 HorizontalPodAutoscaler":      `spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: other}, minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 50}`,
	"autoscaling/v2beta1 HorizontalPodAutoscaler": `spec: {scaleTargetRef: {kind: Deployment, name: other}, minReplicas: 2, maxReplicas: 5, metrics: [{type: Resource, resource: {name: cpu, targetAverageUtilization: 50}}]}`,
	"autoscaling/v2beta2 HorizontalPodAutoscaler": `spec: {scaleTargetRef: {kind: Deployment, name: other}, minReplicas: 2, maxReplicas: 5, behavior: {}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}`,
	"autoscaling/v2 HorizontalPodAutoscaler":      `spec: {scaleTargetRef: {kind: Deployment, name: other}, minReplicas: 2, maxReplicas: 5, behavior: {}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}`,
	"policy/v1 PodDisruptionBudget":               `spec: {minAvailable: 1, selector: {matchLabels: {app: other}}}`,
	"policy/v1beta1 PodDisruptionBudget":          `spec: {maxUnavailable: 50%, selector: {}}`,
	"v1 ResourceQuota":                            `spec: {hard: {services: "5"}}`,
	"v1 LimitRange":                               `spec: {limits: [{type: Pod, max: {cpu: "1"}}]}`,
	"v1 Node":                                     `{spec: {taints: [{key: a, effect: NoSchedule}]}, status: {allocatable: {cpu: "4"}}}`,
	"v1 Event":                                    `{type: Warning, reason: FailedCreate, message: refused, involvedObject: {kind: ReplicaSet, name: other, uid: other}, count: 2, lastTimestamp: "2026-01-02T15:04:05Z"}`,
	"events.k8s.io/v1beta1 Event":                 `{type: Warning, reason: FailedCreate, note: refused, regarding: {kind: ReplicaSet, name: other, uid: other}}`,
	"events.k8s.io/v1 Event":                      `{type: Warning, reason: FailedCreate, note: refused, regarding: {kind: ReplicaSet, name: other, uid: other}}`,
	"v1 Service":                                  `spec: {selector: {app: other}, ports: [{port: 80}]}`,
	"networking.k8s.io/v1 Ingress":                `spec: {rules: [{host: a.example.com}]}`,
	"networking.k8s.io/v1beta1 Ingress":           `spec: {backend: {serviceName: other, servicePort: 80}}`,
	"gateway.networking.k8s.io/v1 HTTPRoute":      `spec: {rules: [{backendRefs: [{name: other, port: 80}]}]}`,
	"gateway.networking.k8s.io/v1beta1 HTTPRoute": `spec: {rules: [{backendRefs: [{name: other, port: 80}]}]}`,
	"apps/v1 ControllerRevision":                  `{revision: 1, data: {}, metadata: {ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: other, uid: other, controller: true}]}}`,
	"apps/v1 StatefulSet":                         `spec: {replicas: 2, serviceName: other, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps/v1 DaemonSet":                           `spec: {selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps/v1 Deployment":                          `spec: {replicas: 2, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps/v1 ReplicaSet":                          `spec: {replicas: 2, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"v1 ReplicationController":                    `spec: {replicas: 2, selector: {app: other}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"v1 Pod":                                      `spec: {containers: [{name: a, image: b}]}`,
	"argoproj.io/v1alpha1 Rollout":                `spec: {replicas: 2, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}, strategy: {canary: {steps: [{setWeight: 50}, {pause: {}}]}}}`,
	"apps.kruise.io/v1alpha1 DaemonSet":           `spec: {selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps.kruise.io/v1beta1 DaemonSet":            `spec: {selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps.kruise.io/v1alpha1 CloneSet":            `spec: {replicas: 2, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps.kruise.io/v1beta1 StatefulSet":          `spec: {replicas: 2, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"apps.kruise.io/v1alpha1 StatefulSet":         `spec: {replicas: 2, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: a, image: b}]}}}`,
	"rollouts.kruise.io/v1beta1 Rollout":          `spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: absent}, strategy: {canary: {steps: [{replicas: 50%, pause: {}}]}}}`,
	"rollouts.kruise.io/v1alpha1 Rollout":         `spec: {objectRef: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: absent}}, strategy: {canary: {steps: [{replicas: 50%, pause: {}}]}}}`,
	"rollouts.kruise.io/v1beta1 BatchRelease":     `spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: absent}, releasePlan: {batches: [{canaryReplicas: 50%}]}}`,
	"rollouts.kruise.io/v1alpha1 BatchRelease":    `spec: {targetReference: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: absent}}, releasePlan: {batches: [{canaryReplicas: 50%}]}}`,
	"rollouts.kruise.io/v1alpha1 TrafficRouting":  `{spec: {objectRef: [{service: other}]}, status: {phase: Healthy}}`,
}

// bystander returns an object of a kind, "v1 Pod" for one, with the rest of its YAML.
func bystander(t *testing.T, kind, rest string) map[string]any {
	t.Helper()
	object := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(rest), &object), kind)
	version, kind, _ := strings.Cut(kind, " ")
	object["apiVersion"], object["kind"] = version, kind
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], metadata["namespace"] = "other", "default"
	object["metadata"] = metadata
	return object
}

// mistyped calls use with the object while one of its fields has a value of another type, for each
// field.
func mistyped(value any, path string, use func(path string)) {
	m, ok := value.(map[string]any)
	if list, isList := value.([]any); isList {
		for i := range list {
			mistyped(list[i], fmt.Sprintf("%s[%d]", path, i), use)
		}
	}
	if !ok {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		at := strings.TrimPrefix(path+"."+key, ".")
		switch at {
		case "apiVersion", "kind", "metadata.name", "metadata.namespace":
			continue // without which it is no object
		}
		right := m[key]
		mistyped(right, at, use)
		m[key] = []any{map[string]any{"a": true}}
		if _, isList := right.([]any); isList {
			m[key] = true
		}
		use(at)
		m[key] = right
	}
}

// TestBystanders: whatever else is in the input, and whichever field of it has a wrong type, the
// answer about the Deployment stands. What cannot be read is named, with the field.
func TestBystanders(t *testing.T) {
	text, err := os.ReadFile(data + "live/history.yaml")
	require.NoError(t, err)
	ask := func(command string, object any) (code int, stdout, stderr string) {
		more, err := json.Marshal(object)
		require.NoError(t, err)
		input := string(text)
		if object != nil {
			input += "\n---\n" + string(more)
		}
		return run([]byte(input), append(strings.Fields(command), "-f", "-", "--now", "2026-03-03T09:30:00Z")...)
	}
	answers := map[string]string{}
	for _, command := range []string{"plan", "explain", "simulate", "history", "undo", "order"} {
		code, stdout, stderr := ask(command, nil)
		require.LessOrEqual(t, code, exitFailure, stderr)
		require.Contains(t, stdout, "web", command)
		answers[command] = stdout
	}
	for _, kind := range slices.Sorted(maps.Keys(bystanders)) {
		object := bystander(t, kind, bystanders[kind])
		for command, answer := range answers {
			if (command == "simulate" || command == "undo") && kind == "apps/v1 ReplicaSet" {
				continue // one without an owner has a column of its own
			}
			_, stdout, stderr := ask(command, object)
			if command != "simulate" || !strings.Contains(strings.Join(strings.Fields(stdout), " "), "1 stays as it is") { // as web does, beside others
				requireAnswer(t, answer, stdout, stderr, kind, command)
			}
			if command != "order" { // which wants pods of ReplicaSets, and UIDs that they name
				require.NotContains(t, stderr, "must be", "it is read: %s, %s", kind, command)
			}
		}
		told, fields, every := 0, 0, 5 // all fields take half a minute
		if os.Getenv("KPLAN_FULL") != "" {
			every = 1
		}
		mistyped(object, "", func(path string) {
			if fields++; fields%every != 0 {
				return
			}
			for _, command := range []string{"plan", "order"} {
				_, stdout, stderr := ask(command, object)
				requireAnswer(t, answers[command], stdout, stderr, kind, path)
				if name := fmt.Sprintf("skipped %s %q", object["kind"], "other"); strings.Contains(stderr, name) {
					told++
				}
			}
		})
		require.True(t, told > 0 || every > 1, kind)
	}
}

// requireAnswer fails unless an answer has all lines of the answer about the Deployment alone.
func requireAnswer(t *testing.T, alone, stdout, stderr string, what ...any) {
	t.Helper()
	for line := range strings.Lines(alone) {
		if strings.HasPrefix(line, "  nodes ") {
			continue // there is one now
		}
		require.Contains(t, stdout, strings.TrimRight(line, "\n"), append([]any{"%v\n" + stderr}, what)...)
	}
}

// TestUnread: what cannot be read is an error if nothing else is asked about, if it is a part of
// what is, or releases it; a manifest that would be planned ends the command with an error after
// the answers, as it ends kubectl apply.
func TestUnread(t *testing.T) {
	wrong := strings.Replace(with("replicas: [1]"), "{name: web}", "{name: other}", 1)
	code, stdout, stderr := run([]byte(wrong), "plan", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, `error: standard input: Deployment "other": spec.replicas: array: must be a whole number of 32 bits`)

	code, stdout, stderr = run([]byte(good+"---\n"+wrong), "plan", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "web")
	require.Equal(t, `note: standard input: skipped Deployment "other": spec.replicas: array: must be a whole number of 32 bits
error: 1 of the workloads cannot be read, and the notes say why
`, stderr)

	live := strings.Replace(wrong, "{name: other}", "{name: other, uid: u}", 1)
	code, _, stderr = run([]byte(good+"---\n"+live), "plan", "-f", "-")
	require.Zero(t, code, "an API server has taken it: %s", stderr)
	require.Contains(t, stderr, `note: standard input: skipped Deployment "other": spec.replicas`)

	uid := strings.Replace(good, "{name: web}", "{name: web, uid: d}", 1)
	part := "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-1, uid: r, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}\nspec: {replicas: x}\n"
	code, stdout, stderr = run([]byte(uid+"---\n"+part), "plan", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, `error: standard input: ReplicaSet "web-1": spec.replicas: "x": must be`)

	release := "apiVersion: rollouts.kruise.io/v1beta1\nkind: Rollout\nmetadata: {name: r}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: 3}\n"
	code, _, stderr = run([]byte(good+"---\n"+release), "plan", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `error: standard input: Rollout "r": spec.strategy: 3: must be an object`)
}

// TestOlderAutoscalers: autoscalers of all versions bound the replicas as those of v2 do.
func TestOlderAutoscalers(t *testing.T) {
	for kind, rest := range bystanders {
		if !strings.Contains(kind, "HorizontalPodAutoscaler") {
			continue
		}
		object, err := yaml.Marshal(bystander(t, kind, strings.Replace(rest, "name: other", "name: web", 1)))
		require.NoError(t, err)
		code, stdout, stderr := run([]byte(with("replicas: 7")+"---\n"+string(object)), "simulate", "-f", "-")
		require.Zero(t, code, kind+stderr)
		require.Contains(t, strings.Join(strings.Fields(stdout), " "), "HorizontalPodAutoscaler other keeps 2 to 5 replicas; they are 5 to begin with", kind)
		require.Empty(t, stderr, kind)
	}
}

// TestObservedHash: a Rollout of a controller before 0.10, whose observed generation is a hash, is
// planned, and it is said that the generation is not known.
func TestObservedHash(t *testing.T) {
	text, err := os.ReadFile(data + "argo/single.yaml")
	require.NoError(t, err)
	input := strings.Replace(string(text), "\nspec:", "\nstatus: {observedGeneration: 5f6c8d5b7}\nspec:", 1)
	require.NotEqual(t, string(text), input)
	code, _, stderr := run([]byte(input), "plan", "-f", "-")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, `status.observedGeneration "5f6c8d5b7" is no number, as before Argo Rollouts 0.10: which generation was seen is not known`)
}
