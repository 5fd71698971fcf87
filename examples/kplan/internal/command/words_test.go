// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// objectOf returns an object of a namespace with a UID that is its name, controlled by an owner,
// which may be "", and what else it has.
func objectOf(kind, name, owner, rest string) string {
	version := "apps/v1"
	if kind == "Pod" {
		version = "v1"
	}
	meta, hash := "name: "+name+", namespace: default, uid: "+name+", generation: 1", name
	if i := strings.Index(name, "-"); i > 0 {
		hash = strings.Split(name, "-")[1]
		meta += ", labels: {app: web, pod-template-hash: \"" + hash + "\"}"
	}
	if owner != "" {
		of := map[bool]string{true: "ReplicaSet", false: "Deployment"}[kind == "Pod"]
		meta += ", ownerReferences: [{apiVersion: apps/v1, kind: " + of + ", name: " + owner + ", uid: " + owner + ", controller: true}]"
	}
	return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {" + meta + rest + "\n---\n"
}

// podSpec is a template of an image, with the labels of a ReplicaSet.
func podSpec(image, hash string) string {
	if hash != "" {
		hash = ", pod-template-hash: \"" + hash + "\""
	}
	return "template: {metadata: {labels: {app: web" + hash + "}}, spec: {containers: [{name: app, image: app:" + image + "}]}}"
}

// deploymentOf returns a live Deployment of app:2, and replicaSetOf a ReplicaSet.
func deploymentOf(replicas, status string) string {
	return objectOf("Deployment", "web", "", ", annotations: {deployment.kubernetes.io/revision: \"2\"}}\nspec: {replicas: "+replicas+
		", selector: {matchLabels: {app: web}}, "+podSpec("2", "")+"}\nstatus: {observedGeneration: 1, "+status+"}")
}

func replicaSetOf(name, owner, revision, image, replicas, status string) string {
	hash := strings.Split(name, "-")[1]
	return objectOf("ReplicaSet", name, owner, ", annotations: {deployment.kubernetes.io/revision: \""+revision+"\", deployment.kubernetes.io/desired-replicas: \"3\", deployment.kubernetes.io/max-replicas: \"4\"}}\nspec: {replicas: "+replicas+
		", selector: {matchLabels: {app: web, pod-template-hash: \""+hash+"\"}}, "+podSpec(image, hash)+"}\nstatus: {observedGeneration: 1, "+status+"}")
}

func podOf(name, owner, meta string) string {
	return objectOf("Pod", name, owner, ", creationTimestamp: \"2026-04-02T00:00:00Z\""+meta+"}\nspec: {containers: [{name: app, image: app}]}\n"+
		"status: {phase: Running, conditions: [{type: Ready, status: \"True\", lastTransitionTime: \"2026-04-02T00:00:00Z\"}]}")
}

// TestOldPodsStillRun: a rollout may be complete while an old pod still ends, and its first line
// says since when and until when, as do the row of the pod and the status of the plan.
func TestOldPodsStillRun(t *testing.T) {
	all := deploymentOf("1", "replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, terminatingReplicas: 1") +
		replicaSetOf("web-1111", "web", "1", "1", "0", "replicas: 0, terminatingReplicas: 1") +
		replicaSetOf("web-2222", "web", "2", "2", "1", "replicas: 1, readyReplicas: 1, availableReplicas: 1, terminatingReplicas: 0")
	pods := podOf("web-2222-a", "web-2222", "") +
		podOf("web-1111-a", "web-1111", ", deletionTimestamp: \"2026-05-01T12:10:00Z\", deletionGracePeriodSeconds: 1800, finalizers: [example.com/drain]")
	ask := func(command, text, now string) string {
		return succeed(t, []byte(text), command, "-f", "-", "--now", "2026-05-01T"+now+":00Z", "-o", "wide")
	}
	text := ask("explain", all+pods, "12:00")
	require.Contains(t, text, "Deployment default/web is complete. The pod is new and available. 1 old pod still runs: "+
		"it is being deleted since 2026-05-01T11:40:00Z, and may take until 2026-05-01T12:10:00Z.\n")
	require.Contains(t, text, "Terminating  being deleted for 20m, may take 10m more; finalizers: example.com/drain\n")
	require.Contains(t, ask("plan", all+pods, "12:00"), "1 available, 0 unavailable, 1 terminating\n")
	text = ask("explain", all+pods, "13:00")
	require.Contains(t, text, "1 old pod still runs: it is being deleted since 2026-05-01T11:40:00Z, and should have ended by 2026-05-01T12:10:00Z.\n")
	require.Contains(t, text, "being deleted for 1h20m, and should have ended 50m ago")
	require.Contains(t, ask("explain", all, "12:00"), "The pod is new and available. 1 pod is still being deleted.\n")

	// So it is with a ReplicaSet by itself.
	alone := replicaSetOf("web-1111", "", "1", "1", "0", "replicas: 0, terminatingReplicas: 1")
	text = ask("explain", alone+podOf("web-1111-a", "web-1111", ", deletionTimestamp: \"2026-05-01T12:10:00Z\", deletionGracePeriodSeconds: 1800"), "12:00")
	require.Contains(t, text, "No pod is wanted, and none is left. 1 pod still runs: it is being deleted since 2026-05-01T11:40:00Z")
}

// TestAdoptedSetIsInTheTree: the plan adopts the orphaned ReplicaSet of another Deployment. Its pods
// count, so the tree has it, with the name of its former owner, and also its pods that do not serve.
func TestAdoptedSetIsInTheTree(t *testing.T) {
	const three = "replicas: 3, readyReplicas: 3, availableReplicas: 3"
	all := deploymentOf("3", three+", updatedReplicas: 3") + replicaSetOf("web-1111", "web", "2", "2", "3", three) +
		replicaSetOf("webcanary-2222", "", "1", "1", "3", three)
	for _, name := range []string{"a", "b", "c"} {
		all += podOf("web-1111-"+name, "web-1111", "") + strings.Replace(podOf("webcanary-2222-"+name, "webcanary-2222", ""), `status: "True"`, `status: "`+map[bool]string{true: "False", false: "True"}[name == "c"]+`"`, 1)
	}
	text := succeed(t, []byte(all), "explain", "-f", "-", "--now", "2026-05-01T12:00:00Z", "-o", "wide")
	require.Regexp(t, `\n├─ web-1111 +2, new +3 +3 +3 +3 `, text)
	require.Regexp(t, `\n└─ webcanary-2222 +1, old, to be adopted from webcanary +3 +3 +3 +3 `, text)
	require.Contains(t, text, "\nwebcanary-2222-c ")
}

// TestCauseComesFirst: the first sentence tells what has to be mended, and what follows from that
// comes behind it.
func TestCauseComesFirst(t *testing.T) {
	text := succeed(t, nil, at("explain", "-f", live+"/deadline-exceeded.yaml", "-o", "wide")...)
	require.Contains(t, text, "Deployment default/web is stuck. Pods that do not serve: 1 ImagePullBackOff. The rollout has not come nearer")
	text = succeed(t, nil, at("explain", "-f", extraFile("quota"), "-o", "wide")...)
	require.Regexp(t, `is stuck\. The API server rejects the pods that the ReplicaSet creates or deletes: ".*exceeded quota: .*"\.`, text)
	_, held, _ := strings.Cut(text, "\nHeld back:\n")
	first, _, _ := strings.Cut(held, "\n")
	require.Contains(t, first, "(ReplicaFailure)")
}

// TestNobodyHasAppliedIt: a manifest does not progress: it will start.
func TestNobodyHasAppliedIt(t *testing.T) {
	both := []byte(good + "---\n" + strings.ReplaceAll(good, "name: web", "name: shop"))
	require.True(t, strings.HasPrefix(succeed(t, both, "plan", "-f", "-"), "2 Deployments: 2 will start.\n"))
	require.True(t, strings.HasPrefix(succeed(t, both, "explain", "-f", "-"), "2 Deployments: 2 will start.\n\nDeployment web will start. Once it is applied, the controller will act at once,\n  in 2 writes.\n"))
}

// TestOneQuotaIsOneSentence: a quota of pods and CPU is told of once, and first, with the
// workload's namespace in notes.
func TestOneQuotaIsOneSentence(t *testing.T) {
	text := []byte(strings.NewReplacer("metadata: {name: web}", "metadata: {name: web, namespace: shop}", "image: web:1", "image: web:1, resources: {requests: {cpu: 500m}}").Replace(with("replicas: 7")) + `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec: {minReplicas: 7, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {minAvailable: 7, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: shop}
spec: {hard: {pods: "6", requests.cpu: "3"}}
`)
	_, stdout, _ := run(text, "simulate", "-f", "-", "-o", "wide")
	_, assumed, found := strings.Cut(stdout, "\nAssumed:\n  ")
	require.True(t, found, stdout)
	// 7 replicas and a surge of a quarter, rounded up: 9 pods. 6 × 500m is all of 3.
	require.True(t, strings.HasPrefix(assumed, "creations will fail: ResourceQuota q leaves room for 6 pods (pods, requests.cpu), and up to 9 are wanted\n"), assumed)
	require.Equal(t, 1, strings.Count(stdout, "ResourceQuota")+strings.Count(stdout, "the quota"), stdout)
	_, _, stderr := run(text, "plan", "-f", "-")
	require.Contains(t, stderr, `note: Deployment "shop/web": creations will fail: ResourceQuota q leaves room for 6 pods (pods)`)
}
