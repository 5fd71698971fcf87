// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout"
)

// A Deployments is a Deployment of a few pods with up to three ReplicaSets, the planners
// of both, and a cluster.
type Deployments struct {
	Plan    func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)
	Options deploy.Options
	// Check looks at each plan. It may be nil.
	Check func(deploy.Snapshot, deploy.Plan) []Breach

	Strategy           deploy.Strategy
	Surge, Unavailable int8
	Replicas           []int8 // what it may want; the first at the beginning
	Templates          int8   // at most 3
	Changes            int8   // by people, of template or size
	Pauses             bool   // people pause it as well
	Losses             int8   // of pods
	Behind             int8   // how often the controller does not see its own last write
	Ending             bool   // pods take time to end
	// Batches make it a Deployment that is rolled by partition: the next one follows
	// when the pods of one are available. The last is everything.
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
	seen                     bool // it is of the present size
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

// A deploymentView is what the planner of Deployments sees; the pods matter to Recreate only.
type deploymentView struct {
	replicas, template, revision int8
	paused                       bool
	sets                         [3]setState
	batch                        int8 // of a partitioned Deployment, from 1; 0 of others
}

// A deploymentState is a state. Least and most are the smallest and largest size that was wanted
// so far: bounds are of those, since writes that were planned for one may come after
// the other. Two numbers are the slack that staleness has: by how many pods writes changed
// sizes that the controller did not see when it planned again, and how many available
// pods it believed in that were gone.
type deploymentState struct {
	deploymentView
	least, most, changes, losses, behind int8
	unseen, believed                     int8
	shared                               bool // replicas of a partitioned Deployment were shared out
	plan                                 [6]deploymentWrite
}

// A deploymentStep is a write to a ReplicaSet, which has no pods here, or to the
// Deployment. Last is the highest rank that there is.
type deploymentStep struct {
	write deploymentWrite
	set   setState
	last  int8
}

// A deploymentEffect is what becomes of the ReplicaSet, or the revision of the Deployment.
type deploymentEffect struct {
	set      setState
	revision int8
	refused  bool
}

// A plannedDeployment is a plan and what is wrong with it.
type plannedDeployment struct {
	writes   [6]deploymentWrite
	breaches []Breach
}

// A podStep is what the planner of ReplicaSets does first, and the pods after it.
type podStep struct {
	what   string
	starts bool
	to     deploymentPods // without the size
}

// inStep tells that the status of a ReplicaSet counts its pods right.
func inStep(set setState) bool {
	return set.report.total == set.pods.fresh+set.pods.ready && set.report.available == set.pods.ready && set.report.ending == set.pods.ending
}
