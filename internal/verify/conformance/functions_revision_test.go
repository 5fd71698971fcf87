// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

var revisionFunctions = []function{
	{"Revision", compareRevision},
	{"MaxRevision, LastRevision", compareMaxRevision},
	{"SetNewReplicaSetAnnotations", compareSync},
	{"SetNewReplicaSetAnnotations, history", compareHistory},
	{"SafeEncodeString", compareSafeEncode},
	{"generateReplicaSetName", compareName},
}

var templateFunctions = []function{
	{"ComputeHash", compareHash},
	{"EqualIgnoreHash", compareTemplates},
	{"GetPodFromTemplate", compareNewPod},
}

// silent logs nothing. Some of upstream's functions log values that they cannot parse.
var silent = klog.NewContext(context.Background(), logr.Discard())

type numbered struct {
	Text    string
	Present bool
}

func drawNumbered(t random.T) numbered {
	text, present := random.Revision(t, "revision")
	return numbered{text, present}
}

func (n numbered) annotations() map[string]string {
	if !n.Present {
		return map[string]string{}
	}
	return map[string]string{revision.AnnotationRevision: n.Text}
}

type revisionNumber struct {
	N      int64
	Failed bool
}

func compareRevision(t random.T, c *caseCounts, _ time.Time) {
	n := drawNumbered(t)
	number, err := util.Revision(&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: n.annotations()}})
	d := decision[numbered]{in: n, upstream: revisionNumber{number, err != nil}}
	if err != nil { // upstream also returns the clamped number, which has no use
		d.upstream = revisionNumber{0, true}
	}
	number, err = revision.Number(n.annotations())
	d.ours = revisionNumber{number, err != nil}
	judge(t, c, []corner[decision[numbered]]{
		in("missing", func(n numbered) bool { return !n.Present }),
		in("empty", func(n numbered) bool { return n.Present && n.Text == "" }),
		in("too large", func(n numbered) bool { return n.Text == "9223372036854775808" }),
		in("negative", func(n numbered) bool { return n.Text == "-3" }),
	}, nil, d)
}

func compareMaxRevision(t random.T, c *caseCounts, _ time.Time) {
	all := make([]numbered, random.Below(t, "sets", 8))
	sets, numbers := make([]*appsv1.ReplicaSet, len(all)), []int64{}
	for i := range all {
		all[i] = drawNumbered(t)
		sets[i] = &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: all[i].annotations()}}
		if n, err := revision.Number(all[i].annotations()); err == nil {
			numbers = append(numbers, n)
		}
	}
	logger := klog.FromContext(silent)
	judge(t, c, []corner[decision[[]numbered]]{
		in("none", func(all []numbered) bool { return len(all) == 0 }),
		in("several", func(all []numbered) bool { return len(all) > 4 }),
		{"largest", func(d decision[[]numbered]) bool { return d.upstream.([2]int64)[0] == math.MaxInt64 }},
		{"tie", func(d decision[[]numbered]) bool { m := d.upstream.([2]int64); return m[0] == m[1] && m[0] > 0 }},
	}, nil, decision[[]numbered]{
		all, [2]int64{util.MaxRevision(logger, sets), util.LastRevision(logger, sets)},
		[2]int64{revision.Max(numbers), revision.Last(numbers)},
	})
}

// annotated is a Deployment and its newest ReplicaSet, by their annotations.
type annotated struct {
	Deployment, ReplicaSet map[string]string
	Next                   int64
}

type synced struct {
	Annotations map[string]string
	Changed     bool
}

func drawAnnotations(t random.T, label string) map[string]string {
	m := map[string]string{}
	for _, key := range []string{
		"a", "b", revision.AnnotationRevision, revision.AnnotationHistory, revision.AnnotationDesired, revision.AnnotationMax,
		revision.AnnotationRollback, revision.AnnotationLastApplied,
	} {
		if random.OneIn(t, label+key, 3) {
			m[key] = strconv.Itoa(random.Below(t, label+key+" value", 3))
		}
	}
	return m
}

