// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// A vector is one recorded decision of the real controllers.
type vector struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

const sample = "testdata/vectors.json.gz"

// vectors returns the recorded decisions of one file: from the folder that
// KPLAN_VECTORS names, from the full set if it lies beside the module, or from the
// sample that is part of it.
func vectors(t *testing.T, set, decision string) []vector {
	t.Helper()
	folder, named := os.LookupEnv("KPLAN_VECTORS")
	if !named {
		folder = filepath.Join("..", "..", "shared", "vectors")
	}
	var file struct {
		Cases []vector `json:"cases"`
	}
	name := filepath.Join(folder, set+"-daemonset", decision+".json")
	data, err := os.ReadFile(name)
	switch {
	case err == nil:
		require.NoError(t, json.Unmarshal(data, &file), name)
	case named || !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	default:
		name = sample
		file.Cases = sampled(t)[set+"-daemonset/"+decision]
	}
	require.NotEmpty(t, file.Cases, "no cases in %s", name)
	t.Logf("%s %s: %d cases from %s", set, decision, len(file.Cases), name)
	return file.Cases
}

func sampled(t *testing.T) map[string][]vector {
	t.Helper()
	f, err := os.Open(sample)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var all map[string][]vector
	require.NoError(t, json.NewDecoder(z).Decode(&all))
	return all
}

// TestVectorsSample writes the sample anew, from every second case, if
// KPLAN_WRITE_SAMPLE is set; otherwise it checks that it is there and small.
func TestVectorsSample(t *testing.T) {
	if os.Getenv("KPLAN_WRITE_SAMPLE") != "" {
		all := map[string][]vector{}
		for _, set := range []string{"kubernetes", "kruise"} {
			files, err := filepath.Glob(filepath.Join("..", "..", "shared", "vectors", set+"-daemonset", "*.json"))
			require.NoError(t, err)
			for _, f := range files {
				decision := filepath.Base(f[:len(f)-len(".json")])
				for i, c := range vectors(t, set, decision) {
					if i%2 == 0 {
						all[set+"-daemonset/"+decision] = append(all[set+"-daemonset/"+decision], c)
					}
				}
			}
		}
		f, err := os.Create(sample)
		require.NoError(t, err)
		z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
		require.NoError(t, err)
		require.NoError(t, json.NewEncoder(z).Encode(all))
		require.NoError(t, z.Close())
		require.NoError(t, f.Close())
	}
	info, err := os.Stat(sample)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(1<<20))
	all := sampled(t)
	require.Equal(t, 17+24, len(all), "one list for each file")
	for name, cases := range all {
		require.NotEmpty(t, cases, name)
	}
}

// explanations are why some recorded decisions differ in form from those of this
// package, by rule. All others must agree.
var explanations = map[string]string{
	"unset limits":                 "Kubernetes fails without maxUnavailable; here the default of the API applies",
	"limits that cannot be read":   "an update fails if a limit cannot be read; here such a one does not enter a snapshot",
	"partition and selector":       "an update fails if the partition cannot be read; here such a one does not enter a snapshot",
	"progressive creation":         "a partition that cannot be read has no effect on creations, as one that is not set",
	"the burst":                    "a burst that cannot be read is 0; whoever reads it says so",
	"surge in Kubernetes":          "an update with surge fails for an old pod on a missing node; here nothing is done, and a hold says so",
	"finding the current revision": "a duplicate revision without a hash is deleted without being labelled first",
	"taken names":                  "a collision of names ends the pass with an error; here with a hold",
}

// A tally counts recorded decisions that are explained, by rule.
type tally map[string]int

func (c tally) add(t *testing.T, rule string) {
	t.Helper()
	require.Contains(t, explanations, rule)
	c[rule]++
}

func (c tally) log(t *testing.T) {
	t.Helper()
	for _, rule := range slices.Sorted(maps.Keys(c)) {
		t.Logf("%d cases by %s: %s", c[rule], rule, explanations[rule])
	}
}

// epoch is the present of all recorded decisions.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func seconds(n int64) time.Time { return epoch.Add(time.Duration(n) * time.Second) }

type vPod struct {
	Name, Node, TargetNode, Hash, Generation string
	Created                                  int64
	Phase                                    podorder.Phase
	Terminating                              bool
	Ready                                    string
	ReadySince                               *int64
	ReadinessGate                            bool
	InPlaceReady, LifecycleState             string
	Labels                                   map[string]string
	Finalizers                               []string
}

