// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

const daemons = data + "daemonset/"

// A daemonCase is a DaemonSet on some nodes as kubectl prints it, and what follows.
type daemonCase struct {
	file string
	rule string // why the expectations are so

	surge, unavailable int
	advanced           map[string]any // fields of the rolling update that only OpenKruise has
	version            string         // of apps.kruise.io
	nodes              []daemonNode

	state   string
	actions string // the numbers of nodes that get or lose a pod, with the reason
	holds   string
}

// A daemonNode is a node with its pods: n is a new one, o an old one, u and v those that
// are not ready.
type daemonNode struct {
	pods  string
	taint string
}

// The expectations follow from the rules by hand.
var daemonCases = []daemonCase{
	{
		file: "node-added", rule: "two nodes have none, and one of them has a taint",
		unavailable: 1, nodes: []daemonNode{{pods: "n"}, {pods: "n"}, {}, {taint: "gpu"}},
		state: "progressing", actions: "create 3 Missing",
	},
	{
		file: "blocked", rule: "the new pod that is not ready uses up the budget of 1",
		unavailable: 1, nodes: []daemonNode{{pods: "n"}, {pods: "u"}, {pods: "o"}, {pods: "o"}, {pods: "o", taint: "gpu"}},
		state: "waiting", holds: "MaxUnavailable 1 1, 2 NotReady 0 0",
	},
	{
		file: "dead-old", rule: "an old pod that serves nobody goes whatever the budget",
		unavailable: 1, nodes: []daemonNode{{pods: "o"}, {pods: "v"}, {pods: "o"}},
		state: "progressing", actions: "delete 2 OldUnavailable", holds: "MaxUnavailable 1 1, 2 NotReady 0 0",
	},
	{
		file: "surge", rule: "one node surges already, and the surge of 2 has room for another, which uses it up",
		surge: 2, nodes: []daemonNode{{pods: "ou"}, {pods: "o"}, {pods: "o"}, {pods: "o"}},
		state: "progressing", actions: "create 2 Rollout", holds: "MaxSurge 2 2, 1 NotReady 0 0",
	},
	{
		file: "replaced", rule: "an old pod beside an available new one goes, and the update waits for the next pass",
		surge: 1, nodes: []daemonNode{{pods: "on"}, {pods: "o"}},
		state: "progressing", actions: "delete 1 Replaced", holds: "ManageFirst 2 0",
	},
	{
		file: "partition", rule: "of five nodes two stay as they are",
		unavailable: 3, advanced: map[string]any{"partition": 2}, version: "v1beta1",
		nodes: []daemonNode{{pods: "n"}, {pods: "n"}, {pods: "n"}, {pods: "o"}, {pods: "o"}},
		state: "waiting", holds: "Partition 2 2",
	},
	{
		file: "paused", rule: "paused stops the update",
		unavailable: 1, advanced: map[string]any{"paused": true, "rollingUpdateType": "Surging"}, version: "v1alpha1",
		nodes: []daemonNode{{pods: "n"}, {pods: "o"}},
		state: "waiting", holds: "Paused 1 0",
	},
	{
		file: "done", rule: "every node has a new and available pod",
		unavailable: 1, nodes: []daemonNode{{pods: "n"}, {pods: "n"}}, state: "complete",
	},
}

func nodeName(i int) string { return fmt.Sprintf("worker-%d", i+1) }

// object returns the DaemonSet with version v of the template.
func (c *daemonCase) object(v int) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "agent", Namespace: "kube-system", UID: uid("agent"), Generation: int64(v), CreationTimestamp: ago(90 * hour),
			Annotations: map[string]string{"deprecated.daemonset.template.generation": fmt.Sprint(v)},
		},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "agent"}}, Template: template("agent", v),
			RevisionHistoryLimit: new(int32(10)),
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: "RollingUpdate", RollingUpdate: &appsv1.RollingUpdateDaemonSet{
				MaxSurge: new(intstr.FromInt(c.surge)), MaxUnavailable: new(intstr.FromInt(c.unavailable)),
			}},
		},
	}
	return ds
}

// A daemonVersion is a version of the template: its number and its revision.
type daemonVersion struct {
	number   int
	revision *appsv1.ControllerRevision
}

