// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A quirkCase is what all functions with quirks are asked at once.
type quirkCase struct {
	Entries    []revision.Entry
	Limit      int32
	Texts      texts // annotations of the newest ReplicaSet
	Parent     string
	Data       []string // of revisions, in the order of their numbers
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

func (c quirkCase) last() string { return c.Data[len(c.Data)-1] }

// cleaned is the answer of CleanUp.
type cleaned struct {
	Remove []int
	Held   []revision.Held
}

// answers asks each function. An attempt meets a name that is taken by the last data.
func (c quirkCase) answers(o revision.Options) map[string]any {
	var clean cleaned
	clean.Remove, clean.Held = revision.CleanUp(c.Entries, &c.Limit, o)
	change, changed := revision.SyncWith(texts{"a": "1"}, c.Texts, 5, o)
	var list []revision.ControllerRevision
	var hashes []string
	for i, d := range c.Data {
		r := version(fmt.Sprint("v", i), int64(i), data(d))
		r.Dump = c.Dump
		list, hashes = append(list, r), append(hashes, revision.HashRevision([]byte(d), c.Dump, c.Collisions, o))
	}
	current, old := revision.Partition(list, list[0].Data, o)
	last := list[len(list)-1]
	count, err := revision.DaemonSetTaken("agent", list[0].Data, last, c.Collisions, c.Collisions, o)
	undo, err2 := kubectl.UndoRevision(list, list[0].Data, 0, o)
	answers := map[string]any{
		"ByRevision": revision.ByRevision(c.Entries, o), "ByLatestRevision": revision.ByLatestRevision(c.Entries, o), "CleanUp": clean,
		"SyncWith": []any{change, changed}, "DaemonSetRevisionName": revision.DaemonSetRevisionName(c.Parent, "7d4c665cf7", o),
		"HashRevision": hashes, "Partition": [][]int{current, old}, "FindEqual": revision.FindEqual(list, list[0], o),
		"DaemonSetTaken": []any{count, fmt.Sprint(err)}, "UndoRevision": []any{undo, fmt.Sprint(err2)},
		"ChooseUpdate": revision.ChooseUpdate(revision.StatefulSet{Name: "db", Data: list[0].Data}, list, nil, o),
	}
	r := revision.NewControllerRevision(revision.Parent{Name: "db"}, nil, list[0].Data, 1, c.Collisions, o)
	a, err := revision.FirstAttempt("db", r, c.Collisions, o)
	answers["NewControllerRevision"], answers["FirstAttempt"] = r, []any{a, fmt.Sprint(err)}
	if err == nil {
		next, use := a.Taken(last, o)
		answers["Taken"] = []any{next, use}
	}
	return answers
}

// unreadable reports whether there is a revision that is no number.
func unreadable(annotations texts) bool {
	text, ok := annotations[revision.AnnotationRevision]
	_, err := strconv.Atoi(text)
	return ok && err != nil
}

// byNumber returns the entries by number, the older first of equal ones. What is no number
// is 0.
func (c quirkCase) byNumber(direction int) []int {
	order := revision.ByAge(c.Entries)
	number := func(i int) int {
		n, _ := strconv.Atoi(c.Entries[i].Annotations[revision.AnnotationRevision])
		return direction * n
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(number(i), number(j)) })
	return order
}

// lowest is what CleanUp has to answer where a revision that is no number is 0.
func (c quirkCase) lowest() (want cleaned) {
	order := slices.DeleteFunc(c.byNumber(1), func(i int) bool { return !c.Entries[i].DeletionTimestamp.IsZero() })
	for _, i := range order[:max(0, len(order)-int(c.Limit))] {
		if reason := c.Entries[i].Hold(); reason != "" {
			want.Held = append(want.Held, revision.Held{Index: i, Reason: reason})
			continue
		}
		want.Remove = append(want.Remove, i)
	}
	return want
}

// written is data without what is written differently by some serialisers.
func written(data string) string {
	return strings.NewReplacer(" ", "", `,"b":null`, "").Replace(data)
}

