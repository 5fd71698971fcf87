// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"strconv"
	"strings"
)

// Annotations of a Deployment and its ReplicaSets. In this package the newest ReplicaSet of a
// Deployment is the one with its present template.
const (
	// AnnotationRevision on a ReplicaSet is its revision, and on a Deployment the revision
	// of its newest ReplicaSet. It is a decimal int64.
	AnnotationRevision = "deployment.kubernetes.io/revision"
	// AnnotationHistory on a ReplicaSet is the list of its former revisions, oldest first,
	// separated by commas.
	AnnotationHistory = "deployment.kubernetes.io/revision-history"
	// AnnotationDesired on a ReplicaSet is the Deployment's replicas at the time when the
	// ReplicaSet was last scaled. It is a decimal int32.
	AnnotationDesired = "deployment.kubernetes.io/desired-replicas"
	// AnnotationMax on a ReplicaSet is the Deployment's replicas plus its surge at the time
	// when the ReplicaSet was last scaled. It is a decimal int32.
	AnnotationMax = "deployment.kubernetes.io/max-replicas"
	// AnnotationRollback on a Deployment requests a rollback. It is a decimal int64: the
	// revision to roll back to, or 0 for the previous one.
	AnnotationRollback = "deprecated.deployment.rollback.to"
	// AnnotationLastApplied on a Deployment is the configuration that kubectl applied last.
	AnnotationLastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

// HistoryLimit is the maximum length of [AnnotationHistory], in bytes.
const HistoryLimit = 2000

// Sync is [Keys.Sync] with the keys of Kubernetes.
func Sync(deployment, replicaSet map[string]string, next int64) (set map[string]string, changed bool) {
	return Keys{}.Sync(deployment, replicaSet, next)
}

// Sync returns the annotations to set on a Deployment's existing newest ReplicaSet, and whether
// they must be written. They are the annotations of the Deployment that [Keys.Copied] allows and
// that differ. If the ReplicaSet's revision is less than next, they also include next as its
// revision, and its history with the former revision added. Annotations that the Deployment has
// lost are not removed. If nothing differs, set is nil.
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of Kubernetes, including
// a defect: if the ReplicaSet's revision does not parse, changed is false even if set is not
// empty. Upstream writes such a set only if it updates the ReplicaSet for another reason.
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

// AppendHistory returns a history with the revision old added, and without as many of its oldest
// revisions as needed to have at most limit bytes. If old alone has more bytes, it returns the
// history unchanged. An empty history, or one with an empty first revision, becomes old, whatever
// the limit.
//
//	AppendHistory("1,2,3", "4", 2000) // "1,2,3,4"
//	AppendHistory("8,9,10", "12", 8)  // "9,10,12"
//
// It mirrors SetNewReplicaSetAnnotations of the deployment util package of Kubernetes.
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
