// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// odd changes what quirks take that anything has not got.
func odd(t *rapid.T, s *daemonset.Snapshot) {
	once := func(name string) bool { return rapid.IntRange(0, 5).Draw(t, name) == 0 }
	if once("taken") && len(s.Revisions) > 0 {
		s.Revisions[0].Name, s.Revisions[0].Labels[daemonset.LabelHash] = "agent-v2", "v2"
		s.Revisions = s.Revisions[:1]
	}
	if once("annotated") && len(s.Revisions) > 0 {
		s.Revisions[0].Data = annotated(s.Revisions[0].Data)
	}
	if once("other form") && len(s.Revisions) > 0 {
		last := &s.Revisions[len(s.Revisions)-1]
		last.Data = otherForm(last.Data)
	}
	if once("long name") {
		s.DaemonSet.Name = strings.Repeat("a", rapid.IntRange(248, 252).Draw(t, "name"))
	}
	if once("gate of the template") {
		s.DaemonSet.Template.ReadinessGates = []string{inplace.Gate}
	}
	for i := range s.Pods {
		if s.Pods[i].InPlace != nil && once("closed") {
			s.Pods[i].InPlace = &inplace.ReadyCondition{}
		}
	}
}

// A look is what the predicates look at: a snapshot, its pods by node, and where pods
// belong.
type look struct {
	s       *daemonset.Snapshot
	opts    daemonset.Options
	pods    map[string][]daemonset.Pod
	places  map[string][2]bool
	desired int32
	hashes  []string // of the revisions with the template, as they are labelled
}

func lookAt(s *daemonset.Snapshot, opts daemonset.Options) *look {
	l := &look{s: s, opts: opts, pods: map[string][]daemonset.Pod{}, places: placements(s, opts), hashes: []string{s.DaemonSet.Template.Hash}}
	for _, p := range mine(s) {
		l.pods[nodeOf(p)] = append(l.pods[nodeOf(p)], p)
	}
	for _, place := range l.places {
		if place[0] {
			l.desired++
		}
	}
	for _, r := range s.Revisions {
		if string(r.Data) == string(s.DaemonSet.Template.Data) {
			l.hashes = append(l.hashes, r.Labels[daemonset.LabelHash])
		}
	}
	return l
}

func (l *look) kruise() bool                 { return l.opts.Dialect == daemonset.OpenKruise }
func (l *look) inPlace() bool                { return l.s.DaemonSet.RollingType == daemonset.InPlaceIfPossible }
func (l *look) missing(node string) bool     { _, found := l.places[node]; return !found && node != "" }
func (l *look) serves(p *daemonset.Pod) bool { return available(p, &l.s.DaemonSet, l.opts) }
func (l *look) isNew(p *daemonset.Pod) bool {
	return slices.Contains(l.hashes, p.Labels[daemonset.LabelHash]) || l.byGeneration(p)
}

func (l *look) byGeneration(p *daemonset.Pod) bool {
	return l.s.DaemonSet.Annotations != nil && p.Labels[daemonset.LabelGeneration] == "5"
}

// surges reports whether an update of so many nodes surges: of one, a node may have two
// pods.
func (l *look) surges(nodes int32) bool {
	d := &l.s.DaemonSet
	surge := d.MaxSurge
	if surge.IsZero() && d.RollingType == daemonset.Surging {
		surge = rollout.Int(1)
	}
	return d.Strategy != daemonset.OnDelete && surge.OfUp(nodes) > 0
}

func goes(p *daemonset.Pod) bool { return !p.DeletionTimestamp.IsZero() }
func prepared(p *daemonset.Pod) bool {
	return p.Labels[daemonset.LabelState] == daemonset.StatePreparingDelete
}

// any reports whether a pod that belongs to a node, and is not being deleted, is so.
func (l *look) any(is func(node string, p *daemonset.Pod) bool) bool {
	for node, pods := range l.pods {
		for i := range pods {
			if node != "" && !goes(&pods[i]) && is(node, &pods[i]) {
				return true
			}
		}
	}
	return false
}

// anyPod reports whether any pod is so.
func (l *look) anyPod(is func(p *daemonset.Pod) bool) bool {
	for _, pods := range l.pods {
		for i := range pods {
			if is(&pods[i]) {
				return true
			}
		}
	}
	return false
}

// disorderOutside reports whether a node that should not run a pod has anything but one
// that serves.
func (l *look) disorderOutside() bool {
	for node, pods := range l.pods {
		good, bad := 0, 0
		for i := range pods {
			switch p := &pods[i]; {
			case goes(p):
			case l.serves(p) && !prepared(p):
				good++
			default:
				bad++
			}
		}
		if node != "" && !l.places[node][0] && (good != 1 || bad > 0) {
			return true
		}
	}
	return false
}

// betterBehindOldest reports whether on a node that should run a pod the oldest one goes,
// or another is better.
func (l *look) betterBehindOldest() bool {
	for node, pods := range l.pods {
		oldest := &pods[0]
		for i := range pods {
			if daemonset.CompareAge(&pods[i], oldest) < 0 {
				oldest = &pods[i]
			}
		}
		for i := range pods {
			p := &pods[i]
			better := goes(oldest) || l.serves(p) && !l.serves(oldest) || p.Ready && !oldest.Ready || l.isNew(p) && !l.isNew(oldest)
			if l.places[node][0] && p != oldest && better {
				return true
			}
		}
	}
	return false
}