func (c *daemonCase) versionOf(t *testing.T, number int) daemonVersion {
	ds := c.object(number)
	d, err := kube.DaemonSet(ds)
	require.NoError(t, err)
	r := kube.NewDaemonSetRevision(ds, daemonset.CreateRevision{
		Name: revision.DaemonSetRevisionName(ds.Name, d.Template.Hash, revision.Options{}), Hash: d.Template.Hash, Revision: int64(number),
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: d.Template.Hash}, Data: d.Template.Data,
	})
	r.TypeMeta, r.UID = metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ControllerRevision"}, uid(r.Name)
	r.CreationTimestamp = ago(time.Duration(3-number) * hour)
	return daemonVersion{number, r}
}

// yaml returns what kubectl get daemonset,node,pod,controllerrevision -o yaml prints.
func (c *daemonCase) yaml(t *testing.T) []byte {
	before, now := c.versionOf(t, 1), c.versionOf(t, 2)
	ds := c.object(2)
	var pods, items []any
	for i, n := range c.nodes {
		node := &corev1.Node{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: nodeName(i)},
		}
		if n.taint != "" {
			node.Spec.Taints = []corev1.Taint{{Key: n.taint, Value: "true", Effect: corev1.TaintEffectNoSchedule}}
		}
		items = append(items, node)
		for _, kind := range n.pods {
			pods = append(pods, c.pod(kind, i, before, now))
		}
		c.tally(&ds.Status, n)
	}
	ds.Status.NumberUnavailable = ds.Status.DesiredNumberScheduled - ds.Status.NumberAvailable
	ds.Status.ObservedGeneration = 2
	items = append(append([]any{c.asAdvanced(t, ds), before.revision, now.revision}, items...), pods...)
	text, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items, "metadata": map[string]any{}})
	require.NoError(t, err)
	return text
}

func (c *daemonCase) tally(s *appsv1.DaemonSetStatus, n daemonNode) {
	if n.taint != "" {
		if n.pods != "" {
			s.NumberMisscheduled++
		}
		return
	}
	s.DesiredNumberScheduled++
	if n.pods == "" {
		return
	}
	s.CurrentNumberScheduled++
	if n.pods[0] == 'n' || n.pods[0] == 'o' {
		s.NumberReady, s.NumberAvailable = s.NumberReady+1, s.NumberAvailable+1
	}
	if n.pods[0] == 'n' || n.pods[0] == 'u' {
		s.UpdatedNumberScheduled++
	}
}

func (c *daemonCase) pod(kind rune, node int, before, now daemonVersion) *corev1.Pod {
	v := now
	if kind == 'o' || kind == 'v' {
		v = before
	}
	ds := c.object(v.number)
	p := kube.NewDaemonPod(ds, daemonset.CreatePod{
		Node: nodeName(node), Hash: v.revision.Labels[daemonset.LabelHash], Generation: fmt.Sprint(v.number),
	})
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	id := uid(fmt.Sprint(node, string(kind)))
	p.Name, p.UID = "agent-"+revision.SafeEncode(string(id[:5])), id
	age := time.Duration(3-v.number) * hour
	p.CreationTimestamp, p.Spec.NodeName = ago(age), nodeName(node)
	p.Status.StartTime = new(ago(age))
	if kind == 'n' || kind == 'o' {
		runs(p, ago(age-10*time.Second))
	} else {
		waiting(p, "ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q", p.Spec.Containers[0].Image))
	}
	return p
}

