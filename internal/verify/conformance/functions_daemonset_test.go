// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

var daemonSetFunctions = []function{
	{"NodeShouldRunDaemonPod", comparePlacement},
	{"AddOrUpdateDaemonPodTolerations, NewPod", compareDefaultTolerations},
	{"ReplaceDaemonSetPodNodeNameNodeAffinity", comparePin},
	{"GetTargetNodeName", compareTarget},
	{"CreatePodTemplate, GetPodFromTemplate", compareDaemonPod},
	{"getPatch, Match", comparePatch},
	{"StrategicMergePatch of a revision", compareRestored},
}

type placement struct{ Run, Keep bool }

func comparePlacement(t random.T, c *caseCounts, _ time.Time) {
	p := gen.Placement(t)
	var theirs placement
	theirs.Run, theirs.Keep = upstream.ShouldRun(p.Node, p.DaemonSet)
	ds := must(kube.DaemonSet(p.DaemonSet))
	placer, node := daemonset.NewPlacer(&ds.Template, daemonset.Options{}), kube.Node(p.Node)
	place := placer.Place(&node)
	judge(t, c, slices.Concat(placementCorners, []corner[decision[*gen.PlacementCase]]{
		because(&place, reason.NodeName), because(&place, reason.NodeSelector), because(&place, reason.Affinity),
		because(&place, reason.TaintNoSchedule), because(&place, reason.TaintNoExecute),
	}), nil, decision[*gen.PlacementCase]{p, theirs, placement{place.ShouldRun, place.ShouldContinueRunning}})
}

func because(place *daemonset.Placement, reason kplan.Reason) corner[decision[*gen.PlacementCase]] {
	return corner[decision[*gen.PlacementCase]]{"because of " + string(reason), func(decision[*gen.PlacementCase]) bool {
		return place.Reason == reason
	}}
}

var placementCorners = []corner[decision[*gen.PlacementCase]]{
	outcomeIs[*gen.PlacementCase]("should run", placement{true, true}),
	outcomeIs[*gen.PlacementCase]("may stay", placement{false, true}),
	outcomeIs[*gen.PlacementCase]("neither", placement{}),
	{"should run in spite of labels, affinity and a taint", func(d decision[*gen.PlacementCase]) bool {
		spec := &d.in.DaemonSet.Spec.Template.Spec
		return d.upstream.(placement).Run && len(spec.NodeSelector) > 0 && spec.Affinity != nil && len(d.in.Node.Spec.Taints) > 0
	}},
	in("host network", func(p *gen.PlacementCase) bool { return p.DaemonSet.Spec.Template.Spec.HostNetwork }),
	in("affinity without node affinity", func(p *gen.PlacementCase) bool {
		a := p.DaemonSet.Spec.Template.Spec.Affinity
		return a != nil && a.NodeAffinity == nil
	}),
	in("comparison of a toleration, which is off", func(p *gen.PlacementCase) bool {
		return slices.ContainsFunc(p.DaemonSet.Spec.Template.Spec.Tolerations, func(o corev1.Toleration) bool { return o.Operator == "Gt" })
	}),
	tainted("PreferNoSchedule", func(o corev1.Taint) bool { return o.Effect == corev1.TaintEffectPreferNoSchedule }),
	tainted("unknown effect", func(o corev1.Taint) bool { return o.Effect == "Odd" }),
	tainted("not ready", func(o corev1.Taint) bool { return o.Key == corev1.TaintNodeNotReady }),
	tainted("without network", func(o corev1.Taint) bool { return o.Key == corev1.TaintNodeNetworkUnavailable }),
}

func tainted(name string, is func(corev1.Taint) bool) corner[decision[*gen.PlacementCase]] {
	return in("taint: "+name, func(p *gen.PlacementCase) bool { return slices.ContainsFunc(p.Node.Spec.Taints, is) })
}

