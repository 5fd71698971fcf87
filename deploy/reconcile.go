package deploy

import (
	"time"

	"github.com/kplan-go/kplan/revision"
)

// Reconcile returns the next step of the Deployment in s as of now. It performs
// nothing. The error, if any, wraps [ErrInvalid] and one [FieldError] for each
// field that cannot be used.
func Reconcile(s Snapshot, now time.Time, opts Options) (Plan, error) {
	var st state
	if err := st.admit(&s, now, &opts); err != nil {
		return Plan{}, err
	}
	if st.selectsAll() {
		st.refuse()
		return st.plan, nil
	}
	if !st.deleting() && !st.partitioned() {
		st.notePause()
	}
	st.syncNew()
	request, requested := revision.RollbackRequest(st.d.Annotations)
	switch {
	case st.deleting():
		st.hold("", ReasonDeleting, 0, 0)
		st.reportCounts()
	case st.d.Paused:
		st.syncPaused()
		st.reportCounts()
	case requested && !st.partitioned():
		st.rollBack(request)
	case st.scalesFirst():
		st.explainScaling()
		st.scale()
		st.reportCounts()
	case st.d.Strategy == Recreate:
		st.recreate()
		st.reportProgress()
	default:
		st.roll()
		st.stopAtPoints()
		st.reportProgress()
	}
	st.emitScales()
	st.reportPartition()
	return st.plan, nil
}
