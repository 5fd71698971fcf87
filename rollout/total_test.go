package rollout_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
)

// exportedTypes are all types that the package declares, but interfaces and aliases.
func exportedTypes() []reflect.Type {
	return []reflect.Type{
		of[rollout.Actions](), of[rollout.Admission](), of[rollout.AdmitSnapshot](), of[rollout.AnalysisPhase](), of[rollout.ArgoBlueGreen](),
		of[rollout.ArgoCanaryScale](), of[rollout.ArgoCounts](), of[rollout.ArgoObject](), of[rollout.ArgoPause](),
		of[rollout.ArgoPauseCondition](), of[rollout.ArgoPhase](), of[rollout.ArgoPlan](), of[rollout.ArgoPreview](), of[rollout.ArgoProgress](),
		of[rollout.ArgoReplicaSet](), of[rollout.ArgoRollout](), of[rollout.ArgoSet](), of[rollout.ArgoSnapshot](), of[rollout.ArgoStatus](),
		of[rollout.ArgoStep](), of[rollout.ArgoStyle](), of[rollout.ArgoThreshold](), of[rollout.ArgoWeights](), of[rollout.Autoscaler](),
		of[rollout.BackendRef](), of[rollout.Batch](), of[rollout.BatchContext](), of[rollout.BatchPhase](), of[rollout.BatchPlan](),
		of[rollout.BatchRelease](), of[rollout.BatchSnapshot](), of[rollout.BatchState](), of[rollout.BatchStatus](), of[rollout.Budget](),
		of[rollout.ClosingReason](), of[rollout.Quirks](),
		of[rollout.CreateBatchRelease](), of[rollout.CreateCanary](), of[rollout.CreateReplicaSet](), of[rollout.CreateService](),
		of[rollout.CurrentBatch](), of[rollout.DaemonSetControl](), of[rollout.DaemonSetPod](), of[rollout.DaemonSetRevision](),
		of[rollout.DelayReplicaSet](), of[rollout.DeleteBatchRelease](), of[rollout.DeleteIngress](), of[rollout.DeleteService](),
		of[rollout.DeploymentStrategy](), of[rollout.Driver](), of[rollout.Explanation](), of[rollout.ExtraStatus](),
		of[rollout.WorkloadState](), of[rollout.FinalisingStep](), of[rollout.FinalizingPolicy](), of[rollout.GatewayRef](), of[rollout.Grace](),
		of[rollout.Header](), of[rollout.HeaderModifier](), of[rollout.Ingress](), of[rollout.IngressClass](),
		of[rollout.IngressRef](), of[rollout.InspectSnapshot](), of[rollout.IntOrPercent](), of[rollout.LabelPod](), of[rollout.Match](),
		of[rollout.NativeBatch](), of[rollout.NetworkRef](), of[rollout.Options](), of[rollout.OriginalStrategy](),
		of[rollout.PartitionProgress](), of[rollout.PatchBatchRelease](), of[rollout.PatchReplicaSet](), of[rollout.PatchRollout](),
		of[rollout.PatchWorkload](), of[rollout.PathMatch](), of[rollout.Pause](), of[rollout.PauseKind](), of[rollout.Plan](),
		of[rollout.Pod](), of[rollout.PreviewInput](), of[rollout.PreviewPlan](), of[rollout.PreviewStep](), of[rollout.Reason](),
		of[rollout.ReleasePlan](), of[rollout.RetargetAutoscaler](), of[rollout.RollbackFilter](), of[rollout.RollingUpdate](),
		of[rollout.Rollout](), of[rollout.RolloutPhase](), of[rollout.RolloutStatus](), of[rollout.RolloutV1alpha1](), of[rollout.Route](),
		of[rollout.RouteRule](), of[rollout.ScaleReplicaSet](), of[rollout.SelectPods](), of[rollout.Service](), of[rollout.SetFinalizer](),
		of[rollout.SetIngress](), of[rollout.SetRoute](), of[rollout.SharedRouting](), of[rollout.Sizes](), of[rollout.Snapshot](),
		of[rollout.Step](), of[rollout.StepState](), of[rollout.StepStatus](), of[rollout.StepV1alpha1](), of[rollout.Strategy](),
		of[rollout.Style](), of[rollout.TemplateMetadata](), of[rollout.Traffic](), of[rollout.TrafficRouting](),
		of[rollout.UpdateBatchRelease](), of[rollout.ValueMatch](), of[rollout.Wait](), of[rollout.Warning](), of[rollout.WatchKey](),
		of[rollout.WatchedPod](), of[rollout.WatchedWorkload](), of[rollout.Workload](), of[rollout.WorkloadEvent](),
		of[rollout.WorkloadPatch](), of[rollout.WorkloadRef](), of[rollout.WorkloadSet](), of[rollout.WorkloadStatus](),
	}
}

func of[T any]() reflect.Type { return reflect.TypeFor[T]() }