// defaulted are the tolerations in created pods, and in the simulated pod that decides where they
// belong.
type defaulted struct{ Created, Imagined []corev1.Toleration }

func compareDefaultTolerations(t random.T, c *caseCounts, _ time.Time) {
	ds := &appsv1.DaemonSet{}
	spec := &ds.Spec.Template.Spec
	spec.Tolerations, spec.HostNetwork = gen.Tolerations(t), random.OneIn(t, "host network", 3)
	filled := spec.DeepCopy()
	daemonutil.AddOrUpdateDaemonPodTolerations(filled)
	theirs := defaulted{filled.Tolerations, daemon.NewPod(ds, "n").Spec.Tolerations}
	template := must(kube.DaemonSet(ds)).Template
	ours := defaulted{
		kube.ToTolerations(daemonset.DefaultTolerations(template.Tolerations, template.HostNetwork)),
		kube.ToTolerations(daemonset.Tolerations(&template, daemonset.Options{})),
	}
	judge(t, c, []corner[decision[*corev1.PodSpec]]{
		in("host network", func(s *corev1.PodSpec) bool { return s.HostNetwork }),
		in("no toleration", func(s *corev1.PodSpec) bool { return len(s.Tolerations) == 0 }),
		{"one replaced", func(d decision[*corev1.PodSpec]) bool {
			return !d.in.HostNetwork && len(d.upstream.(defaulted).Created) == len(d.in.Tolerations)+5
		}},
		{"seconds lost", func(d decision[*corev1.PodSpec]) bool {
			return slices.ContainsFunc(d.in.Tolerations, func(o corev1.Toleration) bool {
				return o.TolerationSeconds != nil && !slices.ContainsFunc(d.upstream.(defaulted).Created, func(p corev1.Toleration) bool {
					return p.TolerationSeconds != nil && p.MatchToleration(&o)
				})
			})
		}},
	}, nil, decision[*corev1.PodSpec]{spec, theirs, ours})
}

func comparePin(t random.T, c *caseCounts, _ time.Time) {
	ds := &appsv1.DaemonSet{}
	if !random.OneIn(t, "no affinity", 8) {
		ds.Spec.Template.Spec.Affinity = gen.Affinity(t)
	}
	theirs := daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(ds.Spec.Template.Spec.Affinity.DeepCopy(), "n1")
	ours := kube.NewDaemonPod(ds, daemonset.CreatePod{Node: "n1"}).Spec.Affinity
	has := func(name string, is func(*corev1.Affinity) bool) corner[decision[*corev1.Affinity]] {
		return in(name, func(a *corev1.Affinity) bool { return a != nil && is(a) })
	}
	judge(t, c, []corner[decision[*corev1.Affinity]]{
		in("no affinity", func(a *corev1.Affinity) bool { return a == nil }),
		has("pods only", func(a *corev1.Affinity) bool { return a.NodeAffinity == nil }),
		has("nothing required", func(a *corev1.Affinity) bool {
			return a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil
		}),
		has("something preferred", func(a *corev1.Affinity) bool {
			return a.NodeAffinity != nil && len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0
		}),
		has("several terms", func(a *corev1.Affinity) bool {
			return a.NodeAffinity != nil && len(orEmpty(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution).NodeSelectorTerms) > 1
		}),
	}, nil, decision[*corev1.Affinity]{ds.Spec.Template.Spec.Affinity, theirs, ours})
}

// target is the node of a pod, or why it has none.
type target struct{ Node, Err string }

// targetErrors are parts of upstream's error texts, by ours.
var targetErrors = map[string]string{
	"no required node affinity": "no spec.affinity.nodeAffinity", "no node selector terms": "no nodeSelectorTerms",
	"more than one node": "is not unique", "no node is named": "no node name found",
}

