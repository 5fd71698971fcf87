// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/cluster"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/subject"
)

const simulateLong = `Show how the rollout of each Deployment and DaemonSet in the files, or of those
named in a cluster, will go, step by step, in a cluster that exists only in this
program. A Rollout of Argo goes through its steps; what routes and what analyses find is
given (--analysis). A Deployment, CloneSet, StatefulSet or DaemonSet with a Rollout of
OpenKruise in the files is released by that, from what --from holds; pauses and traffic
are shown on one axis of time. A release that is under way, as its status tells, goes on
from where it stands: then all of it has to be in the files, its BatchRelease, pods and
what leads traffic as well, and the ControllerRevisions of a DaemonSet. The present is
the latest time in files, unless --now says otherwise, and that of the clock in clusters.
ReplicaSets and ReplicationControllers that nobody owns, or that are named, come to their
size; pods that are there keep their template.

All are simulated in one cluster, in which they compete for room, host ports and quotas.

With --from it starts where the workloads of the same names in those files have
been rolled out: all pods available, revision 1. Where the files hold ReplicaSets
or pods with a workload, as kubectl prints them, it starts from these instead.
Without either it starts from nothing. DaemonSets for which there is no node in the
files, and no --nodes, have those that their pods are on, or as many as their status
tells, or three. ` + narrowing + `

One manifest, or one workload of a cluster, is enough with --set-image and --restart: it
goes from what that is to what kubectl set image or kubectl rollout restart makes of it, or
those of Argo Rollouts. web=:2 gives the container web another tag, and *=:2 all.
Workloads of which nothing changes are one line.

With --live the files are applied to what the cluster holds, as kubectl apply would, and
it starts from there: the server is asked to try it, without keeping it, if that is
allowed. So it is with live objects in the files of --from. What the last apply did not
own stays, such as replicas, variables or a pause set by hand; what it owned and the new
manifest lacks goes back to its default. With --server-side the managers of the fields
decide, as with kubectl apply --server-side; files of --from then need them (kubectl get
-o yaml --show-managed-fields).

Pods that do not run as they should (ImagePullBackOff, CrashLoopBackOff) stay so, and
so do new ones of a template of which no pod is ready. Pods that are Unschedulable for
lack of room wait until others go. A quota that a ReplicaSet tells of stays. Nodes of any
of the files count, none is made beside them, and they have the room that they tell of.
What was assumed is in the output; --heal assumes the best instead.

Where nodes have zones (the label topology.kubernetes.io/zone, or --zones), the pods of
a Deployment in each are shown, and the skew: by how many the zones differ.

Manifests are completed with the defaults of the API server, in --from too, so that a
manifest and the object that the server made of it are the same, and ReplicaSets have the
names that they get in a cluster. What admission webhooks change is not known.

` + listed + ` Simulations have done and
steps, and why if they are not done, in the words of the text; times are seconds from the
start. A step has the plan of one controller (by): its actions, holds and status, and the
parts that it led to, each a ReplicaSet or the pods of one template. Deployments,
DaemonSets and Rollouts that release by partition have bounds.

With -o csv each step is a row for a spreadsheet. --trace, --metrics, --mermaid, --svg and
--html write files for other tools; the name - is standard output, which then holds
nothing else. Metrics have the names of kube-state-metrics, samples --scrape-every so
often, and go on for half an hour, since alerts wait; they begin at the present.

With --try several strategies are compared instead, and with --start also many runs
of each, whose pods take random times to start: the most pods wanted, the fewest
available, and the time that half and nine in ten of the rollouts take. Between and
beyond the quantiles the logarithm of a time is that of a normal distribution. JSON
then has trials instead of steps.

The exit code is 1 if a rollout does not finish.`

const simulateExamples = `
# From one manifest to the next
kplan simulate --from old.yaml -f new.yaml
kplan simulate --from old.yaml -f new.yaml --nodes 50

# From one manifest alone
kplan simulate -f web.yaml --set-image web=:2
kplan simulate -f cluster.yaml deployment/web --restart

# What if I apply this?
kplan simulate -f new.yaml --live
kubectl get deployment,replicaset,pod -o yaml | kplan simulate --from - -f new.yaml

# In the steps of a Rollout, with a picture
kplan simulate --from old.yaml -f new.yaml -f rollout.yaml --svg rollout.svg

# With slow pods, and a broken new version
kplan simulate --from old.yaml -f new.yaml --ready-after 45s --terminate-after 30s
kplan simulate --from old.yaml -f new.yaml --never-ready

# How long may it take, and would other limits be better?
kplan simulate --from old.yaml -f new.yaml --start p50=10s,p90=30s \
  --try maxSurge=1,maxUnavailable=0 --try maxSurge=50%

# How uneven does it leave three zones?
kplan simulate --from old.yaml -f new.yaml --nodes 6 --zones 3

# The rollout that is under way, to its end
kplan simulate deployment/web -n shop
kubectl get deployment,replicaset,pod -o yaml | kplan simulate -f -
kplan simulate rollout/web -n shop

# What would the alerts say? Mark the pull request with a diagram
kplan simulate --from old.yaml -f new.yaml --never-ready --metrics metrics.txt
promtool tsdb create-blocks-from openmetrics metrics.txt data
kplan simulate --from old.yaml -f new.yaml --mermaid - >> comment.md

# How many pods run at once?
kplan simulate --from old.yaml -f new.yaml -o json | jq '[.items[].steps[].total] | max'`

