// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// An agentCluster is the DaemonSet agent on nodes n1, n2 and so on, as kubectl prints it. Old is the image
// of revision 1 with hash aaa, and new that of revision 2 with hash bbb, which is the present one.
type agentCluster struct {
	api      string // apps/v1 if it is empty
	rolling  string // limits of the update
	old, new string // images
	spec     string // of pods, beside the container, and
	ports    string // of the container: a field with a comma
	pods     []agentPod
	extra    string // further objects
}

// An agentPod is a pod of one of the nodes.
type agentPod struct {
	node        int
	hash, image string
	pending     bool // it finds no free port on its node
	generation  string
}

func (c *agentCluster) template(image string) string {
	// With all that the API server adds, since revisions hold it.
	return fmt.Sprintf(`{metadata: {labels: {app: agent}}, spec: {%s containers: [{name: app, image: "%s", imagePullPolicy: IfNotPresent, %s resources: {}, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}], dnsPolicy: ClusterFirst, restartPolicy: Always, schedulerName: default-scheduler, securityContext: {}, terminationGracePeriodSeconds: 30}}`,
		c.spec, image, c.ports)
}

// yaml returns all objects.
func (c *agentCluster) yaml() []byte {
	const head = `metadata: {name: %s, namespace: default, uid: %s-uid, labels: {app: agent, controller-revision-hash: "%s"%s}, creationTimestamp: "2026-04-01T00:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: agent-uid, controller: true}]}`
	api := c.api
	if api == "" {
		api = "apps/v1"
	}
	text := fmt.Sprintf(`apiVersion: %s
kind: DaemonSet
metadata: {name: agent, namespace: default, uid: agent-uid, generation: 2, creationTimestamp: "2026-04-01T00:00:00Z", annotations: {deprecated.daemonset.template.generation: "2"}}
spec: {selector: {matchLabels: {app: agent}}, updateStrategy: {rollingUpdate: {%s}}, template: %s}
status: {observedGeneration: 2}
`, api, c.rolling, c.template(c.new))
	nodes := map[int]bool{}
	for i, image := range []string{c.old, c.new} {
		hash := []string{"aaa", "bbb"}[i]
		text += fmt.Sprintf("---\napiVersion: apps/v1\nkind: ControllerRevision\n"+head+"\nrevision: %d\ndata: {spec: {template: %s}}\n",
			"agent-"+hash, "agent-"+hash, hash, "", i+1, strings.Replace(c.template(image), "{", `{$patch: replace, `, 1))
	}
	for i, p := range c.pods {
		name, generation := fmt.Sprintf("p%d", i+1), ""
		if p.generation != "" {
			generation = fmt.Sprintf(`, pod-template-generation: "%s"`, p.generation)
		}
		where := fmt.Sprintf(`nodeName: n%d, `, p.node)
		status := `{phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-04-02T00:00:00Z"}]}`
		if p.pending {
			where = fmt.Sprintf(`affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n%d]}]}]}}}, `, p.node)
			status = `{phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/3 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."}]}`
		}
		text += fmt.Sprintf("---\napiVersion: v1\nkind: Pod\n"+head+"\nspec: {%s%s containers: [{name: app, image: \"%s\", %s}]}\nstatus: %s\n",
			name, name, p.hash, generation, where, c.spec, p.image, c.ports, status)
		nodes[p.node] = true
	}
	for node := range nodes {
		text += fmt.Sprintf("---\n{apiVersion: v1, kind: Node, metadata: {name: n%d}}\n", node)
	}
	return []byte(text + c.extra)
}

const agentNow = "2026-05-01T12:00:00Z"

// explanationIn returns the text of explain in one line, and the object of -o json.
func explanationIn(t *testing.T, input []byte, flags ...string) (text string, e struct {
	State, Why string
	Caveats    []view.Caveat
	Holds      []struct {
		Node, Reason, Ends string
		Have, Limit        int64
		Stuck              bool
	}
}) {
	t.Helper()
	args := append([]string{"explain", "-f", "-", "--now", agentNow}, flags...)
	text = inWords(succeed(t, input, args...))
	require.NoError(t, json.Unmarshal([]byte(succeed(t, input, append(args, "-o", "json")...)), &e))
	return text, e
}