func (v vPod) pod() daemonset.Pod {
	p := daemonset.Pod{Pod: podorder.Pod{
		Name: v.Name, UID: "uid-" + v.Name, ControllerKind: "DaemonSet", ControllerName: "ds", ControllerUID: "ds-uid",
		Labels: map[string]string{"name": "ds"}, CreationTimestamp: seconds(v.Created), NodeName: v.Node, Phase: v.Phase,
		Ready: v.Ready == "True",
	}, PinnedNode: v.TargetNode, Finalizers: v.Finalizers}
	for key, value := range v.Labels {
		p.Labels[key] = value
	}
	for key, value := range map[string]string{
		daemonset.LabelHash: v.Hash, daemonset.LabelGeneration: v.Generation, daemonset.LabelState: v.LifecycleState,
	} {
		if value != "" {
			p.Labels[key] = value
		}
	}
	if v.Terminating {
		p.DeletionTimestamp = epoch
	}
	if v.ReadySince != nil {
		p.ReadySince = seconds(*v.ReadySince)
	}
	if v.ReadinessGate {
		p.ReadinessGates = []string{inplace.Gate}
	}
	if v.InPlaceReady != "" {
		p.InPlace = &inplace.ReadyCondition{True: v.InPlaceReady == "True"}
	}
	return p
}

func pods(list []vPod) []daemonset.Pod {
	out := make([]daemonset.Pod, len(list))
	for i, p := range list {
		out[i] = p.pod()
	}
	return out
}

type vAffinity struct {
	NodeAffinity *struct {
		Required *selector.NodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	} `json:"nodeAffinity"`
}

func (a *vAffinity) required() *selector.NodeSelector {
	if a == nil || a.NodeAffinity == nil {
		return nil
	}
	return a.NodeAffinity.Required
}

type vTemplate struct {
	NodeName     string                 `json:"nodeName"`
	NodeSelector map[string]string      `json:"nodeSelector"`
	Affinity     *vAffinity             `json:"affinity"`
	Tolerations  []daemonset.Toleration `json:"tolerations"`
	HostNetwork  bool                   `json:"hostNetwork"`
}

func (v vTemplate) template() daemonset.Template {
	return daemonset.Template{
		NodeName: v.NodeName, NodeSelector: v.NodeSelector, Affinity: v.Affinity.required(),
		Tolerations: v.Tolerations, HostNetwork: v.HostNetwork,
	}
}

type vPreDelete struct {
	LabelsHandler     map[string]string
	FinalizersHandler []string
	MarkPodNotReady   bool
}

func (v *vPreDelete) hook() *daemonset.PreDelete {
	if v == nil {
		return nil
	}
	return &daemonset.PreDelete{Labels: v.LabelsHandler, Finalizers: v.FinalizersHandler, MarkNotReady: v.MarkPodNotReady}
}

type vDaemonSet struct {
	Strategy      daemonset.Strategy
	RollingUpdate *struct {
		RollingUpdateType                   daemonset.RollingType
		MaxUnavailable, MaxSurge, Partition any
		Selector                            *selector.LabelSelector
		Paused                              bool
	}
	MinReadySeconds      int32
	BurstReplicas        any
	PartitionedScaling   bool
	StatusDesired        int32
	PreDelete            *vPreDelete
	GenerationAnnotation *string
	TemplateSpec         vTemplate
}

// number reads a number or percentage; false for one that cannot be read.
func number(v any) (rollout.IntOrPercent, bool) {
	switch v := v.(type) {
	case nil:
		return rollout.IntOrPercent{}, true
	case float64:
		return rollout.Int(int32(v)), true
	}
	var n rollout.IntOrPercent
	data, _ := json.Marshal(v)
	return n, json.Unmarshal(data, &n) == nil
}

