// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/deployment/util"
	"k8s.io/kubernetes/pkg/controller/history"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

var historyFunctions = []function{
	{"FindEqualRevisions, SortControllerRevisions", compareRevisions},
	{"HashControllerRevision, NewControllerRevision", compareNewRevision},
	{"ControllerRevisionName", compareRevisionName},
	{"FindNewReplicaSet, FindOldReplicaSets", compareSplit},
	{"ReplicaSetsByRevision", compareByRevision},
	{"SetDeploymentAnnotationsTo", compareRollbackAnnotations},
	{"SetNewReplicaSetAnnotations, creation", compareCreation},
	{"LastRevision for a rollback", compareLast},
}

// stored is ControllerRevisions and one more, to look for or to create.
type stored struct {
	List  []*appsv1.ControllerRevision
	One   *appsv1.ControllerRevision
	Probe *int32 // collisions
}

func drawStored(t random.T) stored {
	draw := func(i int) *appsv1.ControllerRevision {
		r := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{
			Name: "r" + strconv.Itoa(i), CreationTimestamp: metav1.Unix(int64(random.Below(t, "created", 3)), 0),
		}, Revision: int64(random.Below(t, "revision", 4)) - 1}
		r.Data.Raw = []byte(random.OneOf[string](t, "data", `{"a":1}`, `{"a":2}`, `{"a": 1}`, ""))
		if random.OneIn(t, "decoded", 4) {
			r.Data.Object = &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{Name: random.OneOf[string](t, "object", "x", "y")}}
		}
		if random.OneIn(t, "hash", 3) {
			r.Labels = map[string]string{"controller-revision-hash": random.OneOf[string](t, "hash", "1", "2", "")}
		}
		return r
	}
	var s stored
	for i := range random.Below(t, "revisions", 6) {
		s.List = append(s.List, draw(i))
	}
	if len(s.List) > 1 {
		slices.Reverse(s.List[:random.Below(t, "reversed", len(s.List)+1)]) // of names
	}
	s.One = draw(9)
	if !random.OneIn(t, "no probe", 3) {
		s.Probe = new(random.Number(t, "probe"))
	}
	return s
}

func compareRevisions(t random.T, c *caseCounts, _ time.Time) {
	s := drawStored(t)
	ours := kube.ControllerRevisions(s.List)
	var theirNames, ourNames [2][]string
	for _, r := range history.FindEqualRevisions(s.List, s.One) {
		theirNames[0] = append(theirNames[0], r.Name)
	}
	for _, i := range revision.FindEqual(ours, kube.ControllerRevision(s.One), revision.Options{}) {
		ourNames[0] = append(ourNames[0], ours[i].Name)
	}
	list := slices.Clone(s.List)
	history.SortControllerRevisions(list)
	for _, r := range list {
		theirNames[1] = append(theirNames[1], r.Name)
	}
	for _, r := range revision.SortRevisions(ours) {
		ourNames[1] = append(ourNames[1], r.Name)
	}
	judge(t, c, []corner[decision[stored]]{
		{"one is equal", func(d decision[stored]) bool { return len(d.upstream.([2][]string)[0]) == 1 }},
		{"several are equal", func(d decision[stored]) bool { return len(d.upstream.([2][]string)[0]) > 1 }},
		in("same number", func(s stored) bool { return len(s.List) > 1 && s.List[0].Revision == s.List[1].Revision }),
		in("same number and age", func(s stored) bool {
			return len(s.List) > 1 && s.List[0].Revision == s.List[1].Revision && s.List[0].CreationTimestamp.Equal(&s.List[1].CreationTimestamp)
		}),
	}, nil, decision[stored]{s, theirNames, ourNames})
}

// created is a new revision and the hash of it.
type created struct {
	Hash   string
	Object *appsv1.ControllerRevision
}

