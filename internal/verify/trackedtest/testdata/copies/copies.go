// SPDX-License-Identifier: Apache-2.0

// Package copies copies Trackers by value, in each line with a comment at its end.
package copies

import (
	"encoding/json"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
)

type holder struct{ tracker replicaset.Tracker }

func assigned(set *replicaset.Tracker, daemon *daemonset.Tracker, deployment *deploy.Tracker) {
	a := *set        // copy
	b := *daemon     // copy
	c := *deployment // copy
	d := set.Clone()
	_, _, _, _ = &a, &b, &c, d
}

func passed(h holder) { // copy
	_, _ = json.Marshal(h.tracker) // copy
	_, _ = json.Marshal(&h.tracker)
}

func ranged(list []holder) {
	for _, h := range list { // copy
		_ = &h
	}
}
