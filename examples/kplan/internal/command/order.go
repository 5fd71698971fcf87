// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
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
		order, err := subject.OrderOf(&snapshot, now, int(o.count))
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

var _ pflag.Value = new(number)

// A number is a number of pods, -1 if it is unset.
type number int32

func (n *number) String() string {
	if *n < 0 {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// Type returns the name of the value in help texts.
func (n *number) Type() string { return "number" }

// Set accepts numbers that are not negative.
func (n *number) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return fmt.Errorf("must be a number of pods")
	}
	*n = number(v)
	return nil
}
