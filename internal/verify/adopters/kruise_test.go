// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"testing"

	"github.com/kplan-go/kplan/internal/verify/recorded"
)

var kruiseFiles = []file{
	{"kruise", "kruise_cloneset_diffs", cloneSetDiff},
	{"kruise", "kruise_pod_order", cloneSetOrder},
	{"kruise", "kruise_daemonset_tables", daemonSetTable},
}

func cloneSetDiff(t *testing.T, r recorded.Recording) answer {
	d := read[CloneSet](t, r).Diff()
	return same(r, map[string]int64{
		"scaleUp": d.Up, "scaleUpOld": d.UpOld, "scaleUpLimit": d.UpLimit, "scaleDown": d.Down, "scaleDownOld": d.DownOld,
		"deleteReadyLimit": d.DeleteReady, "surge": d.Surge, "surgeOld": d.SurgeOld, "update": d.Update, "updateMaxUnavailable": d.UpdateUnavailable,
	})
}
