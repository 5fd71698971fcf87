// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
)

type vChoices struct {
	Create, Delete, InPlaceUpdate, MarkPreparingDelete choice
	Error                                              string
}

// compare fails the test if the choices are not those of the reference, and returns
// how many items the reference never chose in its recorded runs.
func (want vChoices) compare(t *testing.T, name string, got chosen, input json.RawMessage) (rare int) {
	t.Helper()
	for _, c := range []struct {
		kind string
		want choice
		got  []string
	}{
		{"create", want.Create, got.create}, {"delete", want.Delete, got.remove},
		{"in place", want.InPlaceUpdate, got.inPlace}, {"mark", want.MarkPreparingDelete, got.mark},
	} {
		ok, r := c.want.agrees(c.got)
		if !ok {
			t.Errorf("%s: %s %v, want %+v\n%s", name, c.kind, c.got, c.want, input)
		}
		if len(r) > 0 {
			t.Logf("%s: %s %v was never chosen in the recorded runs: %+v\n%s", name, c.kind, r, c.want, input)
		}
		rare += len(r)
	}
	return rare
}

func TestVectorsManage(t *testing.T) {
	explained := tally{}
	defer explained.log(t)
	for _, set := range both {
		rare, cases := 0, vectors(t, set, "manage")
		for _, v := range cases {
			in, out := decode[vCluster, vChoices](t, v)
			s, unreadable := in.snapshot()
			if slices.Contains(unreadable, "partition") { // and so it stays unset
				explained.add(t, "progressive creation")
			}
			if slices.Contains(unreadable, "burstReplicas") {
				s.DaemonSet.Burst = rollout.Int(0)
				explained.add(t, "the burst")
			}
			p, err := daemonset.ManageOnly(s, epoch, options(set))
			require.NoError(t, err, v.Name)
			rare += out.compare(t, set+" "+v.Name, choices(p.Actions), v.Input)
		}
		require.LessOrEqual(t, rare, len(cases)/100, "%s: items that the reference hardly ever chooses", set)
	}
}

func TestVectorsRollingUpdate(t *testing.T) {
	explained := tally{}
	defer explained.log(t)
	for _, set := range both {
		rare, cases := 0, vectors(t, set, "rolling_update")
		for _, v := range cases {
			in, out := decode[vCluster, vChoices](t, v)
			s, unreadable := in.snapshot()
			require.Empty(t, unreadable, v.Name)
			opts := options(set)
			opts.Prune = in.PruneIneligibleNodes
			p, err := daemonset.UpdateOnly(s, epoch, opts)
			require.NoError(t, err, v.Name)
			if out.Error == "node-not-found" {
				explained.add(t, "surge in Kubernetes")
				require.Empty(t, p.Actions, v.Name)
				require.Equal(t, reason.MissingNode, p.Holds[0].Reason, v.Name)
				continue
			}
			require.Empty(t, out.Error, v.Name)
			rare += out.compare(t, set+" "+v.Name, choices(p.Actions), v.Input)
		}
		require.LessOrEqual(t, rare, len(cases)/100, "%s: items that the reference hardly ever chooses", set)
	}
}

func TestVectorsFilterNodesToUpdate(t *testing.T) {
	explained := tally{}
	defer explained.log(t)
	for _, v := range vectors(t, "kruise", "filter_nodes_to_update") {
		in, out := decode[vCluster, struct {
			Nodes []string
			Error any
		}](t, v)
		s, unreadable := in.snapshot()
		if out.Error != nil {
			explained.add(t, "partition and selector")
			require.Equal(t, []string{"partition"}, unreadable, v.Name)
			continue
		}
		got, err := daemonset.FilterOnly(s, epoch, options("kruise"))
		require.NoError(t, err, v.Name)
		if diff := cmp.Diff(out.Nodes, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", v.Name, diff, v.Input)
		}
	}
}

