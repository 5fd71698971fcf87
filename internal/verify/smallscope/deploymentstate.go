// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout"
)

// A Deployments is a Deployment of a few pods with up to three ReplicaSets, the planners of
// both, and a cluster.
type Deployments struct {
	Plan    func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	Options deploy.Options
	// Check checks each plan. It may be nil.
	Check func(deploy.Snapshot, deploy.Plan) []Breach

	Strategy           deploy.Strategy
	Surge, Unavailable int8
	Replicas           []int8 // the sizes that users may set; the first is the initial size
	Templates          int8   // at most 3
	Changes            int8   // by users, of template or size
	Pauses             bool   // users pause it as well
	Losses             int8   // of pods
	Behind             int8   // how often the controller does not see its own last write
	Ending             bool   // pods take time to end
	// Batches make it a Deployment with a rollout by partition: a batch follows when the pods
	// of the previous one are available. The last batch is everything.
	Batches []rollout.IntOrPercent

	plans   memo[deploymentView, plannedDeployment]
	actions map[deploymentWrite]deploy.Action // that have been planned
	effects memo[deploymentStep, deploymentEffect]
	pods    memo[deploymentPods, podStep]
}

// deploymentPods are the pods of a ReplicaSet.
type deploymentPods struct{ size, fresh, ready, ending int8 }

// sizeReport is the status of a ReplicaSet.
type sizeReport struct {
	total, available, ending int8
	seen                     bool // it reports the current size
}

// A setState is a ReplicaSet.
type setState struct {
	rank                    int8 // by creation, 0 if it does not exist
	size, desired, revision int8
	report                  sizeReport
	pods                    deploymentPods // without the size
}

// A deploymentWrite is an action of a plan.
type deploymentWrite struct {
	what                            deploymentVerb
	set, from, to, desired, revised int8
}

type deploymentVerb int8

const (
	verbNothing deploymentVerb = iota
	verbCreate
	verbScale
	verbAnnotate
	verbNumber // writes the revision of the Deployment
)

// A deploymentView is the view of the planner of Deployments; only Recreate reads the pods.
type deploymentView struct {
	replicas, template, revision int8
	paused                       bool
	sets                         [3]setState
	batch                        int8 // of a partitioned Deployment, from 1; otherwise 0
}

// A deploymentState is a state. Least and most are the smallest and largest desired size so
// far: bounds use both, since writes planned for one size may come after another size is set.
// Two numbers are the slack for staleness: the number of pods by which unseen writes changed
// sizes before the controller planned again, and the number of pods that it counted as
// available after they were gone.
type deploymentState struct {
	deploymentView
	least, most, changes, losses, behind int8
	unseen, believed                     int8
	shared                               bool // replicas of a partitioned Deployment were shared out
	plan                                 [6]deploymentWrite
}

// A deploymentStep is a write to a ReplicaSet, without its pods here, or to the Deployment.
// Last is the highest existing rank.
type deploymentStep struct {
	write deploymentWrite
	set   setState
	last  int8
}

// A deploymentEffect is the ReplicaSet after a write, or the new revision of the Deployment.
type deploymentEffect struct {
	set      setState
	revision int8
	refused  bool
}

// A plannedDeployment is a plan with the properties that it violates.
type plannedDeployment struct {
	writes   [6]deploymentWrite
	breaches []Breach
}

// A podStep is the first action of the planner of ReplicaSets, and the pods after it.
type podStep struct {
	what   string
	starts bool
	to     deploymentPods // without the size
}

// inStep reports whether the status of a ReplicaSet counts its pods correctly.
func inStep(set setState) bool {
	return set.report.total == set.pods.fresh+set.pods.ready && set.report.available == set.pods.ready && set.report.ending == set.pods.ending
}
