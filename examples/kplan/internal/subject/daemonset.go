// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A DaemonSet is a DaemonSet of Kubernetes or OpenKruise.
type DaemonSet struct{ *manifest.DaemonSet }

// Plan returns the next plan.
func (d DaemonSet) Plan(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := d.plan(p, now)
	return plan, nil, err
}

func (d DaemonSet) plan(p *Policies, now time.Time) (view.DaemonPlan, error) {
	assumed := d.AssumeNodes(nil)
	s, err := d.Snapshot()
	if err != nil {
		return view.DaemonPlan{}, err
	}
	options := daemonset.Options{Dialect: d.Dialect(), Repair: p.DaemonSets()}
	plan, err := daemonset.Reconcile(s, now, options)
	if err != nil {
		return view.DaemonPlan{}, d.Invalid(err)
	}
	nodes, err := daemonset.Explain(s, now, options)
	if err != nil {
		return view.DaemonPlan{}, d.Invalid(err)
	}
	return view.DaemonPlan{
		Namespace: d.Object.Namespace, Snapshot: s, Now: now, Plan: plan, Nodes: nodes, Policies: p.Flags(quirk.Table()),
		Advanced: d.Advanced != nil, Unapplied: manifest.IsManifest(d.Object.UID), Assumed: assumed,
	}, nil
}

// Explain returns the explanation of the next plan.
func (d DaemonSet) Explain(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := d.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.DaemonExplanation{DaemonPlan: plan, Report: daemonReport(d.Object)}
	e.Idle = idlePods(d.Controlled(), nil, now)
	e.Caveats = daemonCaveats(d.DaemonSet, &plan)
	for _, f := range d.Failures() {
		e.Refused = append(e.Refused, refused(f, now))
	}
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "a pod becomes available, or a delay ends"})
	}
	return e, nil, nil
}

// Versions returns the pods before and after the change.
func (d DaemonSet) Versions(from *Earlier) (before, after Pods) {
	if old := from.daemonSets[d.Key()]; old != nil {
		before.Template = &old.Object.Spec.Template
	}
	return before, Pods{Template: &d.Object.Spec.Template}
}

// daemonReport returns the current output of kubectl rollout status.
func daemonReport(ds *appsv1.DaemonSet) view.Report {
	s, wanted := &ds.Status, ds.Status.DesiredNumberScheduled
	wait := fmt.Sprintf("Waiting for daemon set %q rollout to finish: ", ds.Name)
	switch {
	case ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType:
		return view.Report{Err: "rollout status is only available for RollingUpdate strategy type"}
	case ds.Generation > s.ObservedGeneration:
		return view.Report{Text: "Waiting for daemon set spec update to be observed..."}
	case s.UpdatedNumberScheduled < wanted:
		return view.Report{Text: wait + fmt.Sprintf("%d out of %d new pods have been updated...", s.UpdatedNumberScheduled, wanted)}
	case s.NumberAvailable < wanted:
		return view.Report{Text: wait + fmt.Sprintf("%d of %d updated pods are available...", s.NumberAvailable, wanted)}
	}
	return view.Report{Text: fmt.Sprintf("daemon set %q successfully rolled out", ds.Name), Done: true}
}

// daemonSetJob returns the simulation of an existing DaemonSet. The wanted version, unless nil,
// is applied to it, and the existing DaemonSet then counts as rolled out if it has no pods.
func daemonSetJob(seen, wanted *manifest.DaemonSet, now time.Time) *job {
	if now.IsZero() {
		now = latestOf(seen.Object.CreationTimestamp.Time, seen.Pods)
	}
	objects, orphans := ownOf(seen)
	j := &job{of: seen, now: now, objects: objects, around: seen.Around(seen.Object.Namespace)}
	last := seen
	if wanted != nil {
		last = versionBeside(seen, wanted)
		j.of, j.objects, j.around = wanted, append(j.objects, last.Object), wanted.Around(seen.Object.Namespace)
	}
	j.begin = func(b *world.Beginning) error {
		disown(b, orphans)
		if err := advance(b, seen, last); err != nil {
			return j.of.Invalid(err)
		}
		b.BeginDaemonSet(seen.Object.Namespace, seen.Object.Name, wanted != nil)
		b.Earlier = wanted != nil && len(seen.Controlled()) == 0
		return nil
	}
	j.prepare = func(b *world.Beginning, _ *sim.Config) error {
		if wanted != nil {
			b.Annotate(served(b.DaemonSet(), b.WantedDaemonSet(), seen.Dialect()))
		}
		return nil
	}
	return j
}