// daemonSet returns the DaemonSet and the fields whose values cannot be read.
func (v vDaemonSet) daemonSet(hash string) (d daemonset.DaemonSet, unreadable []string) {
	read := func(name string, value any) rollout.IntOrPercent {
		n, ok := number(value)
		if !ok {
			unreadable = append(unreadable, name)
		}
		return n
	}
	d = daemonset.DaemonSet{
		Name: "ds", UID: "ds-uid", Generation: 7, Selector: &selector.LabelSelector{MatchLabels: map[string]string{"name": "ds"}},
		Template: v.TemplateSpec.template(), Strategy: v.Strategy, MinReadySeconds: v.MinReadySeconds,
		Burst: read("burstReplicas", v.BurstReplicas), Progressive: v.PartitionedScaling, PreDelete: v.PreDelete.hook(),
		Status: daemonset.Status{ObservedGeneration: 6, DesiredNumberScheduled: v.StatusDesired},
	}
	d.Template.Hash, d.Template.Data = hash, stored("current")
	if ru := v.RollingUpdate; ru != nil {
		d.RollingType, d.NodeSelector, d.Paused = ru.RollingUpdateType, ru.Selector, ru.Paused
		d.MaxUnavailable, d.MaxSurge = read("maxUnavailable", ru.MaxUnavailable), read("maxSurge", ru.MaxSurge)
		d.Partition = read("partition", ru.Partition)
	}
	if v.GenerationAnnotation != nil {
		d.Annotations = map[string]string{daemonset.AnnotationGeneration: *v.GenerationAnnotation}
	}
	return d, unreadable
}

// stored returns the data of a revision whose template has the image.
func stored(image string) []byte {
	return []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"name":"ds"}},"spec":{"containers":[{"image":"` + image + `","name":"app"}]}}}}`)
}

// recreated is the data of a revision that cannot be updated in place.
func recreated() []byte {
	return []byte(`{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"name":"ds"}},"spec":{"containers":[{"env":[{"name":"A"}],"image":"x","name":"app"}]}}}}`)
}

func revisionOf(name, hash string, n int64, data []byte) revision.ControllerRevision {
	r := revision.ControllerRevision{
		Name: name, UID: "uid-" + name, Labels: map[string]string{"name": "ds"}, ControllerKind: "DaemonSet",
		ControllerName: "ds", ControllerUID: "ds-uid", Data: data, Revision: n,
	}
	if hash != "" {
		r.Labels[daemonset.LabelHash] = hash
	}
	return r
}

// A vCluster is the input of decisions about whole clusters.
type vCluster struct {
	DS                   vDaemonSet
	Hash                 string
	Nodes                []daemonset.Node
	Pods                 []vPod
	PruneIneligibleNodes bool
	InPlaceFromHashes    []string
	Generation           int64
	ObservedGeneration   int64
	ExpectationsOpen     bool
}

func (c vCluster) snapshot() (s daemonset.Snapshot, unreadable []string) {
	s.DaemonSet, unreadable = c.DS.daemonSet(c.Hash)
	s.Nodes, s.Pods, s.Unseen = c.Nodes, pods(c.Pods), c.ExpectationsOpen
	s.Revisions = append(s.Revisions, revisionOf("ds-"+c.Hash, c.Hash, 9, stored("current")))
	for i, hash := range []string{"old", "older"} {
		if hash != c.Hash {
			data := recreated()
			if slices.Contains(c.InPlaceFromHashes, hash) {
				data = stored(hash)
			}
			s.Revisions = append(s.Revisions, revisionOf("ds-"+hash, hash, int64(i+1), data))
		}
	}
	if c.Generation != 0 {
		s.DaemonSet.Generation = c.Generation
	}
	return s, unreadable
}

func options(set string) daemonset.Options {
	if set == "kruise" {
		return daemonset.Options{Dialect: daemonset.OpenKruise}
	}
	return daemonset.Options{}
}

// A choice is what repeated runs of the reference chose.
type choice struct {
	Count            int
	Always, Possible []string
}

// agrees reports whether a choice is one that the reference could make. The items that
// it never made in the recorded runs are returned as rare.
func (c choice) agrees(got []string) (ok bool, rare []string) {
	for _, want := range c.Always {
		if !slices.Contains(got, want) {
			return false, nil
		}
	}
	for _, g := range got {
		if !slices.Contains(c.Possible, g) {
			rare = append(rare, g)
		}
	}
	return c.Count < 0 || len(got) == c.Count, rare
}

// A chosen is the actions of a plan by kind.
type chosen struct{ create, remove, inPlace, mark []string }

func choices(actions []daemonset.Action) (c chosen) {
	for _, a := range actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			c.create = append(c.create, a.Node)
		case daemonset.DeletePod:
			c.remove = append(c.remove, a.Name)
		case daemonset.UpdatePod:
			c.inPlace = append(c.inPlace, a.Name)
		case daemonset.PreparePod:
			c.mark = append(c.mark, a.Name)
		}
	}
	return c
}

func decode[In, Out any](t *testing.T, v vector) (in In, out Out) {
	t.Helper()
	require.NoError(t, json.Unmarshal(v.Input, &in), v.Name)
	require.NoError(t, json.Unmarshal(v.Output, &out), v.Name)
	return in, out
}
