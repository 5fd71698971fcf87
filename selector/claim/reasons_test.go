// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/selector/claim"
)

// Each reason has a case. The owner web selects app=web.
func TestReasons(t *testing.T) {
	owner := claim.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: "web", UID: "u", Selector: parse(t, "app=web")}
	leaving := owner
	leaving.Deleting = true
	web := map[string]string{"app": "web"}
	child := func(uid string, labels map[string]string, change ...func(c *claim.Child)) claim.Child {
		c := claim.Child{Namespace: "ns", Name: "p", UID: "p", Labels: labels, ControllerUID: uid}
		if uid != "" {
			c.ControllerKind, c.ControllerName = "ReplicaSet", "web"
		}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	terminating := func(c *claim.Child) { c.Deleting = true }
	decide := func(o claim.Owner, c claim.Child) string {
		d := claim.Decide(&o, &c)
		return string(d.Verdict) + " " + string(d.Reason)
	}
	replica := func(c claim.Child) string {
		d := claim.DecideActive(&owner, &c)
		return string(d.Verdict) + " " + string(d.Reason)
	}
	unmanaged := func(c claim.Child) string {
		list := claim.UnmanagedChildren([]claim.Controller{{Owner: owner}}, 1, at([]claim.Child{c}))
		require.Len(t, list, 1)
		return "unmanaged " + string(list[0].Reason)
	}
	seen := map[string]bool{}
	for _, c := range []struct{ why, got, want string }{
		{"ours, and it matches", decide(owner, child("u", web)), "Keep Owned"},
		{"nobody's, and it matches", decide(owner, child("", web)), "Adopt Orphan"},
		{"ours, and it matches no more", decide(owner, child("u", nil)), "Release NoMatch"},
		{"ours, and the caller wants it no more", decide(owner, child("u", web, func(c *claim.Child) { c.Rejected = true })), "Release Rejected"},
		{"another's", decide(owner, child("x", web)), "Ignore OwnedByOther"},
		{"nobody's, and the owner is leaving", decide(leaving, child("", web)), "Ignore ControllerDeleting"},
		{"nobody's, and on its way out", decide(owner, child("", web, terminating)), "Ignore ObjectDeleting"},
		{"nobody's, in another namespace", decide(owner, child("", web, func(c *claim.Child) { c.Namespace = "x" })), "Ignore OtherNamespace"},
		{"a replica on its way out", replica(child("u", web, terminating)), "Ignore Terminating"},
		{"a replica that has ended", replica(child("u", web, func(c *claim.Child) { c.Finished = true })), "Ignore Inactive"},
		{"nobody's, and nobody selects it", unmanaged(child("", nil)), "unmanaged Unselected"},
		{"its controller is gone", unmanaged(child("x", web, func(c *claim.Child) { c.ControllerName = "x" })), "unmanaged OwnerGone"},
		{"its controller is there under another UID", unmanaged(child("x", web)), "unmanaged OwnerRecreated"},
	} {
		require.Equal(t, c.want, c.got, c.why)
		_, reason, _ := strings.Cut(c.want, " ")
		seen[reason] = true
	}
	for name, text := range purity.Constants(t, ".", "Reason") {
		require.True(t, seen[text], "%s has no case", name)
	}
}