func compareNewRevision(t random.T, c *caseCounts, _ time.Time) {
	s := drawStored(t)
	owner := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db", UID: "u"}}
	labels := map[string]string{"app": random.Value(t, "app")}
	object, err := history.NewControllerRevision(owner, appsv1.SchemeGroupVersion.WithKind("StatefulSet"), labels,
		runtime.RawExtension{Raw: s.One.Data.Raw}, 3, s.Probe)
	if err != nil {
		t.Fatal(err)
	}
	one := kube.ControllerRevision(s.One)
	ours := revision.NewControllerRevision(revision.Parent{Kind: "StatefulSet", Name: "db", UID: "u"}, labels, s.One.Data.Raw, 3, s.Probe, revision.Options{})
	judge(t, c, []corner[decision[stored]]{
		in("without collisions", func(s stored) bool { return s.Probe == nil }), in("negative collisions", func(s stored) bool { return s.Probe != nil && *s.Probe < 0 }),
		in("decoded", func(s stored) bool { return s.One.Data.Object != nil }), in("no data", func(s stored) bool { return len(s.One.Data.Raw) == 0 }),
	}, nil, decision[stored]{
		s, created{history.HashControllerRevision(s.One, s.Probe), object},
		created{revision.HashRevision(one.Data, one.Dump, s.Probe, revision.Options{}), kube.NewControllerRevision("", ours)},
	})
}

func compareRevisionName(t random.T, c *caseCounts, _ time.Time) {
	parent := random.Text(t, "parent")
	judge(t, c, []corner[decision[string]]{
		in("cut", func(s string) bool { return len(s) > 223 }), in("as it is", func(s string) bool { return len(s) > 0 && len(s) <= 223 }),
	}, nil, decision[string]{parent, history.ControllerRevisionName(parent, "h"), revision.RevisionName(parent, "h")})
}

// historied is a Deployment and its ReplicaSets.
type historied struct {
	Deployment *appsv1.Deployment
	Sets       []*appsv1.ReplicaSet
	Next       int64
}

func drawHistoried(t random.T) historied {
	h := historied{Deployment: limits{Replicas: 3}.deployment(), Next: int64(random.Below(t, "next", 5)) - 1}
	d := h.Deployment
	d.Name, d.Annotations = "web", drawAnnotations(t, "d ")
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	d.Spec.Template.Labels = map[string]string{"v": string("abcd"[random.Below(t, "template", 4)])}
	for i := range random.Below(t, "sets", 6) {
		rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{
			Name: "rs" + strconv.Itoa(i), CreationTimestamp: metav1.Unix(int64(random.Below(t, "created", 3)), 0), Annotations: drawAnnotations(t, "rs "),
		}, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(0))}}
		rs.UID = types.UID("u" + strconv.Itoa(i))
		rs.Spec.Template.Labels = map[string]string{"v": string("abc"[random.Below(t, "template", 3)]), revision.LabelHash: strconv.Itoa(i)}
		delete(rs.Annotations, revision.AnnotationRevision)
		maps.Copy(rs.Annotations, drawNumbered(t).annotations())
		h.Sets = append(h.Sets, rs)
	}
	return h
}

func (h historied) entries() []revision.Entry {
	entries := make([]revision.Entry, len(h.Sets))
	for i, rs := range h.Sets {
		s := kube.ReplicaSet(rs)
		entries[i] = revision.Entry{Name: s.Name, UID: s.UID, Annotations: s.Annotations, Template: s.Template, CreationTimestamp: s.CreationTimestamp}
	}
	return entries
}

// split is the new ReplicaSet and the old ones, by name.
type split struct {
	New string
	Old []string
}

func (h historied) split() (split, []*appsv1.ReplicaSet) {
	var s split
	sets := slices.Clone(h.Sets)
	newest := util.FindNewReplicaSet(h.Deployment, sets)
	_, old := util.FindOldReplicaSets(h.Deployment, sets)
	for _, rs := range old {
		s.Old = append(s.Old, rs.Name)
	}
	if newest != nil {
		s.New = newest.Name
		old = append(old, newest)
	}
	return s, old
}

func compareSplit(t random.T, c *caseCounts, _ time.Time) {
	h := drawHistoried(t)
	theirs, _ := h.split()
	entries := h.entries()
	newest, old := revision.Split(entries, kube.Template(&h.Deployment.Spec.Template, nil))
	var ours split
	if newest >= 0 {
		ours.New = entries[newest].Name
	}
	for _, i := range old {
		ours.Old = append(ours.Old, entries[i].Name)
	}
	judge(t, c, []corner[decision[historied]]{
		{"no new one", func(d decision[historied]) bool { return d.upstream.(split).New == "" && len(d.in.Sets) > 0 }},
		{"no old one", func(d decision[historied]) bool { s := d.upstream.(split); return s.New != "" && len(s.Old) == 0 }},
		{"both", func(d decision[historied]) bool { s := d.upstream.(split); return s.New != "" && len(s.Old) > 1 }},
		in("two with the template", func(h historied) bool {
			n := 0
			for _, rs := range h.Sets {
				if rs.Spec.Template.Labels["v"] == h.Deployment.Spec.Template.Labels["v"] {
					n++
				}
			}
			return n > 1
		}),
	}, nil, decision[historied]{h, theirs, ours})
}

