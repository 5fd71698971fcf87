// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"strconv"
	"strings"
)

// Annotations that a Deployment and its ReplicaSets carry.
const (
	// AnnotationRevision is the revision of a ReplicaSet, and on a Deployment the revision
	// of its newest ReplicaSet: a decimal int64.
	AnnotationRevision = "deployment.kubernetes.io/revision"
	// AnnotationHistory is the former revisions of a ReplicaSet, oldest first,
	// separated by commas.
	AnnotationHistory = "deployment.kubernetes.io/revision-history"
	// AnnotationDesired is the Deployment's replicas when the ReplicaSet was last
	// scaled: a decimal int32.
	AnnotationDesired = "deployment.kubernetes.io/desired-replicas"
	// AnnotationMax is the Deployment's replicas plus its surge when the
	// ReplicaSet was last scaled: a decimal int32.
	AnnotationMax = "deployment.kubernetes.io/max-replicas"
	// AnnotationRollback on a Deployment asks for a rollback to a revision.
	AnnotationRollback = "deprecated.deployment.rollback.to"
	// AnnotationLastApplied is the configuration that kubectl applied last.
	AnnotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

// HistoryLimit is the maximum length of [AnnotationHistory], in bytes.
const HistoryLimit = 2000

// Sync is [Keys.Sync] with the keys of Kubernetes.
func Sync(deployment, replicaSet map[string]string, next int64) (set map[string]string, changed bool) {
	return Keys{}.Sync(deployment, replicaSet, next)
}

// Sync returns the annotations to set on a Deployment's newest ReplicaSet: the
// Deployment's annotations, and the revision raised to next with the former one added
// to the history. Annotations that the Deployment no longer has are not removed. The
// result is nil if nothing changes.
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of Kubernetes
// for a ReplicaSet that exists, a defect included: if the ReplicaSet's revision does
// not parse, changed is false although set may hold copies. Upstream writes such copies
// only if it updates the ReplicaSet for another reason.
func (k Keys) Sync(deployment, replicaSet map[string]string, next int64) (set map[string]string, changed bool) {
	revision := cmp.Or(k.Revision, AnnotationRevision)
	put := func(key, value string) {
		if set == nil {
			set = map[string]string{}
		}
		set[key] = value
	}
	for key, value := range deployment {
		if old, ok := replicaSet[key]; k.copied(key) && (!ok || old != value) {
			put(key, value)
		}
	}
	text, had := replicaSet[revision]
	old := int64(0)
	if text != "" {
		var err error
		if old, err = parse(text); err != nil {
			return set, false
		}
	}
	if old < next {
		put(revision, strconv.FormatInt(next, 10))
		if had {
			key := cmp.Or(k.History, AnnotationHistory)
			history, hadHistory := replicaSet[key]
			if longer := AppendHistory(history, text, HistoryLimit); longer != history || !hadHistory {
				put(key, longer)
			}
		}
	}
	return set, len(set) > 0
}

// AppendHistory adds the revision old to a history and drops the oldest entries until
// it has at most limit bytes. If old alone is longer, the history stays as it is.
//
//	AppendHistory("1,2,3", "4", 2000) // "1,2,3,4"
//	AppendHistory("8,9,10", "12", 8)  // "9,10,12"
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of
// Kubernetes. A history with an empty first entry is discarded.
func AppendHistory(history, old string, limit int) string {
	if history == "" || history[0] == ',' {
		return old
	}
	rest := history
	for {
		if len(rest)+1+len(old) <= limit {
			return rest + "," + old
		}
		_, after, more := strings.Cut(rest, ",")
		if !more {
			break
		}
		rest = after
	}
	if len(old) <= limit {
		return old
	}
	return history
}