// failedWaits reports whether a node has failed pods, one of which waits, and none that
// runs.
func (l *look) failedWaits() bool {
	for node, pods := range l.pods {
		failed, running := 0, 0
		for i := range pods {
			switch p := &pods[i]; {
			case goes(p), l.kruise() && prepared(p) && p.Phase != podorder.Failed, !l.kruise() && p.Phase == podorder.Succeeded:
			case p.Phase == podorder.Failed:
				failed++
			default:
				running++
			}
		}
		delayed := slices.ContainsFunc(l.s.Backoff, func(e daemonset.BackoffEntry) bool { return e.Node == node })
		if l.places[node][0] && running == 0 && (failed > 1 || failed == 1 && delayed) {
			return true
		}
	}
	return false
}

func (l *look) nameTaken() bool {
	d := &l.s.DaemonSet
	return slices.ContainsFunc(l.s.Revisions, func(r revision.ControllerRevision) bool {
		return r.Name == d.Name+"-"+d.Template.Hash && string(r.Data) != string(d.Template.Data)
	})
}

// otherwiseSame reports whether data is that of the template in another form.
func (l *look) otherwiseSame(data []byte) bool {
	var a, b any
	if json.Unmarshal(data, &a) != nil || json.Unmarshal(l.s.DaemonSet.Template.Data, &b) != nil {
		return false
	}
	return string(data) != string(l.s.DaemonSet.Template.Data) && reflect.DeepEqual(a, b)
}

// shows reports whether a quirk can show, by what its row says and not by how it is
// repaired.
func (l *look) shows(quirk string) bool {
	d := &l.s.DaemonSet
	switch quirk {
	case "OutsideNodesUseBudget":
		return !l.surges(l.desired) && l.disorderOutside()
	case "OldUnavailableNotCounted":
		return l.kruise() && !l.surges(l.desired) && l.any(func(_ string, p *daemonset.Pod) bool { return !l.isNew(p) && !l.serves(p) })
	case "MissingNodeStopsSurge":
		return !l.kruise() && l.surges(1) && l.any(func(n string, p *daemonset.Pod) bool { return l.missing(n) && (!l.isNew(p) || l.serves(p)) })
	case "OlderPodsRelabelled":
		return len(l.hashes) > 2 && l.anyPod(func(p *daemonset.Pod) bool { return !slices.Contains(l.hashes, p.Labels[daemonset.LabelHash]) })
	case "GenerationHidesHash":
		return l.anyPod(l.byGeneration)
	case "StatusCountsDeletedPod":
		return l.betterBehindOldest()
	case "SurgeIgnoresBackoff":
		return l.surges(1) && l.failedWaits()
	case "SharesOfLastStatus":
		last := d.Status.DesiredNumberScheduled
		return d.Partition.Of(last) != d.Partition.Of(l.desired) || d.Burst.Of(last) != d.Burst.Of(l.desired)
	case "BurstRoundsToZero":
		return strings.HasSuffix(d.Burst.String(), "%") && d.Burst != rollout.Percent(0) && d.Burst.Of(d.Status.DesiredNumberScheduled) == 0
	case "CollisionCountNotRaised":
		return l.kruise() && l.nameTaken()
	case "DeletedPodCountsTwice":
		return l.kruise() && !l.surges(l.desired) && l.any(func(n string, p *daemonset.Pod) bool {
			return l.isNew(p) && prepared(p) && !l.serves(p) && len(l.pods[n]) > 1
		})
	case "SucceededPodsStay":
		return l.kruise() && l.any(func(_ string, p *daemonset.Pod) bool { return p.Phase == "Succeeded" })
	case "GateAddedTwice":
		return l.inPlace() && slices.Contains(d.Template.ReadinessGates, inplace.Gate)
	case "PodsOfMissingNodesDeletedAgain":
		return l.anyPod(func(p *daemonset.Pod) bool { return goes(p) && p.NodeName == "" && l.missing(p.PinnedNode) })
	case "InPlaceRemovesAllMetadata":
		return l.inPlace() && slices.ContainsFunc(l.s.Revisions, func(r revision.ControllerRevision) bool { return strings.Contains(string(r.Data), "annotations") })
	case "InPlaceLeftUnfinished":
		return !l.kruise() && !l.inPlace() && l.anyPod(func(p *daemonset.Pod) bool { return p.InPlace != nil && !p.InPlace.True })
	case "SurgeOnExcludedNodes":
		return l.kruise() && l.surges(1) && l.any(func(n string, p *daemonset.Pod) bool { return !l.missing(n) && !l.places[n][0] && !l.isNew(p) })
	case "SerialisationIsVersion":
		return slices.ContainsFunc(l.s.Revisions, func(r revision.ControllerRevision) bool { return l.otherwiseSame(r.Data) })
	case "LongNameNotCut":
		return len(d.Name+"-"+d.Template.Hash) > 253
	}
	return false // quirk.TerminatingNamespaceRaisesExpectations is about outcomes, not plans
}

// Where a quirk does not show, its repair alone changes nothing.
func TestPropertySingleQuirk(t *testing.T) {
	changes, cases := map[string]int{}, quirkCases()
	names := slices.Sorted(maps.Keys(cases))
	check(t, func(t *rapid.T) {
		s, opts := purity.Clone(anything(t)), anyOptions(t)
		if rapid.IntRange(0, 3).Draw(t, "smallest") == 0 {
			s = purity.Clone(cases[rapid.SampledFrom(names).Draw(t, "quirk")].s)
		}
		odd(t, &s)
		opts.Repair = 0
		plain, l := reconcile(t, s, t0, opts), lookAt(&s, opts)
		for i, row := range quirk.Table() {
			opts.Repair = 1 << i
			p := reconcile(t, s, t0, opts)
			if reflect.DeepEqual(plain, p) {
				continue
			}
			if changes[row.Name]++; !l.shows(row.Name) {
				t.Fatalf("%s does not show, and its repair changes the plan:\n%s", row.Name, cmp.Diff(plain, p))
			}
		}
	})
	t.Log(changes)
}
