// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
)

// TestQuirks runs the input of each quirk three ways.
func TestQuirks(t *testing.T) {
	shown := quirk.Set(0)
	for _, c := range quirkCases() {
		t.Run(fmt.Sprintf("%v: %s", c.quirk, c.why), func(t *testing.T) {
			see := c.see
			if see == nil {
				see = actions
			}
			if c.all == "" {
				c.all = c.after
			}
			requireEqual(t, "upstream", c.before, see(reconcileWith(t, c.s, deploy.Options{})))
			requireEqual(t, "this one repaired", c.after, see(reconcileWith(t, c.s, deploy.Options{Repair: c.quirk})))
			requireEqual(t, "all repaired", c.all, see(reconcileWith(t, c.s, corrected)))
		})
		shown |= c.quirk
	}
	require.Equal(t, quirk.All, shown, "no case shows %v", quirk.All&^shown)
}

// TestQuirkTable: the rows are the constants, and each is complete.
func TestQuirkTable(t *testing.T) {
	table := quirk.Table()
	require.Equal(t, quirk.All, quirk.Set(1)<<len(table)-1)
	seen := map[string]bool{}
	for i, row := range table {
		q, err := quirk.Parse(row.Name)
		require.NoError(t, err)
		require.Equal(t, quirk.Set(1)<<i, q, row.Name)
		require.Equal(t, row.Name, q.String())
		require.False(t, seen[row.Name])
		seen[row.Name] = true
		for what, text := range map[string]string{"what upstream does": row.Upstream, "where": row.Source, "an input": row.Input, "the repair": row.Repair} {
			require.NotEmpty(t, text, "%s: %s", row.Name, what)
		}
	}
	require.Equal(t, "OldestFirstUnderPartition", quirk.OldestFirstUnderPartition.String())
	require.Equal(t, "StaleAnnotationBlocksRollout,ScalingTakesAvailable", (quirk.StaleAnnotationBlocksRollout | quirk.ScalingTakesAvailable).String())
}

// TestQuirksText: sets are lists of names, and what is none is refused.
func TestQuirksText(t *testing.T) {
	text, err := json.Marshal(deploy.Options{Repair: quirk.CutNameInvalid | quirk.SumsWrapAround})
	require.NoError(t, err)
	require.Contains(t, string(text), `"repair":["SumsWrapAround","CutNameInvalid"]`)
	var o deploy.Options
	require.NoError(t, json.Unmarshal(text, &o))
	require.Equal(t, quirk.CutNameInvalid|quirk.SumsWrapAround, o.Repair)
	require.ErrorIs(t, json.Unmarshal([]byte(`{"repair":["Everything"]}`), &o), kplan.ErrInvalid)
	require.True(t, quirk.All.Has(quirk.CutNameInvalid|quirk.SumsWrapAround))
	require.False(t, quirk.CutNameInvalid.Has(quirk.CutNameInvalid|quirk.SumsWrapAround))
	_, err = deploy.Reconcile(snapshot(web(1)), t0, deploy.Options{Repair: quirk.All + 1})
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.ErrorContains(t, err, "Options.Repair")
}

// TestPropertySingleQuirks: the repair of a quirk changes a plan only where the quirk
// shows.
func TestPropertySingleQuirks(t *testing.T) {
	changed := quirk.Set(0)
	check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Custom(anything), rapid.Custom(anyKind), rapid.Custom(anyPartition), rapid.Custom(scaling), rapid.Custom(varied)).Draw(t, "snapshot")
		usual := must(t, s, deploy.Options{})
		for i, row := range quirk.Table() {
			q := quirk.Set(1) << i
			repaired := must(t, s, deploy.Options{Repair: q})
			if diff := cmp.Diff(usual, repaired); diff != "" {
				changed |= q
				if !shows(q, &s, &usual) {
					t.Fatalf("%s does not show, and its repair changes the plan:\n%s", row.Name, diff)
				}
			}
		}
	})
	if changed != quirk.All {
		t.Logf("no plan was changed by %v", quirk.All&^changed)
	}
	require.NotZero(t, changed)
}
