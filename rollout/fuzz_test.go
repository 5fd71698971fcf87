package rollout_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

func FuzzReconcile(f *testing.F) {
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.Snapshot) (rollout.Plan, error) {
		if _, err := planRollout(s, now, rollout.Options{}); err != nil {
			return rollout.Plan{}, err
		}
		return planRollout(s, now, corrected)
	}, examples(anyRollout)...)
}

func FuzzAdmit(f *testing.F) {
	seed := func(ref rollout.WorkloadRef, annotations map[string]string) rollout.AdmitSnapshot {
		before := rollout.Workload{WorkloadRef: ref, Replicas: new(int32(10)), Template: template("v1"), Annotations: annotations}
		after := before
		after.Template, after.StrategyType = template("v2"), "RollingUpdate"
		r := partitioned(ref, step(rollout.Int(1), -1))
		return rollout.AdmitSnapshot{Old: before, New: after, Rollouts: []rollout.Rollout{r}, Sets: []rollout.WorkloadSet{{Name: "a", Template: template("v1"), Replicas: 10, Revision: "1"}}}
	}
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.AdmitSnapshot) (rollout.Admission, error) { return planAdmission(s, corrected) },
		seed(deployment, nil), seed(deployment, map[string]string{rollout.AnnotationInProgress: "x", rollout.AnnotationStrategy: `{"rollingStyle":"Partition"}`}),
		seed(rollout.WorkloadRef{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, nil),
		seed(rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web"}, nil))
}

// FuzzValidate: whatever admission rejects has a field, a Rollout may be left as it is,
// and what is valid can be planned and previewed.
func FuzzValidate(f *testing.F) {
	for _, r := range []rollout.Rollout{
		partitioned(deployment, step(rollout.Percent(20), 60), step(rollout.Percent(100), 0)), {Name: "web"}, partitioned(deployment, step(rollout.Percent(120), 60), step(rollout.Int(-1), 0)),
	} {
		text, err := json.Marshal(r)
		require.NoError(f, err)
		f.Add(text, int32(6))
	}
	f.Fuzz(func(t *testing.T, text []byte, replicas int32) {
		var r rollout.Rollout
		if json.Unmarshal(text, &r) != nil {
			return
		}
		errs := purity.Check(t, r, func(r rollout.Rollout) ([]*rollout.FieldError, error) {
			return rollout.Validate(r, []rollout.Rollout{r}), nil
		})
		for _, e := range errs {
			require.NotEmpty(t, e.Path)
			require.NotEmpty(t, e.Detail)
			require.ErrorIs(t, e, rollout.ErrInvalid)
		}
		require.Equal(t, len(errs), len(rollout.ValidateUpdate(r, r, nil)), "what does not change is no change")
		for _, w := range rollout.Warnings(r, replicas, 0) {
			require.NotEmpty(t, w.String())
		}
		if len(errs) == 0 && r.Name != "" {
			_, err := planRollout(rollout.Snapshot{Rollout: r}, now, rollout.Options{})
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
		var old rollout.RolloutV1alpha1
		if json.Unmarshal(text, &old) != nil {
			return
		}
		r := purity.Check(t, old, func(o rollout.RolloutV1alpha1) (rollout.Rollout, error) { return o.Convert(), nil })
		back := purity.Check(t, r, func(r rollout.Rollout) (rollout.RolloutV1alpha1, error) { return rollout.ConvertBack(r), nil })
		require.Empty(t, cmp.Diff(r, ignoreStyle(back.Convert(), r), cmpopts.EquateEmpty()), "there, back and there again")
		for _, e := range rollout.ValidateV1alpha1(old) {
			require.NotEmpty(t, e.Path)
			require.ErrorIs(t, e, rollout.ErrInvalid)
		}
	})
}

// ignoreStyle takes the annotations of another: going back writes the style there.
func ignoreStyle(r, as rollout.Rollout) rollout.Rollout {
	r.Annotations = as.Annotations
	return r
}
