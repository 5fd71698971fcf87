package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
)

// A simulation is the flags of the command.
type simulation struct {
	input
	policies
	pace
	from []string
}

func newSimulate(name string) *cobra.Command {
	s := &simulation{}
	c := &cobra.Command{
		Use:   "simulate [--from FILE] -f FILE",
		Short: "Show how a rollout will go, step by step",
		Long: `Show how the rollout of each Deployment in the files will go, step by step, in a
cluster that exists only in this program.

With --from it starts where the Deployments of the same names in those files have
been rolled out: all pods available, revision 1. Where the files hold ReplicaSets
with a Deployment, as kubectl prints them, it starts from these instead. Without
either it starts from nothing.

Templates are compared as they are written. A manifest and the object that the API
server made of it differ, because the server has filled in defaults.

With -o json each Deployment is an object with name, bounds, done and steps; times
are seconds from the start. Several Deployments are the items of one object.

The exit code is 1 if a rollout does not finish.`,
		Example: examples(name, `
# From one manifest to the next
kplan simulate --from old.yaml -f new.yaml

# With slow pods, and a broken new version
kplan simulate --from old.yaml -f new.yaml --ready-after 45s --terminate-after 30s
kplan simulate --from old.yaml -f new.yaml --never-ready

# The rollout that is under way, to its end
kubectl get deployment,replicaset,pod -o yaml | kplan simulate -f -

# How many pods run at once?
kplan simulate --from old.yaml -f new.yaml -o json | jq '[.steps[].total] | max'`),
		Args: cobra.NoArgs,
		RunE: running(s.execute),
	}
	s.input.addFlags(c)
	s.policies.addFlags(c)
	s.pace.addFlags(c, "pods of the new template never become ready")
	c.Flags().StringSliceVar(&s.from, "from", nil, "file or folder with what is running")
	_ = c.MarkFlagFilename("from", "yaml", "yml", "json") // fails only for a flag that is not there
	return c
}

func (s *simulation) execute(c *cobra.Command) error {
	set, err := s.load(c, s.filenames)
	if err != nil {
		return err
	}
	from := &manifest.Set{}
	if len(s.from) > 0 {
		if slices.Contains(s.from, "-") && slices.Contains(s.filenames, "-") {
			return errors.New("standard input can be read only once: --from - and -f -")
		}
		if from, err = s.load(c, s.from); err != nil {
			return err
		}
	}
	var simulations []view.Simulation
	for i := range set.Workloads {
		w := &set.Workloads[i]
		old := find(from.Workloads, w)
		if old == nil && len(s.from) > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "note: %s: %s is not in the files of --from and starts from nothing\n", w.File, w.Name())
		}
		result, err := s.simulate(w, old)
		if err != nil {
			return err
		}
		simulations = append(simulations, result)
	}
	if err := write(c, s.output, simulations); err != nil {
		return err
	}
	return unfinished(set, simulations)
}

// find returns the workload of the same name, or nil.
func find(list []manifest.Workload, w *manifest.Workload) *manifest.Workload {
	for i := range list {
		if list[i].Key() == w.Key() {
			return &list[i]
		}
	}
	return nil
}

func (s *simulation) simulate(w, old *manifest.Workload) (view.Simulation, error) {
	start, err := s.start(w, old)
	if err != nil {
		return view.Simulation{}, err
	}
	result, err := s.pace.run(start, s.options, start.Deployment.Template)
	if err != nil {
		return view.Simulation{}, w.Invalid(err)
	}
	return view.Simulation{
		Namespace: w.Deployment.Namespace, Name: w.Deployment.Name, Images: imagesOf(&result.Cluster, w, old), Result: result,
		Policies: s.departures(),
	}, nil
}

// start returns the cluster in which the rollout begins.
func (s *simulation) start(w, old *manifest.Workload) (sim.Cluster, error) {
	if old == nil {
		return clusterOf(w, s.now.Time)
	}
	if !equality.Semantic.DeepEqual(old.Deployment.Spec.Selector, w.Deployment.Spec.Selector) {
		return sim.Cluster{}, w.Invalid(errors.New("spec.selector: must not change, and differs from that in " + old.File))
	}
	c, err := clusterOf(old, s.now.Time)
	if err != nil {
		return c, err
	}
	if len(old.ReplicaSets) == 0 {
		if c, err = sim.Finished(c.Deployment); err != nil {
			return c, old.Invalid(err)
		}
	}
	wanted, err := clusterOf(w, s.now.Time)
	if err != nil {
		return c, err
	}
	c.Update(wanted.Deployment)
	return c, nil
}
