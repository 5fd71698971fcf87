// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// An ordering holds the flags of the command order.
type ordering struct {
	input
	names []string
	count number
}

func newOrder(name string) *cobra.Command {
	o := &ordering{count: -1}
	c := &cobra.Command{
		Use:   "order [-f FILE] [TYPE/NAME] [--count N]",
		Short: "Show which pods a ReplicaSet would delete first",
		Long: `Show the pods of each ReplicaSet and ReplicationController in the files in the order
in which it would delete them, and the rule that puts each before the next. Deployments
need not be there. ` + narrowing + `

Neighbours are the pods of the same Deployment on the node, of whichever of its
ReplicaSets. Of ready pods that are about as old the UID decides. Pods that are alike
in all are a tie, of which Kubernetes takes what its cache lists first. So it is where
the rules go round in a circle. Such pods share their places, such as 2-5, and if only
some of them go, the answer is "any 1 of these 4".

` + listed + ` Orders have
controller, wanted, pods and tie.`,
		Example: examples(name, `
# Which two pods would go if every ReplicaSet lost two?
kplan order deployment/web -n shop --count 2
kubectl get replicaset,pod -o yaml | kplan order -f - --count 2

# And of one alone?
kplan order -f cluster.yaml --replicaset web-6b6449b5bf`),
		Args: o.checkArgs,
		RunE: o.running(o.execute),
	}
	o.addFlags(c)
	o.addWatch(c, "interrupted")
	c.Flags().Var(&o.count, "count", "mark the pods that go if so many do")
	c.Flags().StringSliceVar(&o.names, "replicaset", nil, "show only the ReplicaSets with these names")
	_ = c.RegisterFlagCompletionFunc("replicaset", o.completeReplicaSets)
	return c
}

func (o *ordering) execute(c *cobra.Command) error {
	source := o.source(c, o.filenames)
	source.Reading = o.progress.reading
	sets, set, err := manifest.LoadReplicaSets(source)
	o.progress.done()
	if err != nil {
		return err
	}
	tell(c, set.Notes)
	o.skipped = set.Skipped
	for _, name := range o.names {
		if !slices.ContainsFunc(sets, func(s manifest.Listed) bool { return s.Name() == name }) {
			return fmt.Errorf("no ReplicaSet or ReplicationController %q with pods in the input", name)
		}
	}
	now := o.present(c, set.Latest)
	orders := drawing{in: &o.input, c: c}
	for i := range sets {
		s := &sets[i]
		if len(o.names) > 0 && !slices.Contains(o.names, s.Name()) {
			continue
		}
		snapshot := s.Full()
		order, err := o.order(&snapshot, now)
		s.Drop()
		if err != nil {
			return s.Invalid(err)
		}
		order.Namespace, order.Kind = s.Namespace(), s.Kind()
		if len(o.names) > 0 || order.Wanted > 0 || len(order.Pods) > 0 || order.Ending > 0 {
			if err := orders.add(order, nil); err != nil {
				return err
			}
		}
	}
	if len(orders.documents) == 0 {
		return errors.New("no ReplicaSet or ReplicationController in the input wants or has pods")
	}
	return write(c, o.output, orders.documents)
}

func (o *ordering) order(s *replicaset.Snapshot, now time.Time) (view.Order, error) {
	rs := &s.ReplicaSet
	result := view.Order{
		Name: rs.Name, Wanted: sizeOf(rs), Deleting: !rs.DeletionTimestamp.IsZero(), Now: now, Marked: int(o.count),
	}
	result.Controller = controllerOf(rs)
	plan, err := replicaset.Reconcile(*s, now, replicaset.Options{})
	if err != nil {
		return result, err
	}
	if plan.Status.TerminatingReplicas != nil {
		result.Ending = int(*plan.Status.TerminatingReplicas)
	}
	alive := *s
	alive.ReplicaSet.DeletionTimestamp = time.Time{}
	order, candidates, err := replicaset.Order(alive, now, replicaset.Options{})
	if err != nil {
		return result, err
	}
	victims := order.Victims(s.Pods, candidates, len(candidates))
	runs := runsOf(&order, s.Pods, victims)
	for i, v := range victims {
		pod := s.Pods[v]
		victim := view.Victim{Pod: pod, Neighbours: order.Neighbours[pod.NodeName], Run: runs[i]}
		if i+1 < len(victims) {
			next := podorder.Choice{Victims: victims[i : i+1], Survivor: victims[i+1]}
			victim.Next = order.Explain(s.Pods, victims[i:i+2], next)[0]
		}
		result.Pods = append(result.Pods, victim)
	}
	return result, nil
}