// TestBudgetOfThePlan: of three nodes one may be without a pod, and the plan takes the pod of the first: the
// other two wait since one is without, and not none.
func TestBudgetOfThePlan(t *testing.T) {
	old := agentCluster{rolling: "maxUnavailable: 1", old: "agent:1", new: "agent:2", pods: []agentPod{{node: 1, hash: "aaa", image: "agent:1"}, {node: 2, hash: "aaa", image: "agent:1"}, {node: 3, hash: "aaa", image: "agent:1"}}}
	text, e := explanationIn(t, old.yaml())
	require.EqualValues(t, []int64{1, 1}, []int64{e.Holds[0].Have, e.Holds[0].Limit})
	require.Contains(t, text, "unavailable nodes, with this plan: 1; there may be 1 (MaxUnavailable) No further available old pod may go")
	require.NotContains(t, text, "too many nodes")
	old.rolling = "maxUnavailable: 0, maxSurge: 2"
	text, _ = explanationIn(t, old.yaml())
	require.Contains(t, text, "nodes with a second pod, with this plan: 2; there may be 2 (MaxSurge)")
}

// TestPortsOfNodes: with surge the second pod of a node wants the host port of the first, and waits for ever.
func TestPortsOfNodes(t *testing.T) {
	pods := []agentPod{
		{node: 1, hash: "aaa", image: "agent:1"}, {node: 2, hash: "aaa", image: "agent:1"}, {node: 3, hash: "aaa", image: "agent:1"},
		{node: 1, hash: "bbb", image: "agent:2", pending: true}, {node: 2, hash: "bbb", image: "agent:2", pending: true},
	}
	surge := agentCluster{rolling: "maxUnavailable: 0, maxSurge: 2", old: "agent:1", new: "agent:2", ports: "ports: [{containerPort: 8080, hostPort: 80, protocol: TCP}],", pods: pods}
	text, e := explanationIn(t, surge.yaml())
	require.Equal(t, "stuck", e.State)
	require.True(t, strings.HasPrefix(e.Why, "New pods cannot start beside old ones that have host port 80/TCP: on 2 nodes: n1 and n2."), e.Why)
	require.NotContains(t, text, "It becomes ready")
	require.NotContains(t, text, "a larger maxSurge")
	for _, h := range e.Holds {
		require.Contains(t, h.Ends, "With maxSurge 0 the old pod of a node goes first", h.Reason)
		require.True(t, h.Stuck)
	}

	network := surge
	network.ports, network.spec = "ports: [{containerPort: 8080, hostPort: 8080, protocol: TCP}],", "hostNetwork: true,"
	_, e = explanationIn(t, network.yaml())
	require.Contains(t, e.Why, "host port 8080/TCP", "the API server makes each port of hostNetwork one of the node")

	ahead := surge
	ahead.pods = pods[:3]
	_, e = explanationIn(t, ahead.yaml())
	require.Equal(t, "progressing", e.State, "the pods are yet to be created")
	require.Contains(t, e.Why, "New pods cannot start beside old ones that have host port 80/TCP: on 2 nodes: n1 and n2.")

	for why, other := range map[string]func(c *agentCluster){
		"a port of the container alone": func(c *agentCluster) { c.ports = "ports: [{containerPort: 8080, protocol: TCP}]," },
		"old pods go first":             func(c *agentCluster) { c.rolling = "maxUnavailable: 1" },
	} {
		c := ahead
		other(&c)
		_, e := explanationIn(t, c.yaml())
		require.Empty(t, e.Caveats, why)
	}
}

// TestPortsTaken: a Deployment has a pod on each node, whose host port the surge pod wants.
func TestPortsTaken(t *testing.T) {
	c := halfRolledOut("web:1", "web:2", "{containerPort: 80, hostPort: 80}", "")
	text, e := explanationIn(t, []byte(c))
	require.Equal(t, "stuck", e.State)
	require.True(t, strings.HasPrefix(e.Why, "1 new pod finds no node where host port 80/TCP is free, which old pods have."), e.Why)
	require.Contains(t, text, "With maxSurge 0 and maxUnavailable 1 an old pod goes first")
	_, e = explanationIn(t, []byte(strings.Replace(c, "didn't have free ports", "had no room", 1)))
	require.Empty(t, e.Caveats, "the scheduler gives another reason")
}

// halfRolledOut is a Deployment of three pods of an old image and one of the new one that finds no node. Extra
// are further pods.
func halfRolledOut(old, image, ports, extra string) string {
	template := func(image, hash string) string {
		return fmt.Sprintf(`{metadata: {labels: {app: web%s}}, spec: {containers: [{name: app, image: "%s", ports: [%s]}]}}`, hash, image, ports)
	}
	text := fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, uid: web-uid, generation: 2, annotations: {deployment.kubernetes.io/revision: "2"}, creationTimestamp: "2026-04-01T00:00:00Z"}
spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: %s}
status: {observedGeneration: 2, replicas: 4, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3}
`, template(image, ""))
	for i, image := range []string{old, image} {
		hash, size := fmt.Sprint("h", i+1), []int{3, 1}[i]
		text += fmt.Sprintf(`---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-%[1]s, namespace: default, uid: %[1]s-uid, generation: 1, labels: {app: web, pod-template-hash: %[1]s}, annotations: {deployment.kubernetes.io/revision: "%[2]d", deployment.kubernetes.io/desired-replicas: "3", deployment.kubernetes.io/max-replicas: "4"}, creationTimestamp: "2026-04-0%[2]dT00:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: web-uid, controller: true}]}
