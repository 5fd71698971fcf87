// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// scaling generates rollouts whose replicas have changed midway.
func scaling(t *rapid.T) deploy.Snapshot {
	before := rapid.Int32Range(1, 30).Draw(t, "before")
	d := web(rapid.Int32Range(0, 30).Draw(t, "after"), limits(rapid.Int32Range(0, 4).Draw(t, "surge"), rapid.Int32Range(0, 3).Draw(t, "unavailable")))
	var sets []replicaset.ReplicaSet
	for n := range rapid.IntRange(1, 5).Draw(t, "sets") {
		size := rapid.Int32Range(0, 9).Draw(t, "size")
		max := rapid.SampledFrom([]int32{before, before, before, before + 4}).Draw(t, "max")
		sets = append(sets, set(n+1, size, sized(fmt.Sprint(before), fmt.Sprint(max)), counts(size, rapid.Int32Range(0, size+1).Draw(t, "available"))))
	}
	s := snapshot(d, sets...)
	if rapid.Bool().Draw(t, "partitioned") {
		return byPartition(t, s)
	}
	s.Deployment.Strategy = rapid.SampledFrom([]deploy.Strategy{deploy.RollingUpdate, deploy.Recreate}).Draw(t, "strategy")
	s.Deployment.Paused = rapid.Bool().Draw(t, "paused")
	return s
}

// varied generates snapshots close to those that show a quirk.
func varied(t *rapid.T) deploy.Snapshot {
	s := purity.Clone(rapid.SampledFrom(quirkCases()).Draw(t, "case").s)
	if rapid.Bool().Draw(t, "other replicas") {
		s.Deployment.Replicas = ptr.To(rapid.Int32Range(0, 12).Draw(t, "replicas"))
	}
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		if rapid.IntRange(0, 3).Draw(t, "other size") == 0 {
			rs.Replicas = ptr.To(rapid.Int32Range(0, 9).Draw(t, "size"))
		}
		if rapid.IntRange(0, 3).Draw(t, "other status") == 0 {
			counts(wants(rs), rapid.Int32Range(0, 9).Draw(t, "available"))(rs)
		}
		if rapid.IntRange(0, 3).Draw(t, "other revision") == 0 {
			numbered(rapid.SampledFrom([]string{"1", "2", "5", "x"}).Draw(t, "revision"))(rs)
		}
	}
	return s
}

