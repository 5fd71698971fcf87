// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/podorder"
)

// An Order is the order in which the pods of a ReplicaSet would be deleted.
type Order struct {
	Kind       string // ReplicaSet or ReplicationController
	Namespace  string
	Name       string
	Controller string // such as Deployment web, or ""
	Wanted     int32
	Deleting   bool // the ReplicaSet is being deleted, and deletes no pods
	Ending     int  // number of its pods that are being deleted
	Now        time.Time
	Pods       []Victim
	Marked     int // number of pods to delete, -1 if not requested
}

// A Victim is a pod of an [Order].
type Victim struct {
	Pod        podorder.Pod
	Neighbours int32
	Run        Run                  // the places that it may have
	Next       podorder.Explanation // why it goes before the next pod; no Rule for the last
}

// Subject returns the ReplicaSet or ReplicationController.
func (o Order) Subject() Subject { return replicaSet(o.Kind, o.Namespace, o.Name) }

// Text writes the order as a table.
func (o Order) Text(w *terminal.Writer) {
	controller := ", without a controller"
	if o.Controller != "" {
		controller = " of " + o.Controller
	}
	w.Printf("%s %s%s: wants %s, has %d\n", o.Kind, o.Subject().label(), controller, plural(o.Wanted, "pod"), len(o.Pods))
	if o.Ending > 0 {
		w.Printf("Being deleted already: %s\n", count(o.Ending, "pod", "pods"))
	}
	if o.Deleting {
		w.Printf("It is being deleted itself, and leaves its pods alone.\n")
	}
	w.Printf("\n")
	if len(o.Pods) == 0 {
		w.Printf("No pod to delete.\n")
		return
	}
	if tie := o.tie(); tie != nil {
		w.Printf("Goes: %s.\nIt is %s.\n\n", tie.text(), tieWhy)
	}
	o.table(w)
}

// tie returns the tie between pods of which only some are deleted, or nil.
func (o *Order) tie() *Tie {
	if o.Marked <= 0 || o.Marked >= len(o.Pods) {
		return nil
	}
	run := o.Pods[o.Marked].Run
	if run.Begin >= o.Marked {
		return nil
	}
	t := &Tie{Count: o.Marked - run.Begin}
	for i := run.Begin; i < run.End; i++ {
		t.Pods = append(t.Pods, o.Pods[i].Pod.Name)
	}
	return t
}

// goes returns whether the pod in a place is deleted, and whether that is uncertain.
func (o *Order) goes(place int) (goes, perhaps bool) {
	run := o.Pods[place].Run
	perhaps = run.Begin < o.Marked && o.Marked < run.End
	return run.End <= o.Marked, perhaps
}

// table writes the pods in order. Criteria that rarely decide have columns only if lines may have
// any length; otherwise the rule names them where they decide.
func (o *Order) table(w *terminal.Writer) {
	wide := w.Width() == 0
	header := []string{"PLACE", "POD", "NODE", "READY FOR"}
	if wide {
		header = append(header, "PHASE", "COST", "NEIGHBOURS", "RESTARTS")
	}
	header = append(header, "BEFORE THE NEXT BECAUSE")
	if o.Marked >= 0 {
		header = append([]string{"GOES"}, header...)
	}
	t := terminal.NewTable(header...)
	for i := range o.Pods {
		style, cells := o.cells(i, wide)
		t.Styled(style, cells...)
	}
	t.WriteTo(w)
}

func (o *Order) cells(place int, wide bool) (terminal.Style, []string) {
	v := &o.Pods[place]
	cells := []string{v.Run.place(), v.Pod.Name, dash(v.Pod.NodeName), o.readyFor(&v.Pod)}
	if wide {
		cells = append(cells, dash(string(v.Pod.Phase)), fmt.Sprint(v.cost()), fmt.Sprint(v.Neighbours), fmt.Sprint(v.Pod.Restarts))
	}
	cells = append(cells, o.why(place))
	if o.Marked < 0 {
		return terminal.Plain, cells
	}
	switch goes, perhaps := o.goes(place); {
	case goes:
		return terminal.Bad, append([]string{"yes"}, cells...)
	case perhaps:
		return terminal.Warn, append([]string{"perhaps"}, cells...)
	}
	return terminal.Plain, append([]string{"-"}, cells...)
}

func (o *Order) readyFor(p *podorder.Pod) string {
	switch {
	case !p.Ready:
		return "not ready"
	case p.ReadySince.IsZero():
		return "unknown"
	}
	return clock(o.Now.Sub(p.ReadySince).Round(time.Second))
}

func (v *Victim) cost() int32 {
	cost, _ := podorder.DeletionCost(v.Pod.Annotations)
	return cost
}

// why returns the reason why the pod in a place goes before the next one.
func (o *Order) why(place int) string {
	v := &o.Pods[place]
	switch {
	case v.Next.Rule == "":
		return "-"
	case place+1 < v.Run.End:
		return "a tie"
	}
	return ruleText(v.Next, o.Now)
}

type orderedPod struct {
	Place      int           `json:"place"` // the first place that it may have
	Last       int           `json:"lastPlace"`
	Name       string        `json:"name"`
	Node       string        `json:"node,omitzero"`
	Phase      string        `json:"phase,omitzero"`
	Ready      bool          `json:"ready"`
	ReadySince time.Time     `json:"readySince,omitzero"`
	Cost       int32         `json:"cost"`
	Neighbours int32         `json:"neighbours"`
	Restarts   int32         `json:"restarts"`
	Goes       *bool         `json:"goes,omitzero"`    // whether it is deleted; absent if not requested
	Perhaps    bool          `json:"perhaps,omitzero"` // it is uncertain whether it goes
	Rule       podorder.Rule `json:"rule,omitzero"`    // the rule that puts it before the next
	Why        string        `json:"why,omitzero"`
}

// MarshalJSON encodes the order. Pods are never left out.
func (o Order) MarshalJSON() ([]byte, error) {
	pods := make([]orderedPod, len(o.Pods))
	for i := range o.Pods {
		v := &o.Pods[i]
		pods[i] = orderedPod{
			Place: v.Run.Begin + 1, Last: v.Run.End, Name: v.Pod.Name, Node: v.Pod.NodeName, Phase: string(v.Pod.Phase),
			Ready: v.Pod.Ready, ReadySince: v.Pod.ReadySince, Cost: v.cost(), Neighbours: v.Neighbours,
			Restarts: v.Pod.Restarts, Rule: v.Next.Rule,
		}
		if v.Next.Rule != "" {
			pods[i].Why = o.why(i)
		}
		if o.Marked >= 0 {
			goes, perhaps := o.goes(i)
			pods[i].Goes, pods[i].Perhaps = new(goes), perhaps
		}
	}
	return marshal(struct {
		head
		Controller string       `json:"controller,omitempty"`
		Wanted     int32        `json:"wanted"`
		Deleting   bool         `json:"deleting,omitzero"`
		Ending     int          `json:"terminating"`
		Pods       []orderedPod `json:"pods"`
		Tie        *Tie         `json:"tie,omitempty"`
	}{headOf(o.Subject()), o.Controller, o.Wanted, o.Deleting, o.Ending, pods, o.tie()})
}
