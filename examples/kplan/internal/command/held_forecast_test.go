// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inTwoSteps is a workload of some spec, with a pod template of another, and the Rollout of OpenKruise that releases
// it in two steps.
func inTwoSteps(apiVersion, kind, spec string) func(pod string) string {
	return func(pod string) string {
		return fmt.Sprintf(`{apiVersion: %s, kind: %s, metadata: {name: web, namespace: shop}, spec: {%s, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: %s}}}
---
{apiVersion: rollouts.kruise.io/v1beta1, kind: Rollout, metadata: {name: release, namespace: shop}, spec: {
  workloadRef: {apiVersion: %s, kind: %s, name: web}, strategy: {canary: {steps: [{replicas: 50%%}, {replicas: 100%%}]}}}}
`, apiVersion, kind, spec, pod, apiVersion, kind)
	}
}

// argoRollout is a Rollout of Argo with a strategy.
func argoRollout(strategy string) func(pod string) string {
	return func(pod string) string {
		return fmt.Sprintf(`{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: web, namespace: shop}, spec: {replicas: 2, strategy: %s, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: %s}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {selector: {app: web}, ports: [{port: 80}]}}
`, strategy, pod)
	}
}

// presentTime is when the pods of these tests run.
var presentTime = []string{"--now", "2026-05-01T12:00:00Z"}

// A quota of some CPUs, and a limit range that takes containers with one at most.
const (
	cpuQuota = "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop}, spec: {hard: {requests.cpu: %q}}}\n"
	oneCPU   = "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: small, namespace: shop}, spec: {limits: [{type: Container, max: {cpu: 1}}]}}\n"
)

// beside is a ReplicaSet with a pod on each of some nodes, and claims.
func beside(nodes ...string) string {
	const pod = `{metadata: {labels: {app: loner}}, spec: {containers: [{name: c, image: "y:1", ports: [{containerPort: 80, hostPort: 80}], resources: {requests: {cpu: 700m}, limits: {cpu: 700m}}}],
  volumes: [{name: v, persistentVolumeClaim: {claimName: taken}}]}}`
	text := fmt.Sprintf(`---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: beside, namespace: shop, uid: beside}, spec: {replicas: %d, selector: {matchLabels: {app: loner}}, template: %s}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: taken, namespace: shop}, spec: {accessModes: [ReadWriteOncePod]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: free, namespace: shop}, spec: {accessModes: [ReadWriteOnce]}}
`, len(nodes), pod)
	for i, n := range nodes {
		text += fmt.Sprintf(`---
{apiVersion: v1, kind: Pod, metadata: {name: beside-%d, namespace: shop, uid: beside-%d, labels: {app: loner}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: beside, uid: beside, controller: true}]},
 spec: {nodeName: %s, %s, status: {phase: Running, %s}}
`, i, i, n, strings.TrimSuffix(strings.SplitN(pod, "spec: {", 2)[1], "}"), atWork)
	}
	return text
}

