// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

func ExamplePolicy_Valid() {
	fmt.Println(rollout.ClusterAPI().Valid())
	fmt.Println(rollout.Policy{OnDelete: true, WorstCase: true}.Valid())
	// Output:
	// <nil>
	// Policy.WorstCase: true: must be unset with OnDelete
}

// A set with 5 machines, of which it wants 3, takes up the places of all 5.
func ExampleClusterAPI() {
	p, b := rollout.ClusterAPI(), rollout.Resolve(5, rollout.Int(1), rollout.Int(0))
	r := rollout.Roll(b, rollout.Set{}, []rollout.Set{{Wanted: 3, There: 5, Available: 5}}, 0, p)
	fmt.Println(r.Size)
	// Output: 1
}

// Machines that are wanted and do not exist yet take up no places.
func ExampleMachineController() {
	p, b := rollout.MachineController(), rollout.Resolve(5, rollout.Int(1), rollout.Int(0))
	r := rollout.Roll(b, rollout.Set{}, []rollout.Set{{Wanted: 5, There: 3, Available: 3}}, 0, p)
	fmt.Println(r.Size)
	// Output: 3
}

// Four game servers have players: the new set gets places of the other six only.
func ExampleAgones() {
	p := rollout.Agones()
	b := p.Resolve(10, 10, rollout.Int(6), rollout.Int(0))
	r := rollout.Roll(b, rollout.Set{}, []rollout.Set{{There: 4, Available: 4, Protected: 4}}, 0, p)
	fmt.Println(r.Size)
	// Output: 6
}

// The rules that each rule excludes; all others may be set together.
func TestValid(t *testing.T) {
	excluded := map[[2]string]bool{
		{"CountThere", "CountLarger"}: true, {"ProtectedApart", "WorstCase"}: true, {"ProtectedApart", "BreakDeadlock"}: true,
	}
	for _, rule := range []string{"Together", "CountLarger", "CountThere", "WorstCase", "BreakDeadlock", "WaitForNew", "FreezeOvershoot", "OfReady"} {
		excluded[[2]string{rule, "OnDelete"}] = true
	}
	names := boolFields(reflect.TypeFor[rollout.Policy]())
	require.Len(t, names, 15)
	for _, a := range names {
		for _, b := range names {
			var p rollout.Policy
			v := reflect.ValueOf(&p).Elem()
			v.FieldByName(a).SetBool(true)
			v.FieldByName(b).SetBool(true)
			err := p.Valid()
			if !excluded[[2]string{a, b}] && !excluded[[2]string{b, a}] {
				require.NoError(t, err, "%s and %s", a, b)
				continue
			}
			require.ErrorIs(t, err, kplan.ErrInvalid, "%s and %s", a, b)
			require.ErrorContains(t, err, "must be unset with")
		}
	}
}

// boolFields returns the names of the bool fields of a struct and of the structs embedded in it.
func boolFields(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Type.Kind() == reflect.Bool {
			names = append(names, f.Name)
		}
	}
	return names
}

// Presets are valid, and differ from Kubernetes.
func TestPresets(t *testing.T) {
	for _, p := range []rollout.Policy{rollout.ClusterAPI(), rollout.MachineController(), rollout.Agones()} {
		require.NoError(t, p.Valid())
		require.NotEqual(t, rollout.Policy{}, p)
	}
}

// Terminating pods count once: pods that exist include them.
func TestTerminatingCountsOnce(t *testing.T) {
	b := rollout.Budget{Replicas: 10, Surge: 3}
	newSet, old := rollout.Set{Wanted: 2, There: 2}, []rollout.Set{{Wanted: 6, There: 9}} // 3 of the 9 are terminating
	for _, c := range []struct {
		why  string
		p    rollout.Policy
		size int32
	}{
		{"6 + 2 are wanted and 3 are terminating: 2 more", rollout.Policy{}, 4},
		{"9 + 2 are there: 2 more", rollout.Policy{CountThere: true}, 4},
		{"9 + 2, the larger numbers: 2 more", rollout.Policy{CountLarger: true}, 4},
	} {
		require.Equal(t, c.size, rollout.Roll(b, newSet, old, 3, c.p).Size, c.why)
	}
}

// In the worst case, too, only the available pods count that a policy lets count.
func TestWorstCaseCounts(t *testing.T) {
	b := rollout.Budget{Replicas: 8, Surge: 1, Unavailable: 1}
	// The older set reports 6 available pods and wants 5: one is still to go.
	newSet, old := rollout.Set{Wanted: 5, There: 6, Available: 3}, []rollout.Set{{Wanted: 5, There: 6, Available: 6}, {Wanted: 5, There: 5, Available: 2}}
	p := rollout.ClusterAPI()
	require.Equal(t, []int32{4, 2}, rollout.Roll(b, newSet, old, 0, p).Shrinking.Sizes(old), "11 are available, 7 must stay")
	p.CapOld = true
	require.Equal(t, []int32{5, 2}, rollout.Roll(b, newSet, old, 0, p).Shrinking.Sizes(old), "10 are available and wanted")
}