spec: {replicas: %[3]d, selector: {matchLabels: {app: web, pod-template-hash: %[1]s}}, template: %[4]s}
status: {observedGeneration: 1, replicas: %[3]d, fullyLabeledReplicas: %[3]d, readyReplicas: %[5]d, availableReplicas: %[5]d}
`, hash, i+1, size, template(image, ", pod-template-hash: "+hash), 3*(1-i))
	}
	for i := range 3 {
		text += webPod(fmt.Sprint("old-", i), "h1", old, ports, fmt.Sprint("n", i))
	}
	return text + webPod("new-1", "h2", image, ports, "") + extra
}

func webPod(name, hash, image, ports, node string) string {
	status := `{phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-04-03T00:00:00Z"}]}`
	if node == "" {
		status = `{phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports."}]}`
	}
	return fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, namespace: default, uid: %[1]s-uid, labels: {app: web, pod-template-hash: %[2]s}, creationTimestamp: "2026-04-03T00:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-%[2]s, uid: %[2]s-uid, controller: true}]}
spec: {nodeName: "%[5]s", containers: [{name: app, image: "%[3]s", ports: [%[4]s]}]}
status: %[6]s
`, name, hash, image, ports, node, status)
}

// TestOtherImages: pods that count as new run the image of an old revision.
func TestOtherImages(t *testing.T) {
	pods := []agentPod{{node: 1, hash: "aaa", image: "agent:1"}, {node: 2, hash: "aaa", image: "agent:1"}}
	copied := agentCluster{rolling: "maxUnavailable: 1", old: "agent:1", new: "agent:2", pods: pods}
	// Revision 2 a second time, as backup tools restore it.
	copied.extra = strings.Replace(`---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: agent-ccc, namespace: default, uid: ccc-uid, labels: {app: agent, controller-revision-hash: ccc}, creationTimestamp: "2026-04-05T00:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: agent-uid, controller: true}]}
revision: 3
data: {spec: {template: TEMPLATE}}
`, "TEMPLATE", strings.Replace(copied.template("agent:2"), "{", `{$patch: replace, `, 1), 1)
	text, e := explanationIn(t, copied.yaml())
	require.Contains(t, e.Why, "2 pods that count as new run another image than the template has: agent:1, as revision 1 has it.")
	require.Contains(t, text, "quirk OlderPodsRelabelled); see --corrected.")
	forecast := succeed(t, []byte(copied.yaml()), "simulate", "-f", "-")
	require.Contains(t, inWords(forecast), "Complete after 0s. 2 pods that count as new run another image than the template has: agent:1, as revision 1 has it. What ends it: Nothing: all pods take the label of the revision that stays, and then are never replaced (quirk OlderPodsRelabelled)")
	require.Contains(t, inWords(forecast), "all pods count as new, and are available")
	forecast = succeed(t, []byte(copied.yaml()), "simulate", "-f", "-", "--corrected")
	require.NotContains(t, forecast, "another image")
	text, e = explanationIn(t, copied.yaml(), "--corrected")
	require.Empty(t, e.Caveats)
	require.Contains(t, text, "delete the pod of node n1", "it is old")

	relabelled := copied
	relabelled.extra, relabelled.pods = "", []agentPod{{node: 1, hash: "bbb", image: "agent:1"}, {node: 2, hash: "bbb", image: "agent:2"}}
	text, e = explanationIn(t, relabelled.yaml())
	require.Contains(t, e.Why, "1 pod that counts as new runs another image than the template has: agent:1, as revision 1 has it.")
	require.Contains(t, text, "delete them, and new ones are created")

	generation := relabelled
	generation.pods = []agentPod{{node: 1, hash: "aaa", image: "agent:1", generation: "2"}}
	text, _ = explanationIn(t, generation.yaml())
	require.Contains(t, text, "quirk GenerationHidesHash); see --corrected")

	webhook := relabelled
	webhook.pods = []agentPod{{node: 1, hash: "bbb", image: "mirror/agent:2"}}
	_, e = explanationIn(t, webhook.yaml())
	require.Empty(t, e.Caveats, "that no revision has, a webhook has made it so")
}

// TestOtherImagesOfSets: a ReplicaSet counts pods by their labels, whatever they run.
func TestOtherImagesOfSets(t *testing.T) {
	text, e := explanationIn(t, []byte(halfRolledOut("web:1", "web:2", "", webPod("new-2", "h2", "web:1", "", "n1"))))
	require.Contains(t, e.Why, "1 pod that counts as new runs another image than the template has: web:1, as replica set web-h1 has it.")
	require.Contains(t, text, "a ReplicaSet goes by labels: delete them")
	_, forecast, _ := run([]byte(halfRolledOut("web:1", "web:2", "", webPod("new-2", "h2", "web:1", "", "n1"))), "simulate", "-f", "-")
	require.Contains(t, inWords(forecast), "1 pod that counts as new runs another image than the template has: web:1, as replica set web-h1 has it.")
	_, e = explanationIn(t, []byte(halfRolledOut("web:1", "web:2", "", "")))
	require.Empty(t, e.Caveats)

	alone := `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-h1, namespace: default, uid: h1-uid, generation: 2, labels: {app: web}}
spec: {replicas: 1, selector: {matchLabels: {app: web, pod-template-hash: h1}}, template: {metadata: {labels: {app: web, pod-template-hash: h1}}, spec: {containers: [{name: app, image: "web:2"}]}}}
status: {observedGeneration: 2, replicas: 1, readyReplicas: 1, availableReplicas: 1}
` + webPod("a", "h1", "web:1", "", "n1")
	_, e = explanationIn(t, []byte(alone))
	require.Equal(t, "complete", e.State)
	require.Contains(t, e.Why, "1 pod that counts as new runs another image than the template has: web:1.")
}

// TestOriginals: whose controllers do otherwise than with --corrected.
func TestOriginals(t *testing.T) {
	pods := []agentPod{{node: 1, hash: "aaa", image: "agent:1"}}
	for api, whose := range map[string]string{"apps/v1": "Kubernetes", "apps.kruise.io/v1beta1": "OpenKruise", "apps.kruise.io/v1alpha1": "OpenKruise"} {
		c := agentCluster{api: api, rolling: "maxUnavailable: 1", old: "agent:1", new: "agent:2", pods: pods}
		for _, command := range []string{"plan", "explain", "simulate"} {
			require.Contains(t, succeed(t, c.yaml(), command, "-f", "-", "--now", agentNow, "--corrected"), "With --corrected, unlike "+whose+".\n", command)
		}
		require.Contains(t, succeed(t, c.yaml(), "simulate", "-f", "-", "--now", agentNow, "--corrected", "--html", "-"), "unlike "+whose, "on a page as well")
	}
	text := succeed(t, nil, "simulate", "--from", otherKinds+"cloneset-v1.yaml", "-f", otherKinds+"cloneset-v2.yaml", "-f", otherKinds+"cloneset-rollout.yaml", "--corrected")
	require.Contains(t, text, "With --corrected, unlike OpenKruise.\n")
}

// TestTemplateGeneration: the pods of a live DaemonSet have the template generation of its annotation, which the
// API server raises with the template. They are old, and an update replaces them.
func TestTemplateGeneration(t *testing.T) {
	c := agentCluster{rolling: "maxUnavailable: 1", old: "agent:1", new: "agent:2", pods: []agentPod{
		{node: 1, hash: "bbb", image: "agent:2", generation: "2"}, {node: 2, hash: "bbb", image: "agent:2", generation: "2"},
	}}
	file := filepath.Join(t.TempDir(), "live.yaml")
	require.NoError(t, os.WriteFile(file, c.yaml(), 0o600))
	next := "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent, namespace: default}\nspec: {selector: {matchLabels: {app: agent}}, template: " + c.template("agent:3") + "}\n"
	require.Contains(t, succeed(t, []byte(next), "simulate", "--from", file, "-f", "-", "--now", agentNow), "Complete after 20s.")
}

// TestBarriers: which nodes take no pods of a Deployment, and why.
func TestBarriers(t *testing.T) {
	const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {nodeSelector: {disk: ssd}, containers: [{name: app, image: "web:1"}]}}}
`
	_, stdout, _ := run([]byte(web), "simulate", "-f", "-", "--nodes", "3")
	require.Contains(t, inWords(stdout), "3 of 3 nodes take no new pod: nodeSelector disk")
	_, stdout, _ = run([]byte(web+`---
{apiVersion: v1, kind: Node, metadata: {name: a, labels: {disk: ssd}}, spec: {unschedulable: true}}
---
{apiVersion: v1, kind: Node, metadata: {name: b, labels: {disk: ssd}}, spec: {taints: [{key: gpu, value: "true", effect: NoSchedule}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: c}}
---
{apiVersion: v1, kind: Node, metadata: {name: d, labels: {disk: hdd}}}
---
{apiVersion: v1, kind: Node, metadata: {name: e, labels: {disk: ssd}}}
`), "simulate", "-f", "-")
	require.Contains(t, inWords(stdout), "4 of 5 nodes take no new pod: cordoned (1), taint gpu=true:NoSchedule (1) and nodeSelector disk (2)")
}