func compareTarget(t random.T, c *caseCounts, _ time.Time) {
	pod := &corev1.Pod{}
	if random.OneIn(t, "bound", 10) {
		pod.Spec.NodeName = "n2"
	}
	if !random.OneIn(t, "no affinity", 10) {
		pod.Spec.Affinity = gen.Affinity(t)
	}
	var theirs, ours target
	var err error
	if theirs.Node, err = daemonutil.GetTargetNodeName(pod); err != nil {
		for _, text := range targetErrors {
			if strings.Contains(err.Error(), text) {
				theirs.Err = text
			}
		}
	}
	var required *corev1.NodeSelector
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		required = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	ours.Node, err = daemonset.TargetNode(pod.Spec.NodeName, ourNodeSelector(required))
	if err != nil {
		ours.Err = targetErrors[err.Error()]
	}
	if p := kube.DaemonSetPod(pod); p.NodeName+p.PinnedNode != ours.Node {
		t.Fatalf("the pod is of %q and %q", p.NodeName+p.PinnedNode, ours.Node)
	}
	says := func(text string) corner[decision[*corev1.Pod]] {
		return outcomeIs[*corev1.Pod]("error: "+text, target{Err: targetErrors[text]})
	}
	judge(t, c, []corner[decision[*corev1.Pod]]{
		in("bound", func(p *corev1.Pod) bool { return p.Spec.NodeName != "" }),
		outcomeIs[*corev1.Pod]("pinned", target{Node: "n1"}), outcomeIs[*corev1.Pod]("pinned to no name", target{}),
		says("no required node affinity"), says("no node selector terms"), says("more than one node"), says("no node is named"),
	}, nil, decision[*corev1.Pod]{pod, theirs, ours})
}

// daemonTemplate draws a DaemonSet with a full template.
func daemonTemplate(t random.T) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: gen.Namespace, Name: "web", UID: "ds", Annotations: gen.Generation(t), Generation: int64(random.Below(t, "generation", 3)),
	}}
	if random.OneIn(t, "odd name", 10) {
		ds.Name = []string{strings.Repeat("a", 254), strings.Repeat("a", 253), "Web", "web-", ""}[random.Below(t, "name", 5)]
	}
	ds.Spec.Template = *gen.Template(t)
	ds.Spec.Template.Spec.Tolerations = gen.Tolerations(t)
	if random.OneIn(t, "affinity", 3) {
		ds.Spec.Template.Spec.Affinity = gen.Affinity(t)
	}
	if random.OneIn(t, "finalizers", 3) {
		ds.Spec.Template.Finalizers = []string{"f"}
	}
	return ds
}

// createdPod is a pod that is created.
type createdPod struct {
	DaemonSet  *appsv1.DaemonSet
	Node, Hash string
}

