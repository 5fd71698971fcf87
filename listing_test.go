// SPDX-License-Identifier: Apache-2.0

package kplan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
)

// A machine is an object of a kind of one's own.
type machine struct {
	name, uid string
	version   int
}

func identify(m machine) kplan.Identity {
	return kplan.Identity{Name: m.name, UID: m.uid, Version: fmt.Sprint(m.version)}
}

// Each pass reads all machines, and handles only the differences.
func ExampleListing_Update() {
	var machines kplan.Listing[machine]
	for _, list := range [][]machine{
		{{"a", "u1", 1}, {"b", "u2", 2}},
		{{"a", "u1", 1}, {"b", "u2", 2}},
		{{"b", "u2", 5}, {"c", "u3", 4}},
	} {
		removed, added := machines.Update(list, identify)
		fmt.Println(removed, added)
	}
	// Output:
	// [] [{a u1 1} {b u2 2}]
	// [] []
	// [{a u1 1} {b u2 2}] [{b u2 5} {c u3 4}]
}

// TestPropertyListing: the removals and then the additions turn each list into the next one, and
// nothing is told of an object with the same UID and version.
func TestPropertyListing(t *testing.T) {
	objects := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) kplan.Identity {
		text := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "text") }
		return kplan.Identity{Name: text("a", "b", "c", "d", ""), UID: text("u1", "u2", ""), Version: text("1", "2", "")}
	}), 0, 5, func(o kplan.Identity) string { return o.Name })
	rapid.Check(t, func(t *rapid.T) {
		var listing kplan.Listing[kplan.Identity]
		know := map[string]kplan.Identity{}
		for range 5 {
			list := objects.Draw(t, "list")
			removed, added := listing.Update(list, func(o kplan.Identity) kplan.Identity { return o })
			require.True(t, slices.IsSortedFunc(removed, func(a, b kplan.Identity) int { return strings.Compare(a.Name, b.Name) }))
			for _, o := range removed {
				require.Equal(t, know[o.Name], o)
				delete(know, o.Name)
			}
			for _, o := range added {
				require.NotContains(t, know, o.Name)
				require.False(t, o.Version != "" && slices.Contains(removed, o), "%v has not changed", o)
				know[o.Name] = o
			}
			want := map[string]kplan.Identity{}
			for _, o := range list {
				want[o.Name] = o
				require.True(t, o.Version != "" || slices.Contains(added, o), "%v may have changed", o)
			}
			require.Equal(t, want, know)
		}
	})
}

// TestListingOfOneName: the first of two objects with the same name is the one that is listed.
func TestListingOfOneName(t *testing.T) {
	var machines kplan.Listing[machine]
	list := []machine{{"a", "u1", 1}, {"a", "u2", 2}}
	_, added := machines.Update(list, identify)
	require.Equal(t, list[:1], added)
	removed, added := machines.Update(list, identify)
	require.Empty(t, removed)
	require.Empty(t, added)
}
