package rollout_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/rollout"
)

// examples are a few snapshots of a generator, always the same.
func examples[S any](generate func(*rapid.T) S) (list []S) {
	g := rapid.Custom(generate)
	for seed := range 5 {
		list = append(list, g.Example(seed))
	}
	return list
}

var corrected = rollout.Options{Repair: rollout.RepairAll}

func FuzzReconcile(f *testing.F) {
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.Snapshot) (rollout.Plan, error) {
		if _, err := planRollout(s, now, rollout.Options{}); err != nil {
			return rollout.Plan{}, err
		}
		return planRollout(s, now, corrected)
	}, examples(anyRollout)...)
}

func anyBatch(t *rapid.T) rollout.BatchSnapshot {
	br := anyRelease(t)
	return rollout.BatchSnapshot{Release: br, Workload: anyWorkload(t, br), Pods: []rollout.Pod{{Name: "p", Ready: true, Labels: map[string]string{rollout.LabelPodTemplateHash: "v2"}}}}
}

func FuzzReconcileBatch(f *testing.F) {
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.BatchSnapshot) (rollout.BatchPlan, error) {
		if _, err := planBatch(s, now, rollout.BatchOptions{}); err != nil {
			return rollout.BatchPlan{}, err
		}
		return planBatch(s, now, batchOptions(corrected))
	}, examples(anyBatch)...)
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

func FuzzPreview(f *testing.F) {
	seed := func(steps ...rollout.Step) rollout.PreviewInput {
		return rollout.PreviewInput{Rollout: partitioned(deployment, steps...), Replicas: 6}
	}
	middle := seed(step(rollout.Int(2), -1), step(rollout.Percent(100), 0))
	middle.Generations, middle.Limits = []int32{3, 2, 1}, &rollout.RollingUpdate{MaxSurge: rollout.Int(1)}
	blueGreen := seed(step(rollout.Percent(50), 3), step(rollout.Percent(100), 0))
	blueGreen.Rollout.BlueGreen, blueGreen.Rollout.Canary = blueGreen.Rollout.Canary, nil
	purity.Fuzz(f, rollout.ErrInvalid, func(in rollout.PreviewInput) (rollout.PreviewPlan, error) {
		if s := in.Rollout.Strategy(); in.Replicas > 100 || len(in.Generations) > 10 || s != nil && len(s.Steps) > 20 {
			return rollout.PreviewPlan{}, purity.ErrTooLarge
		}
		return rollout.Preview(in, corrected)
	}, seed(step(rollout.Percent(20), 60), step(rollout.Percent(50), -1), step(rollout.Percent(100), 0)), middle, blueGreen)
}

func FuzzInspect(f *testing.F) {
	w := rollout.Workload{WorkloadRef: deployment, Template: template("v2"), Labels: map[string]string{stableLabel: "v1"}, Annotations: map[string]string{rollout.AnnotationInProgress: "x"}}
	sets := []rollout.WorkloadSet{{Name: "a", Template: template("v1"), Replicas: 3}, {Name: "b", Template: template("v2"), Replicas: 1}}
	daemon := w
	daemon.WorkloadRef = rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web"}
	purity.Fuzz(f, rollout.ErrInvalid, func(s rollout.InspectSnapshot) (rollout.WorkloadState, error) { return rollout.Inspect(s), nil },
		rollout.InspectSnapshot{Workload: w, Style: rollout.Partition, Sets: sets}, rollout.InspectSnapshot{Workload: w, Style: rollout.Canary, Sets: sets, CanarySets: sets},
		rollout.InspectSnapshot{Workload: daemon, Revisions: []rollout.DaemonSetRevision{{Revision: 2, Hash: "b"}, {Revision: 1, Hash: "a"}}})
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

// FuzzStrategy: a strategy that can be read is written as it was read, and counts are
// read from any text.
func FuzzStrategy(f *testing.F) {
	f.Add(`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":1},"partition":"20%"}`)
	f.Add(`{"updatedReadyReplicas":1,"expectedUpdatedReplicas":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, rollout.ParseExtraStatus(text), rollout.ParseExtraStatus(text))
		s, err := rollout.ParseStrategy(text)
		if err != nil {
			return
		}
		again, err := rollout.ParseStrategy(s.Text())
		require.NoError(t, err)
		require.Equal(t, s.Text(), again.Text())
		whole := s.Default(true)
		require.Equal(t, whole, whole.Default(true), "defaults are given once")
	})
}

// A name is read as the quirk of that name, or refused.
func FuzzParseQuirks(f *testing.F) {
	f.Add("LastPauseSkipped")
	f.Add("nonsense")
	f.Fuzz(func(t *testing.T, name string) {
		q, err := rollout.ParseQuirks(name)
		if err != nil {
			require.ErrorIs(t, err, rollout.ErrInvalid)
			return
		}
		require.Equal(t, name, q.String())
	})
}
