package revision_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
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
			r := revision.NewControllerRevision(revision.Parent{Name: "db"}, nil, []byte(`{"a":1}`), 1, new(int32(0)), o)
			a, _ := revision.FirstAttempt("db", r, new(int32(0)), o)
			a, _ = a.Taken(version("x", 1), o)
			return fmt.Sprint(a.Revision.Name == "db-"+a.Revision.Labels[revision.LabelRevisionHash])
		}, "false", "true"},
		"UnsetCollisionCountFails": {func(o revision.Options) string {
			_, err := revision.FirstAttempt("db", version("a", 1), nil, o)
			return fmt.Sprint(err)
		}, "collisionCount should not be nil", "<nil>"},
		"UsedSetsFillHistory": {func(o revision.Options) string {
			list := []revision.Entry{entry("a", "1"), entry("b", "2", func(e *revision.Entry) { e.Status.Replicas = 1 })}
			remove, _ := revision.CleanUp(list, new(int32(1)), o)
			return named(list, remove)
		}, "a", ""},
	}
}

// TestQuirks: each row of the table has an input, by default it shows, its own repair
// alone mends it, and the repairs of all others leave it.
func TestQuirks(t *testing.T) {
	cases := showcases()
	var all []string
	for i, q := range revision.QuirkTable() {
		all = append(all, q.Name)
		t.Run(q.Name, func(t *testing.T) {
			c, ok := cases[q.Name]
			require.True(t, ok, "the quirk has no input that shows it")
			for _, text := range []string{q.Upstream, q.Source, q.Input, q.Repair} {
				require.NotEmpty(t, text)
			}
			own := revision.Quirks(1) << i
			require.Equal(t, q.Name, own.String())
			for repair, want := range map[revision.Quirks]string{
				0: c.kept, own: c.repaired, revision.RepairAll: c.repaired, revision.RepairAll &^ own: c.kept,
			} {
				require.Equal(t, want, c.answer(revision.Options{Repair: repair}), repair)
			}
		})
	}
	require.Len(t, cases, len(all))
	every, err := revision.ParseQuirks(all...)
	require.NoError(t, err)
	require.Equal(t, revision.RepairAll, every)
	_, err = revision.ParseQuirks("Unknown")
	require.ErrorIs(t, err, revision.ErrInvalid)
}

// A quirkCase is what all functions with quirks are asked at once.
type quirkCase struct {
	Entries    []revision.Entry
	Limit      int32
	Texts      texts // annotations of the newest ReplicaSet
	Parent     string
	Data       []string // of revisions
	Dump       string
	Collisions *int32
}

func drawQuirkCase(t *rapid.T) quirkCase {
	c := quirkCase{
		Entries: drawEntries(t), Limit: rapid.Int32Range(0, 3).Draw(t, "limit"), Texts: texts{},
		Parent:     rapid.SampledFrom([]string{"db", strings.Repeat("x", 242), strings.Repeat("x", 243), strings.Repeat("x", 253)}).Draw(t, "parent"),
		Data:       rapid.SliceOfN(rapid.SampledFrom([]string{`{"a":1}`, `{"a":2}`, `{"a":3}`, `{"a": 1}`, `{"a":1,"b":null}`}), 1, 4).Draw(t, "data"),
		Dump:       rapid.SampledFrom([]string{"", "", "object"}).Draw(t, "dump"),
		Collisions: rapid.Ptr(rapid.Int32Range(0, 2), true).Draw(t, "collisions"),
	}
	if n := numbers.Draw(t, "number"); n != "-" {
		c.Texts[revision.AnnotationRevision] = n
	}
	return c
}

// answer asks. An attempt meets a name that is taken by the last data.
func (c quirkCase) answer(o revision.Options) (answers []any) {
	add := func(values ...any) { answers = append(answers, values...) }
	add(revision.ByRevision(c.Entries, o), revision.ByLatestRevision(c.Entries, o))
	remove, held := revision.CleanUp(c.Entries, &c.Limit, o)
	add(remove, held)
	change, changed := revision.SyncWith(texts{"a": "1"}, c.Texts, 5, o)
	add(change, changed, revision.DaemonSetRevisionName(c.Parent, "7d4c665cf7", o))
	var list []revision.ControllerRevision
	for i, d := range c.Data {
		r := version(fmt.Sprint("v", i), int64(i), data(d))
		r.Dump = c.Dump
		list = append(list, r)
		add(revision.HashRevision([]byte(d), c.Dump, c.Collisions, o))
	}
	current, old := revision.Partition(list, list[0].Data, o)
	add(current, old, revision.FindEqual(list, list[0], o))
	last := list[len(list)-1]
	r := revision.NewControllerRevision(revision.Parent{Name: "db"}, nil, list[0].Data, 1, c.Collisions, o)
	a, err := revision.FirstAttempt("db", r, c.Collisions, o)
	add(a, fmt.Sprint(err))
	if err == nil {
		next, use := a.Taken(last, o)
		add(next, use)
	}
	count, err := revision.DaemonSetTaken("agent", list[0].Data, last, c.Collisions, c.Collisions, o)
	add(count, fmt.Sprint(err), revision.ChooseUpdate(revision.StatefulSet{Name: "db", Data: list[0].Data}, list, nil, o))
	undo, err := kubectl.UndoRevision(list, list[0].Data, 0, o)
	add(undo, fmt.Sprint(err))
	return answers
}

var decimal = regexp.MustCompile(`^-?[0-9]+$`)

// unreadable reports whether there is a revision that is no number.
func unreadable(annotations texts) bool {
	text, ok := annotations[revision.AnnotationRevision]
	return ok && !decimal.MatchString(text)
}

// shows says when a quirk can show, from the input alone.
func (c quirkCase) shows(name string) bool {
	odd := func(data string) bool { return strings.Contains(data, " ") || strings.Contains(data, "null") }
	switch name {
	case "UnreadableRevisionFreezes":
		return unreadable(c.Texts)
	case "UnreadableRevisionSortsByAge":
		return slices.ContainsFunc(c.Entries, func(e revision.Entry) bool { return unreadable(e.Annotations) })
	case "DataBesideObjectNotHashed":
		return c.Dump != ""
	case "SerialisationIsVersion":
		return slices.ContainsFunc(c.Data, odd)
	case "LongNameNotCut":
		return len(c.Parent) > 253-len("-7d4c665cf7")
	case "CollisionLabelDiffers":
		return c.Collisions != nil && c.Data[0] != c.Data[len(c.Data)-1] // the name is taken by something else
	case "UnsetCollisionCountFails":
		return c.Collisions == nil
	case "UsedSetsFillHistory":
		return slices.ContainsFunc(c.Entries, func(e revision.Entry) bool { return *e.Replicas+e.Status.Replicas > 0 })
	}
	return false
}

// TestPropertySingleQuirk: where a quirk does not show, its repair changes nothing.
func TestPropertySingleQuirk(t *testing.T) {
	changed := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawQuirkCase(t)
		want := c.answer(revision.Options{})
		for i, q := range revision.QuirkTable() {
			diff := cmp.Diff(want, c.answer(revision.Options{Repair: revision.Quirks(1) << i}))
			if diff != "" && !c.shows(q.Name) {
				t.Fatalf("%s does not show, and its repair changes:\n%s", q.Name, diff)
			}
			if diff != "" {
				changed[q.Name]++
			}
		}
	})
	for _, q := range revision.QuirkTable() {
		require.NotZero(t, changed[q.Name], q.Name)
	}
}