// shows reports whether a quirk shows in a snapshot and the plan that upstream would
// make. It is as written in the table, and knows nothing of the repairs.
func shows(q quirk.Set, s *deploy.Snapshot, p *deploy.Plan) bool {
	d, part := &s.Deployment, s.Deployment.Partitioned != nil
	desired := func(rs *replicaset.ReplicaSet) string { return rs.Annotations[revision.AnnotationDesired] }
	switch q {
	case quirk.StaleAnnotationBlocksRollout:
		return slices.ContainsFunc(activeSets(s), func(rs *replicaset.ReplicaSet) bool {
			return wants(rs) == p.Budget.Replicas && reads(desired(rs), part) && desired(rs) != strconv.Itoa(int(p.Budget.Replicas))
		})
	case quirk.RecreateStuckAfterScaling:
		return d.Strategy == deploy.Recreate && !part && len(activeSets(s)) > 1 && slices.ContainsFunc(activeSets(s), func(rs *replicaset.ReplicaSet) bool {
			return reads(desired(rs), part) && desired(rs) != strconv.Itoa(int(p.Budget.Replicas))
		})
	case quirk.ProductsWrapAround:
		return productsWrap(s, p)
	case quirk.SumsWrapAround:
		return magnitude(s, p) > math.MaxInt32 || productsWrap(s, p)
	case quirk.ScalingLosesShares:
		return losesShares(s, p)
	case quirk.ScalingKeepsUnavailable:
		return !part && keepsUnavailable(s, p)
	case quirk.StatusAheadStopsCleanup:
		return slices.ContainsFunc(activeSets(s), func(rs *replicaset.ReplicaSet) bool { return isAhead(rs) && !isNew(s, rs) })
	case quirk.StatusAheadFailsScaling:
		return part && slices.ContainsFunc(activeSets(s), func(rs *replicaset.ReplicaSet) bool { return isAhead(rs) && !isNew(s, rs) })
	case quirk.ExcessAvailableCounts:
		return slices.ContainsFunc(owned(s), isAhead)
	case quirk.UnavailableReplicasLag:
		return unavailableAfter(s, p) != int64(p.Status.UnavailableReplicas)
	case quirk.DeletingDeploymentWritesNewSet:
		return !d.DeletionTimestamp.IsZero() && hasNew(s)
	case quirk.ReusedSetKeepsDeadline:
		return reuses(s, p)
	case quirk.ReplicaFailureNotRefreshed:
		return failureIsStale(s)
	case quirk.UsedSetsFillHistory:
		return cutsHistory(s) && slices.ContainsFunc(owned(s), func(rs *replicaset.ReplicaSet) bool {
			return !isNew(s, rs) && (wants(rs) != 0 || rs.Status.Replicas != 0)
		})
	case quirk.UnreadableRevisionSortsByAge:
		return cutsHistory(s) && slices.ContainsFunc(owned(s), func(rs *replicaset.ReplicaSet) bool {
			_, err := revision.Number(rs.Annotations)
			return err != nil
		})
	case quirk.EmptyMapSelectsAll:
		return d.Selector != nil && len(d.Selector.MatchLabels)+len(d.Selector.MatchExpressions) == 0
	case quirk.LenientSizeAnnotations:
		return slices.ContainsFunc(owned(s), func(rs *replicaset.ReplicaSet) bool {
			return lenient(desired(rs)) || part && lenient(rs.Annotations[revision.AnnotationMax])
		})
	case quirk.ScaleFromZeroStartsYoungest:
		return len(activeSets(s)) == 0 && !hasNew(s) && len(owned(s)) > 1
	case quirk.CutNameInvalid:
		return len(d.Name) > 230
	case quirk.CleanupDeletesStartedSet:
		return cutsHistory(s) && slices.ContainsFunc(owned(s), func(rs *replicaset.ReplicaSet) bool {
			return wants(rs) == 0 && planned(p, rs) > 0
		})
	case quirk.RollbackCreatesAbandonedSet:
		return d.Annotations[revision.AnnotationRollback] != "" && !hasNew(s)
	}
	return part && showsByPartition(q, s, p)
}

func showsByPartition(q quirk.Set, s *deploy.Snapshot, p *deploy.Plan) bool {
	limit := limitOf(s.Deployment.Partitioned.Partition.String(), p.Budget.Replicas)
	switch q {
	case quirk.OldestFirstUnderPartition:
		return oldestGoes(s, p)
	case quirk.NewPodAtPartitionZero:
		return limit == 0 && !hasNew(s)
	case quirk.ScaledBeyondPartition:
		return slices.ContainsFunc(owned(s), func(rs *replicaset.ReplicaSet) bool {
			return isNew(s, rs) && planned(p, rs) > max(wants(rs), limit)
		})
	case quirk.ScalingTakesAvailable:
		now, left := int64(0), int64(0)
		for _, rs := range owned(s) {
			available := max(0, min(rs.Status.AvailableReplicas, wants(rs)))
			now, left = now+int64(available), left+int64(min(available, planned(p, rs)))
		}
		return left < min(now, int64(p.Budget.Replicas)-int64(p.Budget.Unavailable))
	}
	return false
}

// keepsUnavailable reports whether a ReplicaSet loses available pods, while an old one keeps
// some that are not.
func keepsUnavailable(s *deploy.Snapshot, p *deploy.Plan) bool {
	loses, keeps := false, false
	for _, rs := range owned(s) {
		available := max(0, min(rs.Status.AvailableReplicas, wants(rs)))
		loses = loses || planned(p, rs) < available
		keeps = keeps || !isNew(s, rs) && min(planned(p, rs), wants(rs)) > available
	}
	return loses && keeps
}

// unavailableAfter returns how many pods are wanted, once the plan is carried out, and not
// available.
func unavailableAfter(s *deploy.Snapshot, p *deploy.Plan) int64 {
	sizes, n := map[string]int32{}, int64(0)
	for _, rs := range owned(s) {
		sizes[rs.Name] = wants(rs)
	}
	for _, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			sizes[a.Name] = a.Replicas
		case deploy.ScaleReplicaSet:
			sizes[a.Name] = a.To
		}
	}
	for _, size := range sizes {
		n += int64(size)
	}
	return max(0, n-int64(p.Status.AvailableReplicas))
}