func TestVectorsStatus(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "status") {
			in, out := decode[vCluster, struct {
				daemonset.Status
				RequeueAfterSeconds int64
			}](t, v)
			s, _ := in.snapshot()
			opts := options(set)
			opts.Freeze = true // the status alone
			p, err := daemonset.Reconcile(s, epoch, opts)
			require.NoError(t, err, v.Name)
			if diff := cmp.Diff(out.Status, p.Status); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s\n%s", set, v.Name, diff, v.Input)
			}
			requeue(t, set+" "+v.Name, out.RequeueAfterSeconds, &p, s)
		}
	}
}

// requeue checks that where the reference looks again, some pod has yet to become
// available: the plan knows when, and does not name a time where none will.
func requeue(t *testing.T, name string, seconds int64, p *daemonset.Plan, s daemonset.Snapshot) {
	t.Helper()
	waits := p.Status.NumberReady != p.Status.NumberAvailable && s.DaemonSet.MinReadySeconds > 0
	if (seconds > 0) != waits {
		t.Errorf("%s: requeue after %d, but %v", name, seconds, p.Status)
	}
	if at := p.RecheckAt; !at.IsZero() && !at.After(epoch) {
		t.Errorf("%s: recheck at %v is past", name, at)
	}
}

func TestVectorsSync(t *testing.T) {
	for _, set := range both {
		rare, cases := 0, vectors(t, set, "sync")
		for _, v := range cases {
			in, out := decode[vCluster, struct {
				vChoices
				Status struct {
					daemonset.Status
					RequeueAfterSeconds int64
				}
			}](t, v)
			s, unreadable := in.snapshot()
			require.Empty(t, unreadable, v.Name)
			p, err := daemonset.Reconcile(s, epoch, options(set))
			require.NoError(t, err, v.Name)
			rare += out.compare(t, set+" "+v.Name, choices(p.Actions), v.Input)
			p.Status.UpdateRevision = "" // not recorded here
			if diff := cmp.Diff(out.Status.Status, p.Status); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s\n%s", set, v.Name, diff, v.Input)
			}
		}
		require.LessOrEqual(t, rare, len(cases)/100, "%s: items that the reference hardly ever chooses", set)
	}
}

func TestVectorsNodeEvent(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "node_event") {
			in, out := decode[struct {
				DS                 vDaemonSet
				OldNode, NewNode   daemonset.Node
				Pods               []vPod
				StatusMisscheduled int32
			}, struct {
				ConsiderUpdate, Enqueue, EnqueueOnUpdate, EnqueueOnCreate bool
			}](t, v)
			d, unreadable := in.DS.daemonSet("new")
			require.Empty(t, unreadable, v.Name)
			d.Status.NumberMisscheduled = in.StatusMisscheduled
			c := daemonset.Change{Node: daemonset.NodeEvent{New: &in.NewNode}}
			if slices.ContainsFunc(in.Pods, func(p vPod) bool { return p.Node == in.NewNode.Name }) {
				c.Bound = []string{d.UID}
			}
			added := concerned(d, c, options(set))
			c.Node.Old = &in.OldNode
			changed := concerned(d, c, options(set))
			wantAdded, wantChanged := out.Enqueue, out.ConsiderUpdate && out.Enqueue
			if set == "kruise" {
				wantAdded, wantChanged = out.EnqueueOnCreate, out.EnqueueOnUpdate
			}
			if added != wantAdded || changed != wantChanged {
				t.Errorf("%s %s: %v %v, want %+v\n%s", set, v.Name, added, changed, out, v.Input)
			}
		}
	}
}

type vRevision struct {
	Name, Hash, Data string
	Revision         int64
}