// exportedFunctions are all functions that the package declares.
func exportedFunctions() map[string]any {
	return map[string]any{
		"Admit": rollout.Admit, "ArgoAbortDelay": rollout.ArgoAbortDelay,
		"ArgoApproximate": rollout.ArgoApproximate, "ArgoBudget": rollout.ArgoBudget, "ArgoParse": rollout.ArgoParse,
		"ArgoReconcile": rollout.ArgoReconcile, "ArgoScaleDownDelay": rollout.ArgoScaleDownDelay, "BatchIncrements": rollout.BatchIncrements,
		"BatchLabels": rollout.BatchLabels, "BatchSize": rollout.BatchSize, "ClosingSequence": rollout.ClosingSequence,
		"ControlInfo": rollout.ControlInfo, "ConvertBack": rollout.ConvertBack, "DriverOf": rollout.DriverOf,
		"EffectiveChange": rollout.EffectiveChange, "EventOf": rollout.EventOf, "Explain": rollout.Explain, "Fenceposts": rollout.Fenceposts,
		"FromIntOrString": rollout.FromIntOrString, "IngressAnnotations": rollout.IngressAnnotations, "IngressClasses": rollout.IngressClasses,
		"InitializePatch": rollout.InitializePatch, "Inspect": rollout.Inspect, "Int": rollout.Int, "JumpStep": rollout.JumpStep,
		"NewBatchContext": rollout.NewBatchContext, "NextStep": rollout.NextStep, "Parse": rollout.Parse,
		"ParseExtraStatus": rollout.ParseExtraStatus, "ParseQuirks": rollout.ParseQuirks, "ParseStrategy": rollout.ParseStrategy, "PartitionAtLeast": rollout.PartitionAtLeast,
		"PartitionBudget": rollout.PartitionBudget, "PartitionCreationSize": rollout.PartitionCreationSize,
		"PartitionLimit": rollout.PartitionLimit, "PartitionLowerBound": rollout.PartitionLowerBound,
		"PartitionNewSize": rollout.PartitionNewSize, "PartitionOldLimit": rollout.PartitionOldLimit, "PauseOf": rollout.PauseOf,
		"Percent": rollout.Percent, "Preview": rollout.Preview, "QuirkTable": rollout.QuirkTable, "RecalculateStep": rollout.RecalculateStep, "Reconcile": rollout.Reconcile,
		"ReconcileBatch": rollout.ReconcileBatch, "ReleaseOf": rollout.ReleaseOf, "ReleasePatch": rollout.ReleasePatch,
		"Resolve": rollout.Resolve, "ResolveExact": rollout.ResolveExact, "RouteMatches": rollout.RouteMatches,
		"RouteRestore": rollout.RouteRestore, "RouteWeight": rollout.RouteWeight, "StableShare": rollout.StableShare,
		"StateAfterJump": rollout.StateAfterJump, "StrategyHash": rollout.StrategyHash, "StrategyText": rollout.StrategyText,
		"Validate": rollout.Validate, "ValidateUpdate": rollout.ValidateUpdate, "ValidateV1alpha1": rollout.ValidateV1alpha1,
		"Warnings": rollout.Warnings, "WatchedRelease": rollout.WatchedRelease, "WatchedReplicaSet": rollout.WatchedReplicaSet,
	}
}

// sources returns the files of the package without its tests.
func sources(t *testing.T) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	require.NotEmpty(t, files)
	return files
}

// The lists of types and functions are those of the package.
func TestEverythingExportedIsListed(t *testing.T) {
	var types, functions, wantTypes, wantFunctions []string
	for _, listed := range exportedTypes() {
		types = append(types, listed.Name())
	}
	for name := range exportedFunctions() {
		functions = append(functions, name)
	}
	for _, f := range sources(t) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					wantFunctions = append(wantFunctions, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					declared, ok := s.(*ast.TypeSpec)
					if !ok || !declared.Name.IsExported() || declared.Assign.IsValid() {
						continue
					}
					if _, ok := declared.Type.(*ast.InterfaceType); !ok {
						wantTypes = append(wantTypes, declared.Name.Name)
					}
				}
			}
		}
	}
	require.ElementsMatch(t, wantTypes, types)
	require.ElementsMatch(t, wantFunctions, functions)
}

// A filler makes values with no zero in them, all different.
type filler struct {
	n     int64
	depth int
	bare  bool // nil pointers, slices and maps
}