func compareSync(t random.T, c *caseCounts, _ time.Time) {
	a := annotated{Deployment: drawAnnotations(t, "d "), ReplicaSet: drawAnnotations(t, "rs "), Next: int64(random.Below(t, "next", 9))}
	if random.OneIn(t, "wrapped", 20) {
		a.Next = math.MinInt64
	}
	delete(a.ReplicaSet, revision.AnnotationRevision)
	maps.Copy(a.ReplicaSet, drawNumbered(t).annotations())
	if text, ok := random.History(t, "history"); ok {
		a.ReplicaSet[revision.AnnotationHistory] = text
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Annotations: a.Deployment}}
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: maps.Clone(a.ReplicaSet)}}
	changed := util.SetNewReplicaSetAnnotations(silent, d, rs, strconv.FormatInt(a.Next, 10), true, revision.HistoryLimit)
	set, ours := revision.Sync(a.Deployment, a.ReplicaSet, a.Next)
	result := maps.Clone(a.ReplicaSet)
	maps.Copy(result, set)
	judge(t, c, []corner[decision[annotated]]{
		{"changed", func(d decision[annotated]) bool { return d.upstream.(synced).Changed }},
		{"nothing to do", func(d decision[annotated]) bool {
			return !d.upstream.(synced).Changed && maps.Equal(d.upstream.(synced).Annotations, d.in.ReplicaSet)
		}},
		{"copied but not reported", func(d decision[annotated]) bool {
			return !d.upstream.(synced).Changed && !maps.Equal(d.upstream.(synced).Annotations, d.in.ReplicaSet)
		}},
		in("empty revision", func(a annotated) bool {
			return has(a.ReplicaSet, revision.AnnotationRevision) && a.ReplicaSet[revision.AnnotationRevision] == ""
		}),
		{"history cut", func(d decision[annotated]) bool {
			before, after := d.in.ReplicaSet[revision.AnnotationHistory], d.upstream.(synced).Annotations[revision.AnnotationHistory]
			return len(before) > 1900 && before != after && !strings.HasPrefix(after, before)
		}},
		{"history of one empty entry", func(d decision[annotated]) bool {
			_, before := d.in.ReplicaSet[revision.AnnotationHistory]
			text, after := d.upstream.(synced).Annotations[revision.AnnotationHistory]
			return !before && after && text == ""
		}},
	}, nil, decision[annotated]{a, synced{rs.Annotations, changed}, synced{result, ours}})
}

// historic is a history and the revision to append.
type historic struct {
	History, Old string
	Limit        int
}

func compareHistory(t random.T, c *caseCounts, _ time.Time) {
	text, _ := random.History(t, "history")
	h := historic{text, strconv.Itoa(random.Below(t, "old", 128)), random.Below(t, "limit", 12)}
	if random.OneIn(t, "empty", 8) {
		h.Old = ""
	}
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		revision.AnnotationRevision: h.Old, revision.AnnotationHistory: h.History,
	}}}
	util.SetNewReplicaSetAnnotations(silent, &appsv1.Deployment{}, rs, "1000", true, h.Limit)
	judge(t, c, []corner[decision[historic]]{
		{"unchanged", func(d decision[historic]) bool { return d.upstream == d.in.History && d.in.History != "" }},
		{"only the newest is left", func(d decision[historic]) bool {
			return d.upstream == d.in.Old && len(d.in.History) > 1 && d.in.Old != ""
		}},
		{"some are left", func(d decision[historic]) bool {
			return strings.Contains(d.upstream.(string), ",") && d.upstream != d.in.History+","+d.in.Old
		}},
		{"starts anew", func(d decision[historic]) bool { return strings.HasPrefix(d.in.History, ",") && d.upstream == d.in.Old }},
	}, nil, decision[historic]{h, rs.Annotations[revision.AnnotationHistory], revision.AppendHistory(h.History, h.Old, h.Limit)})
}

func compareSafeEncode(t random.T, c *caseCounts, _ time.Time) {
	text := make([]byte, random.Below(t, "length", 13))
	for i := range text {
		text[i] = byte(random.Below(t, "ASCII", 128)) // nothing else is ever encoded, and upstream leaves zeros where a character has several bytes
	}
	s := string(text)
	judge(t, c, []corner[decision[string]]{
		in("empty", func(s string) bool { return s == "" }),
		in("as long as a hash", func(s string) bool { return len(s) == 10 }),
	}, nil, decision[string]{s, rand.SafeEncodeString(s), revision.SafeEncode(s)})
}