// A forecast of every kind looks at each reason that holds new pods back: one release ends, and one never does.
func TestHeldForecasts(t *testing.T) {
	container := func(more string) string { return `containers: [{name: c, image: "x:2", ` + more + `}]` }
	const few, old = `resources: {requests: {cpu: 100m}, limits: {cpu: 100m}}`, `{tolerations: [{key: own}], containers: [{name: c, image: "x:1", resources: {requests: {cpu: 100m}, limits: {cpu: 100m}}}]}`
	const spread = `topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {%s}}}], `
	large := `resources: {requests: {cpu: "1500m"}, limits: {cpu: "1500m"}}`
	kinds := map[string]func(pod string) string{
		"Deployment":  inTwoSteps("apps/v1", "Deployment", "replicas: 2, strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"),
		"CloneSet":    inTwoSteps("apps.kruise.io/v1alpha1", "CloneSet", "replicas: 2, updateStrategy: {maxUnavailable: 1}"),
		"StatefulSet": inTwoSteps("apps/v1", "StatefulSet", "replicas: 2, serviceName: web"), "advanced StatefulSet": inTwoSteps("apps.kruise.io/v1beta1", "StatefulSet", "replicas: 2, serviceName: web, updateStrategy: {rollingUpdate: {maxUnavailable: 1}}"),
		"canary": argoRollout("{canary: {maxSurge: 0, maxUnavailable: 1}}"), "blue-green": argoRollout("{blueGreen: {activeService: web}}"),
	}
	nodes := func(spec string, full ...string) (text string) {
		for _, n := range []string{"a", "b", "c", "d"} {
			text += aNode(n, spec, "True")
		}
		return text + beside(full...)
	}
	some, all := []string{"a", "b"}, []string{"a", "b", "c", "d"}
	for why, c := range map[string]struct{ pod, ends, otherPod, never, says string }{
		"host ports":     {container(few + `, ports: [{containerPort: 80, hostPort: 80}]`), nodes("", some...), "", nodes("", all...), "4 node(s) didn't have free ports for the requested pod ports"},
		"requests":       {container(large), nodes("", some...), "", nodes("", all...), "Insufficient cpu"},
		"anti-affinity":  {`affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: loner}}}]}}, ` + container(few), nodes("", some...), "", nodes("", all...), "didn't match pod anti-affinity rules"},
		"affinity":       {`affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: loner}}}]}}, ` + container(few), nodes("", some...), "", nodes(""), "didn't match pod affinity rules"},
		"spread":         {fmt.Sprintf(spread, "app: loner") + container(few), nodes("", some...), "", strings.Replace(nodes("", "a", "a", "b", "b", "c", "c"), "disk: d}}, spec: {}", "disk: d}}, spec: {taints: [{key: own, effect: NoSchedule}]}", 1), "didn't match pod topology spread constraints"},
		"node selectors": {"nodeSelector: {disk: b}, " + container(few), nodes(""), "nodeSelector: {disk: gone}, " + container(few), nodes(""), "didn't match Pod's node affinity/selector"},
		"taints":         {"tolerations: [{key: own}], " + container(few), nodes("taints: [{key: own, effect: NoSchedule}]"), container(few), nodes("taints: [{key: own, effect: NoSchedule}]"), "untolerated taint"},
		"claims":         {`volumes: [{name: v, persistentVolumeClaim: {claimName: free}}], ` + container(few), nodes("", "a"), `volumes: [{name: v, persistentVolumeClaim: {claimName: taken}}], ` + container(few), nodes("", "a"), "already in-use by another pod"},
		"quotas":         {container(large), nodes("") + fmt.Sprintf(cpuQuota, "4"), "", nodes("") + fmt.Sprintf(cpuQuota, "2"), "exceeded quota: few"},
		"limit ranges":   {container(few), nodes("") + oneCPU, container(large), nodes("") + oneCPU, "maximum cpu usage per Container is 1, but limit is 1500m"},
	} {
		for kind, object := range kinds {
			t.Run(why+" of a "+kind, func(t *testing.T) {
				simulate := func(pod, rest string) (int, string, string) {
					return rolledFrom(t, object(old)+rest, object("{"+pod+"}")+rest, presentTime...)
				}
				code, stdout, stderr := simulate(c.pod, c.ends)
				require.Zero(t, code, "%s%s", stdout, stderr)
				require.Contains(t, stdout, "\nComplete after ")
				pod := c.pod
				if c.otherPod != "" {
					pod = c.otherPod
				}
				code, stdout, stderr = simulate(pod, c.never)
				require.Equal(t, exitFailure, code, "%s%s", stdout, stderr)
				require.Contains(t, inWords(stdout), c.says, stdout)
				require.Contains(t, inWords(stdout), "nothing changes any more after", stdout)
			})
		}
	}
}

// So does a release of a DaemonSet: its pods wait for their own nodes.
func TestHeldDaemonReleases(t *testing.T) {
	for kind, object := range map[string]func(string) string{
		"DaemonSet":          inTwoSteps("apps/v1", "DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 1}}"),
		"advanced DaemonSet": inTwoSteps("apps.kruise.io/v1alpha1", "DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 1}}"),
	} {
		before := object(`{containers: [{name: c, image: "x:1", resources: {requests: {cpu: 100m}, limits: {cpu: 100m}}}]}`)
		nodes := aNode("a", "", "True") + aNode("b", "", "True")
		after := func(more string) string { return object(`{containers: [{name: c, image: "x:2", ` + more + `}]}`) }
		large := after(`resources: {requests: {cpu: "1500m"}, limits: {cpu: "1500m"}}`)
		port := after(`ports: [{containerPort: 80, hostPort: 80}], resources: {requests: {cpu: 100m}, limits: {cpu: 100m}}`)
		for why, c := range map[string]struct{ after, ends, otherAfter, never, says string }{
			"host ports":   {port, nodes + beside(), port, nodes + beside("a", "b"), "didn't have free ports for the requested pod ports"},
			"requests":     {large, nodes + beside(), large, nodes + beside("a", "b"), "Insufficient cpu"},
			"quotas":       {large, nodes + fmt.Sprintf(cpuQuota, "4"), large, nodes + fmt.Sprintf(cpuQuota, "2"), "pods of web are refused: exceeded quota: few"},
			"limit ranges": {port, nodes + oneCPU, large, nodes + oneCPU, "pods of web are refused: maximum cpu usage per Container is 1, but limit is 1500m"},
		} {
			t.Run(why+" of a "+kind, func(t *testing.T) {
				code, stdout, stderr := rolledFrom(t, before+c.ends, c.after+c.ends, presentTime...)
				require.Zero(t, code, "%s%s", stdout, stderr)
				require.Contains(t, stdout, "\nComplete after ")
				code, stdout, stderr = rolledFrom(t, before+c.never, c.otherAfter+c.never, presentTime...)
				require.Equal(t, exitFailure, code, "%s%s", stdout, stderr)
				require.Contains(t, inWords(stdout), c.says, stdout)
				require.Contains(t, inWords(stdout), "nothing changes any more after", stdout)
			})
		}
	}
}