func (f *filler) value(t *testing.T, kind reflect.Type) reflect.Value {
	t.Helper()
	f.n++
	f.depth++
	defer func() { f.depth-- }()
	v := reflect.New(kind).Elem()
	switch kind {
	case of[time.Time]():
		return reflect.ValueOf(now.Add(time.Duration(f.n) * time.Second).UTC())
	case of[rollout.IntOrPercent]():
		return reflect.ValueOf([]rollout.IntOrPercent{rollout.Int(int32(f.n)), rollout.Percent(int32(f.n))}[f.n%2])
	case of[rollout.Actions]():
		return reflect.ValueOf(f.actions(t))
	}
	switch {
	case kind == of[rollout.Action]():
		return f.value(t, of[rollout.SetFinalizer]())
	case kind.Kind() == reflect.Struct:
		for i := range kind.NumField() {
			require.True(t, kind.Field(i).IsExported(), "%v.%s", kind, kind.Field(i).Name)
			v.Field(i).Set(f.value(t, kind.Field(i).Type))
		}
	case kind.Kind() == reflect.Pointer && !f.bare:
		v.Set(reflect.New(kind.Elem()))
		v.Elem().Set(f.value(t, kind.Elem()))
	case kind.Kind() == reflect.Slice && !f.bare && f.depth < 10: // an explanation explains others
		v.Set(reflect.Append(v, f.value(t, kind.Elem())))
	case kind.Kind() == reflect.Map && !f.bare:
		v.Set(reflect.MakeMap(kind))
		v.SetMapIndex(f.value(t, kind.Key()), f.value(t, kind.Elem()))
	case kind.Kind() == reflect.String:
		v.SetString(fmt.Sprintf("text-%d", f.n))
	case kind.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(f.n)
	case kind == reflect.TypeFor[rollout.Quirks]():
		v.SetUint(uint64(rollout.RepairAll))
	case kind.Kind() == reflect.Uint8:
		v.SetUint(uint64(f.n % 256))
	default:
		require.Contains(t, []reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, kind.Kind(), "%v", kind)
	}
	return v
}

// actions returns one action of each type.
func (f *filler) actions(t *testing.T) (list rollout.Actions) {
	t.Helper()
	for _, kind := range exportedTypes() {
		if kind.Implements(of[rollout.Action]()) {
			action, ok := f.value(t, kind).Interface().(rollout.Action)
			require.True(t, ok)
			list = append(list, action)
		}
	}
	require.Len(t, list, 20)
	return list
}

// Every type comes through JSON with each of its fields, and an empty one too.
func TestEveryTypeComesThroughJSON(t *testing.T) {
	for _, kind := range exportedTypes() {
		filled := (&filler{}).value(t, kind)
		for _, v := range []reflect.Value{filled, reflect.New(kind).Elem(), (&filler{bare: true}).value(t, kind)} {
			data, err := json.Marshal(v.Interface())
			require.NoError(t, err, kind)
			again := reflect.New(kind)
			require.NoError(t, json.Unmarshal(data, again.Interface()), "%v: %s", kind, data)
			require.Empty(t, cmp.Diff(v.Interface(), again.Elem().Interface()), "%v: %s", kind, data)
		}
		if kind.Kind() == reflect.Struct && kind != of[rollout.IntOrPercent]() { // its members are not written as such
			data, err := json.Marshal(filled.Interface())
			require.NoError(t, err)
			var members map[string]any
			require.NoError(t, json.Unmarshal(data, &members), kind)
			require.Len(t, members, membersOf(kind), "%v: %s", kind, data)
		}
	}
}

// membersOf returns how many members an object of a type has, those of embedded ones
// among them.
func membersOf(kind reflect.Type) (n int) {
	for field := range kind.Fields() {
		if n++; field.Anonymous {
			n += membersOf(field.Type) - 1
		}
	}
	return n
}

// Whatever is exported returns for arguments that are nil, zero, or have nothing but
// scalars: nothing panics.
func TestNothingExportedPanics(t *testing.T) {
	call := func(name string, f reflect.Value) {
		for _, fill := range []*filler{nil, {}, {bare: true}} {
			var in []reflect.Value
			for i := range f.Type().NumIn() {
				kind := f.Type().In(i)
				if fill == nil {
					in = append(in, reflect.Zero(kind))
				} else {
					in = append(in, fill.value(t, kind))
				}
			}
			invoke := f.Call
			if f.Type().IsVariadic() {
				invoke = f.CallSlice
			}
			if r := panicOf(func() { invoke(in) }); r != nil {
				t.Errorf("%s: %v", name, r)
			}
		}
	}
	functions := exportedFunctions()
	for name, f := range functions {
		call(name, reflect.ValueOf(f))
	}
	called := len(functions)
	for _, kind := range exportedTypes() {
		for _, receiver := range []reflect.Value{reflect.Zero(kind), (&filler{}).value(t, kind), (&filler{bare: true}).value(t, kind)} {
			pointer := reflect.New(kind)
			pointer.Elem().Set(receiver)
			for m := range pointer.Type().Methods() {
				call(kind.Name()+"."+m.Name, pointer.MethodByName(m.Name))
				called++
			}
		}
		for m := range reflect.PointerTo(kind).Methods() { // of nil, if the receiver is a pointer
			_, ofValue := kind.MethodByName(m.Name)
			if !ofValue && !slices.Contains([]string{"UnmarshalJSON"}, m.Name) { // which has nowhere to write
				call("nil "+kind.Name()+"."+m.Name, reflect.Zero(reflect.PointerTo(kind)).MethodByName(m.Name))
				called++
			}
		}
	}
	require.Greater(t, called, 200)
}

// panicOf calls f and returns with what it panicked, or nil.
func panicOf(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}