func compareName(t random.T, c *caseCounts, _ time.Time) {
	name, hash := random.Text(t, "name"), random.Text(t, "hash")
	judge(t, c, []corner[decision[[2]string]]{
		{"cut", func(d decision[[2]string]) bool { return len(d.upstream.(string)) < len(d.in[0])+1+len(d.in[1]) }},
		in("hash as long as a name", func(in [2]string) bool { return len(in[1]) > 252 }),
	}, nil, decision[[2]string]{[2]string{name, hash}, upstream.ReplicaSetName(name, hash), revision.ReplicaSetName(name, hash)})
}

type hashed struct {
	Template   *corev1.PodTemplateSpec
	Collisions *int32
}

func compareHash(t random.T, c *caseCounts, _ time.Time) {
	h := hashed{Template: gen.Template(t)}
	if random.OneIn(t, "collided", 2) {
		h.Collisions = new(random.Number(t, "collisions"))
	}
	judge(t, c, []corner[decision[hashed]]{
		in("no collision count", func(h hashed) bool { return h.Collisions == nil }),
		in("0 collisions", func(h hashed) bool { return h.Collisions != nil && *h.Collisions == 0 }),
		in("negative count", func(h hashed) bool { return h.Collisions != nil && *h.Collisions < 0 }),
	}, nil, decision[hashed]{h, controller.ComputeHash(h.Template, h.Collisions), kube.Template(h.Template, h.Collisions).Hash})
}

func compareTemplates(t random.T, c *caseCounts, _ time.Time) {
	a := gen.Template(t)
	b := gen.Variant(t, a)
	if random.OneIn(t, "twice", 4) {
		b = gen.Variant(t, b)
	}
	judge(t, c, []corner[decision[[2]*corev1.PodTemplateSpec]]{
		outcomeIs[[2]*corev1.PodTemplateSpec]("different", false),
		{"equal, in other words", func(d decision[[2]*corev1.PodTemplateSpec]) bool {
			return d.upstream == true && !reflect.DeepEqual(d.in[0], d.in[1])
		}},
		{"equal but for the hash label", func(d decision[[2]*corev1.PodTemplateSpec]) bool {
			return d.upstream == true && d.in[0].Labels["pod-template-hash"] != d.in[1].Labels["pod-template-hash"]
		}},
	}, nil, decision[[2]*corev1.PodTemplateSpec]{
		[2]*corev1.PodTemplateSpec{a, b}, util.EqualIgnoreHash(a, b), kube.TemplateID(a) == kube.TemplateID(b),
	})
}

func compareNewPod(t random.T, c *caseCounts, _ time.Time) {
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: gen.Namespace, Name: "web-a", UID: "rs"}}
	rs.Spec.Template = *gen.Template(t)
	if random.OneIn(t, "finalizers", 3) {
		rs.Spec.Template.Finalizers = []string{"f"}
	}
	ref := metav1.NewControllerRef(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
	pod, err := controller.GetPodFromTemplate(&rs.Spec.Template, rs, ref)
	if err != nil {
		t.Fatal(err)
	}
	pod.Namespace = rs.Namespace // upstream names it in the call
	ours := kube.NewPod(rs)
	for _, p := range []*corev1.Pod{pod, ours} { // no map and an empty one are the same
		p.Labels, p.Annotations = withEntries(p.Labels), withEntries(p.Annotations)
	}
	judge(t, c, []corner[decision[*appsv1.ReplicaSet]]{
		in("finalizers", func(rs *appsv1.ReplicaSet) bool { return len(rs.Spec.Template.Finalizers) > 0 }),
		in("annotations", func(rs *appsv1.ReplicaSet) bool { return len(rs.Spec.Template.Annotations) > 0 }),
		in("volumes", func(rs *appsv1.ReplicaSet) bool { return len(rs.Spec.Template.Spec.Volumes) > 0 }),
	}, nil, decision[*appsv1.ReplicaSet]{rs, withoutLists(pod), withoutLists(ours)})
}

func withEntries(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

func withoutLists(p *corev1.Pod) *corev1.Pod {
	if len(p.Finalizers) == 0 {
		p.Finalizers = nil
	}
	return p
}