// advance turns versions of a DaemonSet into Advanced DaemonSets of OpenKruise where they are
// such.
func advance(b *world.Beginning, versions ...*manifest.DaemonSet) error {
	for i, d := range versions {
		if d.Advanced == nil || i > 0 && d == versions[0] {
			continue
		}
		if err := kubekruise.Advance(&b.Snapshot, d.Object, *d.Advanced); err != nil {
			return err
		}
	}
	return nil
}

// versionBeside returns the wanted version of a DaemonSet as an additional object. It has the UID
// and the status of the existing one, which give its revision and the hash of its template.
func versionBeside(seen, wanted *manifest.DaemonSet) *manifest.DaemonSet {
	next := *wanted
	next.Object = wanted.Object.DeepCopy()
	next.Object.Namespace, next.Object.Name = seen.Object.Namespace, seen.Object.Name+world.Next
	next.Object.UID, next.Object.Status = seen.Object.UID, seen.Object.Status
	return &next
}

// ownOf returns a DaemonSet with its pods and revisions, and the UIDs of the orphans that it is
// about to adopt. The orphans appear as adopted, so that their state counts like the state of its
// own pods.
func ownOf(d *manifest.DaemonSet) (objects []kube.Object, orphans map[types.UID]bool) {
	objects, orphans = []kube.Object{d.Object}, map[types.UID]bool{}
	adopted := func(o metav1.Object) bool {
		if metav1.GetControllerOfNoCopy(o) != nil {
			return false
		}
		orphans[o.GetUID()] = true
		o.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(d.Object, appsv1.SchemeGroupVersion.WithKind(daemonset.Kind))})
		return true
	}
	pods, revisions := d.Own()
	for _, p := range pods {
		if copied := p.DeepCopy(); adopted(copied) {
			p = copied
		}
		objects = append(objects, p)
	}
	for _, r := range revisions {
		if copied := r.DeepCopy(); adopted(copied) {
			r = copied
		}
		objects = append(objects, r)
	}
	return objects, orphans
}

// disown removes the controller of pods and revisions that are not adopted yet.
func disown(b *world.Beginning, orphans map[types.UID]bool) {
	for i := range b.DaemonPods {
		if p := &b.DaemonPods[i]; orphans[types.UID(p.UID)] {
			p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
		}
	}
	for i := range b.Revisions {
		if r := &b.Revisions[i]; orphans[types.UID(r.UID)] {
			r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", ""
		}
	}
}

// served returns the annotations of a DaemonSet that replaces an old one, as the API server sets
// them: users cannot set the template generation, and it rises with each change of the template.
// Pods with the new generation are new.
func served(old, next *daemonset.DaemonSet, dialect daemonset.Dialect) map[string]string {
	n, known := daemonset.TemplateGeneration(old.Annotations)
	if dialect != daemonset.Kubernetes || !known {
		return next.Annotations
	}
	if !bytes.Equal(old.Template.Data, next.Template.Data) {
		n++
	}
	annotations := maps.Clone(next.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[daemonset.AnnotationGeneration] = strconv.FormatInt(n, 10)
	return annotations
}

// simulate returns the simulation of an update of a DaemonSet from an old one, or from its current
// pods if there is none.
func (o DaemonSet) simulate(s *Settings, set *manifest.Set, from *Earlier) (*job, error) {
	d, old := o.DaemonSet, from.daemonSets[o.Key()]
	if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Runs(d) }) {
		return nil, nil
	}
	s.startsFromNothing(old == nil, d.File, d.Name())
	partial, err := daemonRolledOut(old)
	if err != nil {
		return nil, err
	}
	nodes := s.assumeNodes(d, old)
	partial = append(nodes, partial...)
	if old != nil {
		if err := sameSelector(old.Object.Spec.Selector, d.Object.Spec.Selector, old.File); err != nil {
			return nil, d.Invalid(err)
		}
	}
	if len(d.Nodes) == 0 {
		return nil, d.Invalid(manifest.ErrNoNode)
	}
	j := daemonSetJob(cmp.Or(old, d), onlyWith(old, d), s.Begin)
	j.apart = len(nodes) > 0
	var assumed []string
	j.after(func(b *world.Beginning) {
		assumed = slices.Concat(partial, nodesBarred(b), s.believed(d.Nodes, b))
		b.Broken(s.NeverReady)
	})
	s.updated(j, d, &assumed)
	return j, nil
}

// updated sets the function of a job that adds the assumptions to the result of an update.
func (s *Settings) updated(j *job, d *manifest.DaemonSet, assumed *[]string) {
	of := view.DaemonSets{Advanced: d.Advanced != nil, Nodes: len(d.Nodes)}
	j.telling = of
	j.tell = func(b *world.Beginning, r *world.Run, result *view.Simulation) {
		result.Policies = s.Flags(quirk.Table())
		result.Assumed = slices.Concat(d.Bites(of.Most(result), b.Running()), *assumed, s.lives(b, result))
		result.Caveats = keptImages(d, r, result)
	}
}