// duplicates reports whether two texts say the same in different ways.
func duplicates(a, b string) bool { return a != b && written(a) == written(b) }

// shows returns the functions whose answers a quirk spoils, by the input and by what they
// answer by default.
func (c quirkCase) shows(name string, kept map[string]any) map[string]bool {
	first := c.Data[0]
	switch name {
	case "UnreadableRevisionFreezes":
		return map[string]bool{"SyncWith": unreadable(c.Texts)}
	case "UnreadableRevisionSortsByAge":
		return map[string]bool{
			"ByRevision":       !slices.Equal(kept["ByRevision"].([]int), c.byNumber(1)),
			"ByLatestRevision": !slices.Equal(kept["ByLatestRevision"].([]int), c.byNumber(-1)),
			"CleanUp":          gocmp.Diff(kept["CleanUp"], c.lowest()) != "",
		}
	case "DataBesideObjectNotHashed":
		return map[string]bool{"HashRevision": c.Dump != ""}
	case "SerialisationIsVersion":
		return c.showsSerialisation()
	case "LongNameNotCut":
		return map[string]bool{"DaemonSetRevisionName": len(c.Parent) > 253-len("-7d4c665cf7")}
	case "CollisionLabelDiffers":
		return map[string]bool{"Taken": c.Collisions != nil && first != c.last()} // something else has the name
	case "UnsetCollisionCountFails":
		return map[string]bool{"FirstAttempt": c.Collisions == nil, "Taken": c.Collisions == nil}
	case "UsedSetsFillHistory":
		clean := kept["CleanUp"].(cleaned)
		return map[string]bool{"CleanUp": len(clean.Remove)+len(clean.Held) > 0 && slices.ContainsFunc(c.Entries, func(e revision.Entry) bool {
			return e.DeletionTimestamp.IsZero() && *e.Replicas+e.Status.Replicas > 0
		})}
	}
	return nil
}

func (c quirkCase) showsSerialisation() map[string]bool {
	first := c.Data[0]
	odd := written(first) != first
	duplicate := func(d string) bool { return duplicates(first, d) }
	since := 0 // the newest with the very same text
	for i, d := range c.Data {
		if d == first {
			since = i
		}
	}
	newer := slices.ContainsFunc(c.Data[since:], duplicate)
	return map[string]bool{
		"HashRevision": c.Dump == "" && slices.ContainsFunc(c.Data, func(d string) bool { return written(d) != d }),
		"Partition":    slices.ContainsFunc(c.Data, duplicate), "FindEqual": slices.ContainsFunc(c.Data, duplicate),
		"DaemonSetTaken": duplicate(c.last()), "NewControllerRevision": odd,
		"FirstAttempt": c.Collisions != nil && odd, "Taken": c.Collisions != nil && (odd || duplicate(c.last())),
		"UndoRevision": len(c.Data) > 1 && duplicate(c.Data[len(c.Data)-2]),
		"ChooseUpdate": c.Dump == "" && newer || c.Dump != "" && odd, // a decoded object equals no data, so that one is created
	}
}

// TestPropertySingleQuirk: a repair changes the answer of a function if and only if its
// quirk shows there.
func TestPropertySingleQuirk(t *testing.T) {
	changed, same := map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawQuirkCase(t)
		kept := c.answers(revision.Options{})
		for i, q := range quirk.Table() {
			shows, repaired := c.shows(q.Name, kept), c.answers(revision.Options{Repair: quirk.Set(1) << i})
			for name := range repaired {
				if diff := gocmp.Diff(kept[name], repaired[name]); (diff != "") != shows[name] {
					t.Fatalf("%s shows in %s: %v, and its repair changes:\n%s", q.Name, name, shows[name], diff)
				}
			}
			for name, shows := range shows {
				if shows {
					changed[q.Name+" "+name]++
				} else {
					same[q.Name+" "+name]++
				}
				changed[q.Name+" "+name] += 0 // each is asked below
			}
		}
	})
	for name := range changed {
		require.NotZero(t, changed[name], name)
		require.NotZero(t, same[name], name)
	}
}
