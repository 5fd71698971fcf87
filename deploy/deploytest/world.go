// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// world has the events that may happen to a Deployment between two plans.
var world = map[string]func(random.Source, *deploy.Snapshot, time.Time){
	"pods live":  func(s random.Source, snapshot *deploy.Snapshot, _ time.Time) { eachSet(s, snapshot, live) },
	"pods die":   func(s random.Source, snapshot *deploy.Snapshot, _ time.Time) { eachSet(s, snapshot, die) },
	"it is told": told,
}

// begin gives pods the labels that the selector matches, as the API server demands.
// Otherwise each new ReplicaSet is released at once, and its name stays taken.
func begin(s *deploy.Snapshot) { s.Deployment.TemplateLabels = map[string]string{"app": "web"} }

func eachSet(s random.Source, snapshot *deploy.Snapshot, happens func(random.Source, *replicaset.ReplicaSet)) {
	for i := range snapshot.ReplicaSets {
		if rs := &snapshot.ReplicaSets[i]; random.Often(s, "this one", 2) {
			happens(s, rs)
		}
	}
	snapshot.Pods = nil // the statuses have the same counts
}

// live lets the controller of a ReplicaSet act, and some of its pods become available. Of
// surplus pods, the unavailable ones go first.
func live(s random.Source, rs *replicaset.ReplicaSet) {
	wanted := int32(1)
	if rs.Replicas != nil {
		wanted = *rs.Replicas
	}
	available := min(max(rs.Status.AvailableReplicas, 0), wanted)
	report(rs, wanted, random.Between(s, "available", available, wanted))
}

// die makes available pods unavailable.
func die(s random.Source, rs *replicaset.ReplicaSet) {
	available := max(rs.Status.AvailableReplicas, 0)
	report(rs, max(rs.Status.Replicas, available), random.Between(s, "available", 0, available))
}

func report(rs *replicaset.ReplicaSet, replicas, available int32) {
	terminating := int32(0)
	rs.Status.ObservedGeneration, rs.Status.TerminatingReplicas = rs.Generation, &terminating
	rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = replicas, replicas, available, available
}

// told makes a user scale, pause or resume the Deployment, or change its template.
func told(s random.Source, snapshot *deploy.Snapshot, _ time.Time) {
	d := &snapshot.Deployment
	switch random.Below(s, "told", 4) {
	case 0:
		replicas := random.Between[int32](s, "replicas", 0, 12)
		d.Replicas = &replicas
	case 1, 2:
		// No ReplicaSet was drawn with these hashes: a name that is taken ends the pass.
		n := random.Between(s, "template", 1, 5)
		d.Template = revision.Template{ID: fmt.Sprint("v", n), Hash: fmt.Sprint("w", n)}
	case 3:
		if d.Partitioned == nil {
			d.Paused = !d.Paused
		}
	}
	d.Generation++
}