// reuses reports whether a rollout goes on with a ReplicaSet that was of an earlier
// revision, and the condition does not say that it begins now.
func reuses(s *deploy.Snapshot, p *deploy.Plan) bool {
	for _, a := range p.Actions {
		annotate, ok := a.(deploy.AnnotateReplicaSet)
		if !ok || annotate.Set[revision.AnnotationRevision] == "" {
			continue
		}
		for _, rs := range owned(s) {
			now, _ := deploy.GetCondition(p.Status.Conditions, deploy.ConditionProgressing)
			if rs.UID == annotate.UID && isNew(s, rs) && s.Deployment.ProgressDeadlineSeconds != nil && (now.Reason != "FoundNewReplicaSet" || !now.LastUpdateTime.Equal(t0)) {
				return true
			}
		}
	}
	return false
}

// cutsHistory reports whether there are more ReplicaSets of old templates than are kept.
func cutsHistory(s *deploy.Snapshot) bool {
	old := slices.DeleteFunc(owned(s), func(rs *replicaset.ReplicaSet) bool { return isNew(s, rs) })
	limit := s.Deployment.RevisionHistoryLimit
	return limit != nil && len(old) > int(*limit)
}

// oldestGoes reports whether an old ReplicaSet loses pods while a younger one keeps some,
// or the new one is older than one of them.
func oldestGoes(s *deploy.Snapshot, p *deploy.Plan) bool {
	active := activeSets(s)
	return slices.ContainsFunc(active, func(a *replicaset.ReplicaSet) bool {
		return slices.ContainsFunc(active, func(b *replicaset.ReplicaSet) bool {
			younger := a.CreationTimestamp.Before(b.CreationTimestamp) || a.CreationTimestamp.Equal(b.CreationTimestamp) && a.Name < b.Name
			return younger && (isNew(s, a) || planned(p, a) < wants(a) && planned(p, b) > 0)
		})
	})
}

// owned returns the sets that the Deployment has, or may adopt.
func owned(s *deploy.Snapshot) (sets []*replicaset.ReplicaSet) {
	matching, _ := selector.FromLabelSelector(s.Deployment.Selector)
	for i := range s.ReplicaSets {
		rs, part := &s.ReplicaSets[i], s.Deployment.Partitioned != nil
		mine := rs.ControllerUID == s.Deployment.UID && (!part || rs.DeletionTimestamp.IsZero())
		adopts := rs.ControllerUID == "" && !part && s.Deployment.DeletionTimestamp.IsZero() && rs.DeletionTimestamp.IsZero()
		if s.Deployment.Selector == nil && mine || s.Deployment.Selector != nil && (mine || adopts) && matching.Matches(rs.Labels) {
			sets = append(sets, rs)
		}
	}
	return sets
}

// activeSets returns those of them that want pods.
func activeSets(s *deploy.Snapshot) (sets []*replicaset.ReplicaSet) {
	return slices.DeleteFunc(owned(s), func(rs *replicaset.ReplicaSet) bool { return wants(rs) == 0 })
}

func wants(rs *replicaset.ReplicaSet) int32 {
	if rs.Replicas == nil {
		return 1
	}
	return *rs.Replicas
}

// planned returns the size of a set after a plan.
func planned(p *deploy.Plan, rs *replicaset.ReplicaSet) int32 {
	for _, a := range p.Actions {
		if scale, ok := a.(deploy.ScaleReplicaSet); ok && scale.UID == rs.UID {
			return scale.To
		}
	}
	return wants(rs)
}

func isNew(s *deploy.Snapshot, rs *replicaset.ReplicaSet) bool {
	return rs.Template.Same(s.Deployment.Template)
}

func hasNew(s *deploy.Snapshot) bool {
	return slices.ContainsFunc(owned(s), func(rs *replicaset.ReplicaSet) bool { return isNew(s, rs) })
}