func TestVectorsConstructHistory(t *testing.T) {
	explained := tally{}
	defer explained.log(t)
	for _, set := range both {
		for _, v := range vectors(t, set, "construct_history") {
			in, out := decode[struct {
				DSName, TemplateHash string
				CollisionCount       *int32
				Revisions            []vRevision
				Pods                 []vPod
			}, vHistory](t, v)
			s := daemonset.Snapshot{Pods: pods(in.Pods)}
			s.DaemonSet, _ = vDaemonSet{}.daemonSet(in.TemplateHash)
			s.DaemonSet.Name, s.DaemonSet.Status.CollisionCount = in.DSName, in.CollisionCount
			for _, r := range in.Revisions {
				s.Revisions = append(s.Revisions, revisionOf(r.Name, r.Hash, r.Revision, stored(r.Data)))
			}
			got := history(t, s, set)
			if out.Error || out.Collision {
				explained.add(t, "taken names")
				require.True(t, got.Error, v.Name)
				require.Equal(t, out.Collision, got.Collision, v.Name)
				continue
			}
			slices.Sort(out.Deleted) // the reference goes by its cache
			slices.Sort(got.Deleted)
			if diff := cmp.Diff(out, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s\n%s", set, v.Name, diff, v.Input)
			}
		}
	}
}

// A vHistory is what is done about revisions.
type vHistory struct {
	LabelAdded, Deleted, PodsRelabeled, Old []string
	Bumped                                  map[string]int64
	Create                                  bool
	CreateRevision                          int64
	Current, CurrentHash                    string
	Collision, Error                        bool
}

func history(t *testing.T, s daemonset.Snapshot, set string) (h vHistory) {
	t.Helper()
	p, name, hash, old, ok, err := daemonset.ConstructOnly(s, epoch, options(set))
	require.NoError(t, err)
	if !ok {
		return vHistory{Error: true, Collision: p.Status.CollisionCount != nil && (s.DaemonSet.Status.CollisionCount == nil || *p.Status.CollisionCount != *s.DaemonSet.Status.CollisionCount)}
	}
	h = vHistory{Old: old, Current: name, CurrentHash: hash, Bumped: map[string]int64{}}
	labelled := map[string]bool{}
	for _, r := range s.Revisions {
		labelled[r.Name] = r.Labels[daemonset.LabelHash] != ""
	}
	for _, a := range p.Actions {
		switch a := a.(type) {
		case daemonset.CreateRevision:
			h.Create, h.CreateRevision, h.Current = true, a.Revision, a.Name
		case daemonset.UpdateRevision:
			if a.Hash != "" {
				h.LabelAdded = append(h.LabelAdded, a.Name)
			}
			if a.From != a.To {
				h.Bumped[a.Name] = a.To
			}
		case daemonset.DeleteRevision:
			h.Deleted = append(h.Deleted, a.Name)
			if !labelled[a.Name] { // finding the current revision
				h.LabelAdded = append(h.LabelAdded, a.Name)
			}
		case daemonset.RelabelPod:
			h.PodsRelabeled = append(h.PodsRelabeled, a.Name)
		}
	}
	slices.Sort(h.LabelAdded)
	return h
}

func TestVectorsCleanupHistory(t *testing.T) {
	for _, set := range both {
		for _, v := range vectors(t, set, "cleanup_history") {
			in, out := decode[struct {
				Old                  []vRevision
				Pods                 []vPod
				RevisionHistoryLimit *int32
			}, struct{ Deleted []string }](t, v)
			s := daemonset.Snapshot{Pods: pods(in.Pods)}
			s.DaemonSet, _ = vDaemonSet{}.daemonSet("now")
			s.DaemonSet.RevisionHistoryLimit = in.RevisionHistoryLimit
			s.Revisions = append(s.Revisions, revisionOf("now", "now", 100, stored("current")))
			for _, r := range in.Old {
				s.Revisions = append(s.Revisions, revisionOf(r.Name, r.Hash, r.Revision, stored(r.Name)))
			}
			p, err := daemonset.CleanUpOnly(s, epoch, options(set))
			require.NoError(t, err)
			var got []string
			for _, a := range p.Actions {
				got = append(got, a.(daemonset.DeleteRevision).Name)
			}
			if diff := cmp.Diff(out.Deleted, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s\n%s", set, v.Name, diff, v.Input)
			}
		}
	}
}
