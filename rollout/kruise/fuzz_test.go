// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
)

func FuzzReconcile(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(s kruise.Snapshot) (kruise.Plan, error) {
		if _, err := planRollout(s, now, kruise.Options{}); err != nil {
			return kruise.Plan{}, err
		}
		return planRollout(s, now, corrected)
	}, examples(anyRollout)...)
}

func FuzzAdmit(f *testing.F) {
	seed := func(ref workload.Ref, annotations map[string]string) kruise.AdmitSnapshot {
		before := workload.Workload{Ref: ref, Replicas: ptr.To(int32(10)), Template: template("v1"), Annotations: annotations}
		after := before
		after.Template, after.StrategyType = template("v2"), "RollingUpdate"
		r := partitioned(ref, step(rollout.Int(1), -1))
		return kruise.AdmitSnapshot{Old: before, New: after, Rollouts: []kruise.Rollout{r}, Sets: []workload.Set{{Name: "a", Template: template("v1"), Replicas: 10, Revision: "1"}}}
	}
	purity.Fuzz(f, kplan.ErrInvalid, func(s kruise.AdmitSnapshot) (kruise.Admission, error) { return planAdmission(s, corrected) },
		seed(deployment, nil), seed(deployment, map[string]string{workload.AnnotationInProgress: "x", partition.AnnotationStrategy: `{"rollingStyle":"Partition"}`}),
		seed(workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, nil),
		seed(workload.Ref{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web"}, nil))
}

// FuzzValidate: whatever admission rejects has a field, a Rollout may be left as it is,
// and what is valid can be planned and previewed.
func FuzzValidate(f *testing.F) {
	for _, r := range []kruise.Rollout{
		partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Percent(100), 0)), {Name: "web"}, partitioned(deployment, step(rollout.Percent(120), 60), step(rollout.Int(-1), 0)),
	} {
		text, err := json.Marshal(r)
		require.NoError(f, err)
		f.Add(text, int32(6))
	}
	f.Fuzz(func(t *testing.T, text []byte, replicas int32) {
		var r kruise.Rollout
		if json.Unmarshal(text, &r) != nil {
			return
		}
		errs := purity.Check(t, r, func(r kruise.Rollout) ([]*kplan.FieldError, error) {
			return kruise.Validate(r, []kruise.Rollout{r}, kruise.Options{}), nil
		})
		for _, e := range errs {
			require.NotEmpty(t, e.Path)
			require.NotEmpty(t, e.Detail)
			require.ErrorIs(t, e, kplan.ErrInvalid)
		}
		require.Equal(t, len(errs), len(kruise.ValidateUpdate(r, r, nil, kruise.Options{})), "what does not change is no change")
		for _, w := range preview.Warnings(r, replicas, 0) {
			require.NotEmpty(t, w.String())
		}
		if len(errs) == 0 && r.Name != "" {
			_, err := planRollout(kruise.Snapshot{Rollout: r}, now, kruise.Options{})
			require.NoError(t, err)
		}
	})
}

// FuzzConvert: a Rollout of the older version survives being converted there and back,
// as far as the present one knows it.
func FuzzConvert(f *testing.F) {
	for _, text := range []string{
		`{"name":"web","workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"steps":[{"weight":20,"pause":{"duration":60}},{"replicas":"50%","weight":50,"pause":{}}]}`,
		`{"name":"web","annotations":{"rollouts.kruise.io/rolling-style":"Partition","rollouts.kruise.io/trafficrouting":"tr"},"steps":[{"replicas":3,"pause":{}}]}`,
		`{"name":"web","steps":[{"weight":-2147483648,"pause":{}}],"trafficRoutings":[{"service":"svc"}],"failureThreshold":"10%"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var given, old kruise.RolloutV1alpha1
		if json.Unmarshal(text, &given) != nil {
			return
		}
		text, err := json.Marshal(given) // without empty lists and maps, which a conversion copies
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &old))
		r := purity.Check(t, old, func(o kruise.RolloutV1alpha1) (kruise.Rollout, error) { return o.Convert(), nil })
		back := purity.Check(t, r, func(r kruise.Rollout) (kruise.RolloutV1alpha1, error) { return kruise.ConvertBack(r), nil })
		require.Empty(t, cmp.Diff(r, ignoreStyle(back.Convert(), r), cmpopts.EquateEmpty()), "there, back and there again")
		for _, e := range kruise.ValidateV1alpha1(old, kruise.Options{}) {
			require.NotEmpty(t, e.Path)
			require.ErrorIs(t, e, kplan.ErrInvalid)
		}
	})
}

// ignoreStyle takes the annotations of another: going back writes the style there.
func ignoreStyle(r, as kruise.Rollout) kruise.Rollout {
	r.Annotations = as.Annotations
	return r
}