// isAhead reports whether a set reports more available pods than it wants, or a number
// that is none.
func isAhead(rs *replicaset.ReplicaSet) bool {
	return rs.Status.AvailableReplicas > wants(rs) || rs.Status.AvailableReplicas < 0
}

// reads reports whether an annotation is a size, for a partition any number.
func reads(text string, part bool) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil && (part || !lenient(text))
}

// lenient reports whether a number is not written as a size is.
func lenient(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && (n < 0 || n > math.MaxInt32 || strings.ContainsAny(text, "+-"))
}

// productsWrap reports whether a share, or how far it is from the size, is beyond 32 bits.
func productsWrap(s *deploy.Snapshot, p *deploy.Plan) bool {
	return slices.ContainsFunc(activeSets(s), func(rs *replicaset.ReplicaSet) bool {
		product := new(big.Int).Mul(big.NewInt(int64(wants(rs))), big.NewInt(int64(p.Budget.Replicas)+int64(p.Budget.Surge)))
		return product.Add(product.Abs(product), big.NewInt(int64(wants(rs)))).Cmp(big.NewInt(math.MaxInt32)) > 0
	})
}

// magnitude returns the sum of all numbers that a pass may add up.
func magnitude(s *deploy.Snapshot, p *deploy.Plan) (sum int64) {
	add := func(n int32) { sum += max(int64(n), -int64(n)) }
	for _, percent := range []string{s.Deployment.MaxSurge.String(), s.Deployment.MaxUnavailable.String()} {
		if n, err := strconv.Atoi(strings.TrimSuffix(percent, "%")); err == nil && strings.HasSuffix(percent, "%") {
			sum += int64(n) * int64(p.Budget.Replicas) / 100
		}
	}
	add(p.Budget.Replicas)
	add(p.Budget.Surge)
	add(p.Budget.Unavailable)
	add(s.Deployment.Status.Replicas)
	for _, rs := range owned(s) {
		add(wants(rs))
		add(rs.Status.Replicas)
		add(rs.Status.ReadyReplicas)
		add(rs.Status.AvailableReplicas)
		if n := rs.Status.TerminatingReplicas; n != nil {
			add(*n)
		}
	}
	return sum
}

// losesShares reports whether sizes in the middle of a rollout are not the closest to
// their shares that sum up.
func losesShares(s *deploy.Snapshot, p *deploy.Plan) bool {
	active, goal := activeSets(s), int64(0)
	if p.Budget.Replicas > 0 {
		goal = int64(p.Budget.Replicas) + int64(p.Budget.Surge)
	}
	if s.Deployment.Partitioned != nil {
		goal = int64(p.Budget.Replicas)
		if slices.ContainsFunc(active, func(rs *replicaset.ReplicaSet) bool { return rs.Status.AvailableReplicas < wants(rs) }) {
			return true // which go first, so that shares are not of these sizes
		}
	}
	before, after, bases := make([]replicaset.ReplicaSet, len(active)), make([]replicaset.ReplicaSet, len(active)), map[string]bool{}
	for i, rs := range active {
		before[i].Replicas, after[i].Replicas = ptr.To(wants(rs)), ptr.To(planned(p, rs))
		bases[rs.Annotations[revision.AnnotationMax]] = true
	}
	return len(active) > 1 && (goal > math.MaxInt32 || len(bases) > 1 || !asCloseAsCanBe(before, after, int32(goal)))
}

// failureIsStale reports whether the failure that the Deployment reports is another than
// that of its sets, as far as the order in which they are asked does not matter.
func failureIsStale(s *deploy.Snapshot) bool {
	texts := map[string]bool{}
	for _, c := range s.Deployment.Status.Conditions {
		if c.Type == deploy.ConditionReplicaFailure {
			texts[fmt.Sprint("reported", c.Status, c.Reason, c.Message, len(texts))] = true
		}
	}
	actual := map[string]bool{}
	for _, rs := range owned(s) {
		for _, c := range rs.Status.Conditions {
			if c.Type == replicaset.ConditionReplicaFailure {
				actual[fmt.Sprint("reported", c.Status, c.Reason, c.Message, 0)] = true
			}
		}
	}
	if len(texts) != len(actual) {
		return true
	}
	for text := range actual {
		if !texts[text] {
			return true
		}
	}
	return false
}
