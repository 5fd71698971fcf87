package revision_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/revision"
)

// Every field of whatever is asked or answered survives JSON.
func TestRoundTrip(t *testing.T) {
	purity.RoundTrip(t, ".", nil,
		revision.Entry{}, revision.Workload{}, revision.Options{}, revision.Change{}, revision.Rollback{},
		revision.Held{}, revision.ControllerRevision{},
		revision.Attempt{}, revision.StatefulSet{}, revision.Choice{}, revision.Deduped{}, revision.Parent{},
	)
}