func compareDaemonPod(t random.T, c *caseCounts, _ time.Time) {
	p := createdPod{daemonTemplate(t), "n1", []string{"h", "h", "h", ""}[random.Below(t, "hash", 4)]}
	generation, err := daemonutil.GetTemplateGeneration(p.DaemonSet)
	if err != nil { // as the controller does
		generation = nil
	}
	template := daemonutil.CreatePodTemplate(p.DaemonSet.Spec.Template, generation, p.Hash)
	template.Spec.Affinity = daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(template.Spec.Affinity, p.Node)
	ref := metav1.NewControllerRef(p.DaemonSet, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
	theirs := must(controller.GetPodFromTemplate(&template, p.DaemonSet, ref))
	theirs.Namespace = p.DaemonSet.Namespace // upstream names it in the call
	version := daemonset.NewVersion(p.Hash, p.DaemonSet.Annotations)
	ours := kube.NewDaemonPod(p.DaemonSet, daemonset.CreatePod{Node: p.Node, Hash: version.Hash, Generation: version.Generation})
	judge(t, c, []corner[decision[createdPod]]{
		in("no hash", func(p createdPod) bool { return p.Hash == "" }),
		in("name too long for a dash", func(p createdPod) bool { return len(p.DaemonSet.Name) == 254 }),
		in("name of capitals", func(p createdPod) bool { return p.DaemonSet.Name == "Web" }),
		in("affinity", func(p createdPod) bool { return p.DaemonSet.Spec.Template.Spec.Affinity != nil }),
		in("finalizers", func(p createdPod) bool { return len(p.DaemonSet.Spec.Template.Finalizers) > 0 }),
		in("generation", func(p createdPod) bool {
			_, ok := daemonset.TemplateGeneration(p.DaemonSet.Annotations)
			return ok
		}),
		in("generation that is none", func(p createdPod) bool {
			_, ok := daemonset.TemplateGeneration(p.DaemonSet.Annotations)
			return !ok && p.DaemonSet.Annotations != nil
		}),
	}, nil, decision[createdPod]{p, theirs, ours})
}

// storedTemplate is a DaemonSet and a revision.
type storedTemplate struct {
	DaemonSet *appsv1.DaemonSet
	Revision  *appsv1.ControllerRevision
}

// drawStoredTemplate draws a DaemonSet and a revision of a template that is often the same.
func drawStoredTemplate(t random.T) storedTemplate {
	s := storedTemplate{daemonTemplate(t), &appsv1.ControllerRevision{}}
	of := s.DaemonSet.DeepCopy()
	of.Spec.Template = *gen.Variant(t, &of.Spec.Template)
	s.Revision.Data.Raw = must(upstream.DaemonSetPatch(of))
	return s
}

// recorded is how a template is stored, and whether a revision has it.
type recorded struct {
	Data    string
	Current bool
}

func comparePatch(t random.T, c *caseCounts, _ time.Time) {
	s := drawStoredTemplate(t)
	theirs := recorded{string(must(upstream.DaemonSetPatch(s.DaemonSet))), must(daemon.Match(s.DaemonSet, s.Revision))}
	ours := recorded{Data: string(must(kube.DaemonSet(s.DaemonSet)).Template.Data)}
	current, _ := revision.Partition(kube.ControllerRevisions([]*appsv1.ControllerRevision{s.Revision}), []byte(ours.Data), revision.Options{})
	ours.Current = len(current) == 1
	judge(t, c, []corner[decision[storedTemplate]]{
		{"current", func(d decision[storedTemplate]) bool { return d.upstream.(recorded).Current }},
		{"old", func(d decision[storedTemplate]) bool { return !d.upstream.(recorded).Current }},
		in("quantities", func(s storedTemplate) bool {
			return len(s.DaemonSet.Spec.Template.Spec.Containers[0].Resources.Requests) > 0
		}),
		in("affinity", func(s storedTemplate) bool { return s.DaemonSet.Spec.Template.Spec.Affinity != nil }),
		in("seconds", func(s storedTemplate) bool {
			return slices.ContainsFunc(s.DaemonSet.Spec.Template.Spec.Tolerations, func(o corev1.Toleration) bool { return o.TolerationSeconds != nil })
		}),
	}, nil, decision[storedTemplate]{s, theirs, ours})
}

// compareRestored compares the way back to a revision with the patch that kubectl
// applies.
func compareRestored(t random.T, c *caseCounts, _ time.Time) {
	s := drawStoredTemplate(t)
	before := must(json.Marshal(s.DaemonSet))
	unchanged := sortedJSON(before)
	after := must(strategicpatch.StrategicMergePatch(before, s.Revision.Data.Raw, &appsv1.DaemonSet{}))
	ours := must(kube.RestoredDaemonSet(s.DaemonSet, s.Revision))
	judge(t, c, []corner[decision[storedTemplate]]{
		{"nothing changes", func(d decision[storedTemplate]) bool { return d.upstream == unchanged }},
		{"something changes", func(d decision[storedTemplate]) bool { return d.upstream != unchanged }},
	}, nil, decision[storedTemplate]{s, sortedJSON(after), sortedJSON(must(json.Marshal(ours)))})
}

func sortedJSON(data []byte) string {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		panic(err)
	}
	return string(must(json.Marshal(v)))
}
