// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/selector/claim"
)

// FuzzActions: a list of actions that can be read is written as it was read.
func FuzzActions(f *testing.F) {
	for _, list := range []string{
		`[{"scaleReplicaSet":{"name":"web","uid":"u","from":1,"to":2,"reason":"Scaling"}},{"deleteReplicaSet":{"name":"web","revision":3}}]`,
		`[{"createPods":{"count":3,"initial":1,"reason":"TooFew"}},{"deletePod":{"name":"p","uid":"u","reason":"TooMany"}}]`,
		`[{"createPod":{"node":"n1","hash":"v2","gate":true,"reason":"Missing"}}]`,
		`[{"setFinalizer":{"kind":"Rollout","name":"web","remove":true,"reason":"Finalizer"}}]`,
		`[{"releaseChild":{"child":1,"ownerUID":"u"}}]`,
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rewritten[deploy.Actions](t, text)
		rewritten[replicaset.Actions](t, text)
		rewritten[daemonset.Actions](t, text)
		rewritten[kruise.Actions](t, text)
		rewritten[claim.Actions](t, text)
	})
}

func rewritten[A any](t *testing.T, text []byte) {
	t.Helper()
	var read, again A
	if json.Unmarshal(text, &read) != nil {
		return
	}
	written, err := json.Marshal(read)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(written, &again))
	require.Empty(t, cmp.Diff(read, again, cmpopts.EquateEmpty()))
}