func decideByRevision(h historied) decision[historied] {
	list := slices.Clone(h.Sets)
	sort.Sort(util.ReplicaSetsByRevision(list))
	theirs, ours := []string{}, []string{}
	for _, rs := range list {
		theirs = append(theirs, rs.Name)
	}
	for _, i := range revision.ByRevision(h.entries(), revision.Options{}) {
		ours = append(ours, h.Sets[i].Name)
	}
	return decision[historied]{h, theirs, ours}
}

func compareByRevision(t random.T, c *caseCounts, _ time.Time) {
	judge(t, c, []corner[decision[historied]]{
		in("several", func(h historied) bool { return len(h.Sets) > 2 }),
		in("unusable revision", func(h historied) bool {
			return slices.ContainsFunc(h.Sets, func(rs *appsv1.ReplicaSet) bool { return rs.Annotations[revision.AnnotationRevision] == "bad" })
		}),
		in("same revision", func(h historied) bool {
			return len(h.Sets) > 1 && h.Sets[0].Annotations[revision.AnnotationRevision] == h.Sets[1].Annotations[revision.AnnotationRevision]
		}),
	}, revisionDifferences, decideByRevision(drawHistoried(t)))
}

func compareRollbackAnnotations(t random.T, c *caseCounts, _ time.Time) {
	a := annotated{Deployment: drawAnnotations(t, "d "), ReplicaSet: drawAnnotations(t, "rs ")}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Annotations: maps.Clone(a.Deployment)}}
	util.SetDeploymentAnnotationsTo(d, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: a.ReplicaSet}})
	judge(t, c, []corner[decision[annotated]]{
		in("rollback requested", func(a annotated) bool { return has(a.Deployment, revision.AnnotationRollback) }),
		in("last applied", func(a annotated) bool { return has(a.Deployment, revision.AnnotationLastApplied) }),
		{"one is taken over", func(d decision[annotated]) bool {
			return !has(d.in.Deployment, "a") && has(d.upstream.(map[string]string), "a")
		}},
		{"one is dropped", func(d decision[annotated]) bool {
			return has(d.in.Deployment, "a") && !has(d.upstream.(map[string]string), "a")
		}},
	}, nil, decision[annotated]{a, withEntries(d.Annotations), withEntries(revision.RollbackAnnotations(a.Deployment, a.ReplicaSet, revision.Options{}))})
}

func compareCreation(t random.T, c *caseCounts, _ time.Time) {
	h := drawHistoried(t)
	rs := &appsv1.ReplicaSet{}
	util.SetNewReplicaSetAnnotations(silent, h.Deployment, rs, strconv.FormatInt(h.Next, 10), false, revision.HistoryLimit)
	util.SetReplicasAnnotations(rs, 3, 4)
	judge(t, c, []corner[decision[historied]]{
		in("first", func(h historied) bool { return h.Next == 1 }), in("negative", func(h historied) bool { return h.Next < 0 }),
		in("with copies", func(h historied) bool { return has(h.Deployment.Annotations, "a") }),
		{"without copies", func(d decision[historied]) bool { return len(d.upstream.(map[string]string)) == 3 }},
	}, nil, decision[historied]{h, rs.Annotations, revision.CreationAnnotations(h.Deployment.Annotations, h.Next, 3, 4)})
}

// compareLast compares which revision a rollback to the one before goes to.
func compareLast(t random.T, c *caseCounts, _ time.Time) {
	h := drawHistoried(t)
	_, all := h.split()
	w := revision.Workload{Name: "web", Annotations: h.Deployment.Annotations, Template: kube.Template(&h.Deployment.Spec.Template, nil)}
	plan := revision.PlanRollback(w, h.entries(), 0, revision.Options{})
	last := util.LastRevision(klog.FromContext(silent), all)
	judge(t, c, []corner[decision[historied]]{
		outcomeIs[historied]("none", int64(0)), outcomeIs[historied]("first", int64(1)),
		{"later", func(d decision[historied]) bool { return d.upstream.(int64) > 1 }},
		{"unusable revision", func(d decision[historied]) bool {
			return slices.ContainsFunc(d.in.Sets, func(rs *appsv1.ReplicaSet) bool {
				return strings.HasPrefix(rs.Annotations[revision.AnnotationRevision], "bad")
			})
		}},
	}, nil, decision[historied]{h, last, plan.Number})
}