// asAdvanced returns the object, as one of OpenKruise if the case asks for it.
func (c *daemonCase) asAdvanced(t *testing.T, ds *appsv1.DaemonSet) any {
	if c.version == "" {
		return ds
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(ds)
	require.NoError(t, err)
	object["apiVersion"] = "apps.kruise.io/" + c.version
	rolling := object["spec"].(map[string]any)["updateStrategy"].(map[string]any)["rollingUpdate"].(map[string]any)
	for key, value := range c.advanced {
		rolling[key] = value
	}
	return object
}

// daemonPlan is what a reader of the JSON output takes from it.
type daemonPlan struct {
	Kind    string
	Actions daemonset.Actions
	Holds   []kplan.Hold
	Nodes   []daemonset.NodeReport
	State   string
}

// TestDaemonSets plans and explains what kubectl prints.
func TestDaemonSets(t *testing.T) {
	for _, c := range daemonCases {
		t.Run(c.file, func(t *testing.T) {
			require.NotEmpty(t, c.rule)
			file := daemons + c.file + ".yaml"
			golden(t, file, c.yaml(t))
			for _, command := range []string{"plan", "explain"} {
				golden(t, data+"golden/"+command+"/daemonset-"+c.file+".txt", []byte(succeed(t, nil, at(command, "-f", file)...)))
			}
			var plan, explained daemonPlan
			require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, at("plan", "-f", file, "-o", "json")...)), &plan))
			require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, at("explain", "-f", file, "-o", "json")...)), &explained))
			require.Equal(t, c.actions, daemonActions(plan.Actions), c.rule)
			var holds []string
			for _, h := range plan.Holds {
				holds = append(holds, strings.TrimSpace(fmt.Sprintf("%s %s %d %d", strings.TrimPrefix(h.Node, "worker-"), h.Reason, h.Have, h.Limit)))
			}
			require.Equal(t, c.holds, strings.Join(holds, ", "), c.rule)
			require.Len(t, plan.Nodes, len(c.nodes))
			require.Equal(t, c.state, explained.State)
			require.Equal(t, "DaemonSet", plan.Kind)
			require.Equal(t, plan.Nodes, explained.Nodes)
		})
	}
	files, err := filepath.Glob(daemons + "*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(daemonCases)+len(daemonManifests), "every file is a case")
	golden(t, data+"golden/plan/daemonset-blocked.json", []byte(succeed(t, nil, at("plan", "-f", daemons+"blocked.yaml", "-o", "json")...)))
	golden(t, data+"golden/explain/daemonset-blocked.json", []byte(succeed(t, nil, at("explain", "-f", daemons+"blocked.yaml", "-o", "json")...)))
}

func daemonActions(actions daemonset.Actions) string {
	var texts []string
	for _, a := range actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			texts = append(texts, fmt.Sprintf("create %s %s", strings.TrimPrefix(a.Node, "worker-"), a.Reason))
		case daemonset.DeletePod:
			texts = append(texts, fmt.Sprintf("delete %s %s", strings.TrimPrefix(a.Node, "worker-"), a.Reason))
		default:
			texts = append(texts, a.String())
		}
	}
	return strings.Join(texts, ", ")
}

// daemonManifests are files that people write.
var daemonManifests = []string{"agent-v1.yaml", "agent-v2.yaml"}

// TestDaemonNodes: --nodes makes nodes, and long lists are folded.
func TestDaemonNodes(t *testing.T) {
	file := daemons + daemonManifests[0]
	text := succeed(t, nil, at("plan", "-f", file, "--nodes", "120")...)
	golden(t, data+"golden/plan/daemonset-120-nodes.txt", []byte(text))
	require.Contains(t, succeed(t, nil, at("plan", "-f", file, "--nodes", "120", "-o", "wide")...), "create pods on nodes node-001, node-002, node-003 and 117 more")

	// Nodes that pods run on come first, so that pods are where they were.
	text = succeed(t, nil, at("plan", "-f", daemons+"blocked.yaml", "--nodes", "8")...)
	require.Contains(t, text, "create pods on nodes node-1, node-2 and node-3")

	for _, command := range []string{"plan", "explain", "simulate"} {
		text := inWords(succeed(t, nil, command, "-f", file))
		require.Contains(t, text, "DaemonSet agent", command)
		require.Contains(t, text, "Assumed: there are 3 nodes that fit, since the input has none; --nodes makes others", command)
		require.Contains(t, succeed(t, nil, command, "-f", file, "-o", "json"), "there are 3 nodes that fit", command)
	}
	require.NotContains(t, succeed(t, nil, "simulate", "-f", file, "--nodes", "4"), "the input has none")
}

