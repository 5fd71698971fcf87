// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A showcase is the smallest input that shows a quirk, and what comes of it.
type showcase struct {
	answer         func(revision.Options) string
	kept, repaired string
}

func showcases() map[string]showcase {
	long := strings.Repeat("x", 253)
	return map[string]showcase{
		"UnreadableRevisionFreezes": {func(o revision.Options) string {
			c, changed := revision.SyncWith(nil, texts{revision.AnnotationRevision: "bad"}, 9, o)
			return fmt.Sprint(c.Set[revision.AnnotationRevision], " ", changed)
		}, " false", "9 true"},
		"UnreadableRevisionSortsByAge": {func(o revision.Options) string {
			list := entries("1", "bad")
			return named(list, revision.ByRevision(list, o))
		}, "a b", "b a"},
		"DataBesideObjectNotHashed": {func(o revision.Options) string {
			return fmt.Sprint(revision.HashRevision([]byte("1"), "object", nil, o) == revision.HashRevision([]byte("2"), "object", nil, o))
		}, "true", "false"},
		"SerialisationIsVersion": {func(o revision.Options) string {
			return fmt.Sprint(version("a", 1, data(`{"a":1}`)).SameData(version("b", 2, data(`{"a": 1, "b":null}`)), o))
		}, "false", "true"},
		"LongNameNotCut": {func(o revision.Options) string {
			return fmt.Sprint(len(revision.DaemonSetRevisionName(long, "7d4c665cf7", o)))
		}, "264", "253"},
		"CollisionLabelDiffers": {func(o revision.Options) string {
			r := revision.NewControllerRevision(revision.Parent{Name: "db"}, nil, []byte(`{"a":1}`), 1, ptr.To(int32(0)), o)
			a, _ := revision.FirstAttempt("db", r, ptr.To(int32(0)), o)
			a, _ = a.Taken(version("x", 1), o)
			return fmt.Sprint(a.Revision.Name == "db-"+a.Revision.Labels[revision.LabelRevisionHash])
		}, "false", "true"},
		"UnsetCollisionCountFails": {func(o revision.Options) string {
			_, err := revision.FirstAttempt("db", version("a", 1), nil, o)
			return fmt.Sprint(err)
		}, "collisionCount should not be nil", "<nil>"},
		"UsedSetsFillHistory": {func(o revision.Options) string {
			list := []revision.Entry{entry("a", "1"), entry("b", "2", func(e *revision.Entry) { e.Status.Replicas = 1 })}
			remove, _ := revision.CleanUp(list, ptr.To(int32(1)), o)
			return named(list, remove)
		}, "a", ""},
	}
}

// TestQuirks: each row of the table has an input that shows it: see [total.Quirks].
func TestQuirks(t *testing.T) {
	cases := map[string]total.Showcase[quirk.Set]{}
	for name, c := range showcases() {
		cases[name] = total.Showcase[quirk.Set]{Kept: c.kept, Repaired: c.repaired, Answer: func(_ *testing.T, repair quirk.Set) string {
			return c.answer(revision.Options{Repair: repair})
		}}
	}
	total.Quirks(t, quirk.Table(), quirk.All, cases)
	var all []string
	for _, q := range quirk.Table() {
		all = append(all, q.Name)
	}
	every, err := quirk.Parse(all...)
	require.NoError(t, err)
	require.Equal(t, quirk.All, every)
	_, err = quirk.Parse("Unknown")
	require.ErrorIs(t, err, kplan.ErrInvalid)
}
