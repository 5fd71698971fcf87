// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/revision"
)

// A Hashing is two templates, each with a collision count, and their hashes.
type Hashing struct {
	DumpA, DumpB   string
	CountA, CountB *int32
	HashA, HashB   string
}

// hashed is the specification of the hash: FNV-1a of the dump and of the count in 8 bytes, in
// decimal, with each digit encoded in the alphabet without vowels.
func hashed(dump string, count *int32) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(dump))
	if count != nil {
		var bytes [8]byte
		for i := range 4 {
			bytes[i] = byte(uint32(*count) >> (8 * i))
		}
		_, _ = h.Write(bytes[:])
	}
	text := strconv.FormatUint(uint64(h.Sum32()), 10)
	return strings.Map(func(r rune) rune { return rune(safe[int(r)%len(safe)]) }, text)
}

// safe is the alphabet of upstream's random names.
const safe = "bcdfghjklmnpqrstvwxz2456789"

func templateHash(c *Hashing) []string {
	l := list(nil)
	wantA, wantB := hashed(c.DumpA, c.CountA), hashed(c.DumpB, c.CountB)
	l.addIf(c.HashA != wantA, "the hash of %q is %q, not %q", c.DumpA, c.HashA, wantA)
	l.addIf(c.HashB != wantB, "the hash of %q is %q, not %q", c.DumpB, c.HashB, wantB)
	l.addIf((c.HashA == c.HashB) != (wantA == wantB), "equal hashes: %v, and of equal templates: %v", c.HashA == c.HashB, wantA == wantB)
	return l
}

// templateHashPass checks that a set with a colliding hash is not taken for the new one.
func templateHashPass(p *DeploymentPass) []string {
	v, l := viewOf(p), list(nil)
	if v.stopped || !v.rolls() {
		return nil
	}
	for _, a := range p.Plan.Actions {
		if a, ok := a.(deploy.ScaleReplicaSet); ok && a.Reason == reason.RolloutUp {
			for _, rs := range v.sets {
				l.addIf(rs.Name == a.Name && rs.Template.ID != v.d.Template.ID, "%v has template %q, not %q", a, rs.Template.ID, v.d.Template.ID)
			}
		}
	}
	return l
}

// A Versioning is ControllerRevisions of one owner, and functions of them.
type Versioning struct {
	Revisions []revision.ControllerRevision
	Live      []string // names in use
	Limit     *int32
	// The functions are under test; nil means the ones of package revision.
	Next     func(old []int64) int64
	Truncate func(revisions []revision.ControllerRevision, live []string, limit *int32) []int
	Sort     func([]revision.ControllerRevision) []revision.ControllerRevision
}

func nextRevision(c *Versioning) []string {
	next := c.Next
	if next == nil {
		next = revision.Next
	}
	highest, numbers := int64(0), []int64(nil)
	for i := range c.Revisions {
		numbers = append(numbers, c.Revisions[i].Revision)
		highest = max(highest, c.Revisions[i].Revision)
	}
	got := next(numbers)
	return one(highest < 1<<63-1 && got != highest+1, "the next revision is %d, and the highest is %d", got, highest)
}

// nextRevisionPass checks a revision that a DaemonSet creates.
func nextRevisionPass(p *DaemonSetPass) []string {
	v, l := daemonsOf(p), list(nil)
	highest := int64(0)
	for i := range p.Snapshot.Revisions {
		if r := &p.Snapshot.Revisions[i]; v.ours(r.Labels, r.ControllerUID, false) && !v.sameData(r.Data) {
			highest = max(highest, r.Revision)
		}
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case daemonset.CreateRevision:
			l.addIf(highest < 1<<63-1 && a.Revision != highest+1, "%v gets number %d, and the highest is %d", a, a.Revision, highest)
		case daemonset.UpdateRevision:
			l.addIf(highest < 1<<63-1 && a.To != a.From && a.To != highest+1, "%v gets number %d, and the highest is %d", a, a.To, highest)
		}
	}
	return l
}

func revisionsInUseStay(c *Versioning) []string {
	truncate := c.Truncate
	if truncate == nil {
		truncate = revision.Truncate
	}
	limit, free := int64(revision.DefaultLimit), int64(0)
	if c.Limit != nil {
		limit = int64(*c.Limit)
	}
	used := func(i int) bool { return slices.Contains(c.Live, c.Revisions[i].Name) }
	for i := range c.Revisions {
		if !used(i) {
			free++
		}
	}
	l, gone := list(nil), truncate(slices.Clone(c.Revisions), slices.Clone(c.Live), c.Limit)
	for _, i := range gone {
		if i < 0 || i >= len(c.Revisions) {
			l.add("there is no revision %d", i)
			continue
		}
		l.addIf(used(i), "%s goes, and is in use", c.Revisions[i].Name)
	}
	want := int64(0)
	if limit >= 0 {
		want = max(0, free-limit)
	}
	l.addIf(int64(len(gone)) != want, "%d revisions go, %d are not used and the limit is %d", len(gone), free, limit)
	return l
}

func orderOfRevisions(c *Versioning) []string {
	sort := c.Sort
	if sort == nil {
		sort = revision.SortRevisions
	}
	l := list(nil)
	sorted := sort(slices.Clone(c.Revisions))
	l.addIf(len(sorted) != len(c.Revisions), "%d revisions are sorted of %d", len(sorted), len(c.Revisions))
	for i := 1; i < len(sorted); i++ {
		a, b := &sorted[i-1], &sorted[i]
		order := cmp.Or(cmp.Compare(a.Revision, b.Revision), a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name))
		l.addIf(order > 0, "%s with number %d comes before %s with %d", a.Name, a.Revision, b.Name, b.Revision)
	}
	return l
}