// nodesBarred returns notes about nodes without a pod of the DaemonSet, and the reason.
func nodesBarred(b *world.Beginning) []string {
	placer := daemonset.NewPlacer(&b.WantedDaemonSet().Template, b.DaemonSetOptions(daemonset.Options{}))
	return barred(b.Nodes, "no pod of it", func(n *cluster.Node) string { return view.Barrier(placer.Place(&n.Node)) })
}

// assumeNodes adds nodes to a DaemonSet without any, and returns the assumptions about them. It
// adds none in a comparison of manifests, where the number of nodes is unknown.
func (s *Settings) assumeNodes(d, old *manifest.DaemonSet) []string {
	if s.NoNodes {
		return nil
	}
	return d.AssumeNodes(old)
}

// History returns the revisions, or only one; 0 is all.
func (d DaemonSet) History(number int64, full bool) (Document, []string, error) {
	h := view.History{Daemon: true, Advanced: d.Advanced != nil, Namespace: d.Object.Namespace, Name: d.Object.Name, Number: number, Full: full}
	snapshot, err := d.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	objects, own := d.DaemonSet.History()
	for i, r := range objects {
		restored, err := kube.RestoredDaemonSet(d.Object, r)
		if err != nil {
			return nil, nil, err
		}
		template, err := templateIf(number != 0, &restored.Spec.Template)
		if err != nil {
			return nil, nil, err
		}
		h.Entries = append(h.Entries, view.Entry{
			Name: r.Name, Revision: r.Revision, Current: string(own[i].Data) == string(snapshot.DaemonSet.Template.Data),
			Images: images(&restored.Spec.Template), Cause: r.Annotations[kubectl.AnnotationChangeCause], Template: template,
		})
	}
	rows := kubectl.RevisionHistory(own)
	for _, row := range rows {
		h.Records = append(h.Records, kubectl.Record{Number: row.Number, Entry: row.Source})
	}
	h.Rows, err = kubectl.Show(rows, number)
	return h, nil, err
}

// Undo returns the result of kubectl rollout undo.
func (d DaemonSet) Undo(s *Settings, number int64) (Document, *view.Simulation, error) {
	undo, err := s.daemonUndo(d.DaemonSet, number)
	return undo, undo.Rollout, err
}

// daemonUndo returns the result of kubectl rollout undo for a DaemonSet, with the simulation of
// its rollout.
func (s *Settings) daemonUndo(d *manifest.DaemonSet, number int64) (view.DaemonUndo, error) {
	if d.Advanced != nil { // kubectl does not support them: its message
		return view.DaemonUndo{}, d.Invalid(fmt.Errorf("no rollbacker has been implemented for %q", "DaemonSet."+d.ID().Group))
	}
	snapshot, err := d.Snapshot()
	if err != nil {
		return view.DaemonUndo{}, err
	}
	objects, revisions := d.History()
	plan, err := kubectl.UndoRevision(revisions, snapshot.DaemonSet.Template.Data, number, revision.Options{})
	if err != nil {
		return view.DaemonUndo{}, d.Invalid(err)
	}
	target := objects[plan.Source]
	undo := view.DaemonUndo{Undo: view.Undo{Namespace: d.Object.Namespace, Name: d.Object.Name, Undo: plan}, Revision: target.Name}
	if plan.Skipped {
		return undo, nil
	}
	_, undo.Undo.Undo.LastApplied = d.Object.Annotations[revision.AnnotationLastApplied]
	restored, err := kube.RestoredDaemonSet(d.Object, target)
	if err != nil {
		return undo, d.Invalid(err)
	}
	undo.Images = Changes(&d.Object.Spec.Template.Spec, &restored.Spec.Template.Spec)
	rollout, err := s.daemonRollout(d, restored)
	undo.Rollout = &rollout
	return undo, err
}

// daemonRollout simulates the rollout after a template is restored. If the input has no pods,
// there is a pod of the current template on each node.
func (s *Settings) daemonRollout(d *manifest.DaemonSet, restored *appsv1.DaemonSet) (view.Simulation, error) {
	assumed := d.AssumeNodes(nil)
	if len(d.Controlled()) == 0 {
		assumed = append(assumed, "its nodes have pods of the present template")
	}
	wanted := *d
	wanted.Object = restored
	j := daemonSetJob(d, &wanted, s.Begin)
	j.after(func(b *world.Beginning) {
		next := b.Template
		b.Template = b.DaemonSet().Template.Hash
		s.healed(b)
		b.Template = next
	})
	s.updated(j, &wanted, &assumed)
	return s.alone(j)
}