func newSimulate(name string) *cobra.Command {
	s := &simulation{}
	s.around = cluster.Around{Limits: true, Nodes: true}
	c := &cobra.Command{
		Use:     "simulate [[--from FILE | --live] -f FILE] [TYPE/NAME]",
		Short:   "Show how a rollout will go, step by step",
		Long:    simulateLong,
		Example: examples(name, simulateExamples),
		Args:    s.checkFlags,
		RunE:    s.running(s.execute),
	}
	s.input.addFlags(c)
	s.input.addNodes(c)
	s.input.addLive(c)
	c.Flags().Lookup("server-side").Usage = "with --live or --from, as kubectl apply --server-side"
	s.Policies.AddFlags(c)
	s.Pace.AddFlags(c, "pods of the new template never become ready")
	s.Comparison.AddFlags(c)
	s.picture.addFlags(c)
	s.output.addCSV(c)
	s.addEnvironment(c)
	c.Flags().BoolVar(&s.chart, "chart", false, "also draw the rollout here, as is always done for Rollouts")
	return c
}

// checkFlags rejects combinations of flags that are not valid.
func (s *simulation) checkFlags(c *cobra.Command, args []string) error {
	if err := s.checkArgs(c, args); err != nil {
		return err
	}
	_, err := s.picture.toStdout()
	switch runs := c.Flags().Changed("runs"); {
	case err != nil:
		return err
	case s.edits.check() != nil:
		return s.edits.check()
	case len(s.from) > 0 && s.live:
		return errors.New("--from and --live exclude each other")
	case s.Heal && s.NeverReady:
		return errors.New("--heal and --never-ready exclude each other")
	case slices.Contains(s.from, "-") && slices.Contains(s.filenames, "-"):
		return errors.New("standard input can be read only once: --from - and -f -")
	case s.zones > 0 && s.nodes == 0:
		return errors.New("--zones needs --nodes: it is nodes that are made which it puts into zones")
	case s.every == 0:
		return errors.New("--scrape-every must not be zero")
	case runs && len(s.Comparison.Start) == 0:
		return errors.New("--runs needs --start")
	case runs && (s.Runs == 0 || s.Runs > subject.MaxRuns):
		return fmt.Errorf("--runs %d: must be from 1 to %d", s.Runs, subject.MaxRuns)
	}
	return nil
}

func (s *simulation) execute(c *cobra.Command) error {
	from, err := s.loadFrom(c)
	if err != nil {
		return err
	}
	set, err := s.load(c, s.filenames)
	if err != nil {
		return err
	}
	if err := cmp.Or(s.edits.missed(), s.onlyDeployments(set)); err != nil {
		return err
	}
	s.Begin, s.NotesNew = s.now.Time, len(s.from) > 0
	if latest := subject.Later(from.Latest, set.Latest); s.cluster != nil || !latest.IsZero() {
		s.Begin = s.present(c, latest)
	}
	from.Running = manifest.Running{} // the manifests are applied
	s.Tell, s.Doing = tellTo(c), s.progress.doing
	results := answers{all: s.picture.wanted() || s.output == csvFormat}
	s.Records = results.all || s.chart && !s.Asked()
	err = s.Outcomes(set, subject.EarlierOf(from), func(o subject.Outcome) error { return results.add(c, s, o) })
	if s.progress.done(); err != nil {
		return err
	}
	if err := s.show(c, &results); err != nil {
		return err
	}
	return cmp.Or(s.draw(c, results.outcomes), results.end)
}

// onlyDeployments returns an error if strategies are to be compared for workloads other than
// Deployments.
func (s *simulation) onlyDeployments(set *manifest.Set) error {
	const text = "--start and --try are for Deployments without a Rollout alone"
	switch {
	case !s.Asked():
	case len(set.Rollouts) > 0:
		return set.Rollouts[0].Invalid(errors.New(text))
	case len(set.Argo) > 0:
		return set.Argo[0].Invalid(errors.New(text))
	case len(set.ReplicaSets) > 0:
		return set.ReplicaSets[0].Invalid(errors.New(text))
	case len(set.DaemonSets) > 0:
		return set.DaemonSets[0].Invalid(errors.New(text))
	}
	return nil
}