// TestAssumedNodes: of the nodes of a cluster that are not in the input those are known that pods are on, or
// else their number.
func TestAssumedNodes(t *testing.T) {
	c := agentCluster{rolling: "maxUnavailable: 1", old: "agent:1", new: "agent:2", spec: "nodeSelector: {disk: ssd},", pods: []agentPod{
		{node: 3, hash: "aaa", image: "agent:1"}, {node: 7, hash: "aaa", image: "agent:1"},
	}}
	all := string(c.yaml())
	input := []byte(all[:strings.Index(all, "---\n{apiVersion: v1, kind: Node")])
	for _, command := range []string{"plan", "explain"} {
		text := inWords(succeed(t, input, command, "-f", "-", "--now", agentNow))
		require.Contains(t, text, "Assumed: the nodes are the 2 that its pods are on, since the input has none", command)
		require.Contains(t, text, "delete the pod of node n3 Rollout", "they have the labels that its nodeSelector wants")
	}
	require.Contains(t, succeed(t, input, "simulate", "-f", "-", "--now", agentNow), "Complete after 20s")

	// What runs before is of five nodes, by its status.
	before := strings.Replace(all[:strings.Index(all, "---\n")], "observedGeneration: 2", "observedGeneration: 2, desiredNumberScheduled: 5, currentNumberScheduled: 5, updatedNumberScheduled: 5, numberReady: 5, numberAvailable: 5", 1)
	file := filepath.Join(t.TempDir(), "before.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(before, "agent:2", "agent:1")), 0o600))
	after := strings.NewReplacer("uid: agent-uid, ", "", "status: {observedGeneration: 2}", "", "generation: 2, ", "").Replace(all[:strings.Index(all, "---\n")])
	text := inWords(succeed(t, []byte(after), "simulate", "--from", file, "-f", "-"))
	require.Contains(t, text, "there are 5 nodes that fit, as its status tells, since the input has none")
	require.Contains(t, text, "5 nodes of 5 should run a pod")

	none := strings.Replace(after, "nodeSelector: {disk: ssd}", "nodeSelector: {disk: ssd, zone: a}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}, {key: arch, operator: In, values: [arm]}]}]}}}", 1)
	require.Contains(t, inWords(succeed(t, []byte(none), "plan", "-f", "-")), "3 nodes of 3 should run a pod")
	require.Contains(t, inWords(succeed(t, []byte(none), "simulate", "-f", "-", "--nodes", "3")), "3 of 3 nodes take no pod of it: nodeSelector disk")
}

// TestBadDaemonSets: one line says which file, which object, which field, and what is
// wrong.
func TestBadDaemonSets(t *testing.T) {
	const plain = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:1"}]}
`
	spec := func(line string) string { return strings.Replace(plain, "spec:\n", "spec:\n  "+line+"\n", 1) }
	advanced := func(text string) string { return strings.Replace(text, "apps/v1", "apps.kruise.io/v1beta1", 1) }
	tests := map[string]struct{ text, want string }{
		"limit":          {spec("updateStrategy: {rollingUpdate: {maxSurge: 1.5}}"), `spec.updateStrategy.rollingUpdate.maxSurge: 1.5: must be a whole number of 32 bits or a percentage such as 25%`},
		"text":           {spec("updateStrategy: {rollingUpdate: {maxUnavailable: some}}"), `spec.updateStrategy.rollingUpdate.maxUnavailable: "some": must be a whole number or a percentage such as 25%`},
		"strategy":       {spec("updateStrategy: {type: Recreate}"), `spec.updateStrategy.type: "Recreate": must be RollingUpdate or OnDelete`},
		"selector":       {strings.Replace(plain, "matchLabels: {app: agent}", "", 1), `spec.selector: "": must be set and not empty`},
		"other selector": {strings.Replace(plain, "matchLabels: {app: agent}", "matchLabels: {app: web}", 1), `spec.template.metadata.labels: "app=agent": must match the selector app=web`},
		"partition":      {advanced(spec("updateStrategy: {rollingUpdate: {partition: [1]}}")), `spec.updateStrategy.rollingUpdate.partition: []interface {}: must be a whole number of 32 bits or a percentage such as 25%`},
		"type":           {advanced(spec("updateStrategy: {rollingUpdate: {rollingUpdateType: Fast}}")), `spec.updateStrategy.rollingUpdate.rollingUpdateType: "Fast": must be Standard, Surging or InPlaceIfPossible`},
		"paused":         {advanced(spec("updateStrategy: {rollingUpdate: {paused: maybe}}")), `spec.updateStrategy.rollingUpdate.paused: "maybe": must be true or false`},
		"twice":          {plain + "---\n" + plain, `there is one of this name already, in standard input`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run([]byte(tt.text), "plan", "-f", "-", "--nodes", "3")
			require.Equal(t, exitFailure, code)
			require.Empty(t, stdout)
			require.Equal(t, `error: standard input: DaemonSet "agent": `+tt.want+"\n", stderr)
		})
	}
	both := plain + "---\n" + advanced(plain)
	require.Equal(t, 2, strings.Count(succeed(t, []byte(both), "plan", "-f", "-", "--nodes", "3"), "DaemonSet agent: 3 nodes"), "the APIs do not share names")
	_, _, stderr := run([]byte(advanced(spec("burst: 3"))), "plan", "-f", "-", "--nodes", "3")
	require.Contains(t, stderr, `unknown field "spec.burst"`)
}
