// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
)

// A Source is where to read from.
type Source struct {
	Filenames []string // files, folders, patterns, or "-" for standard input
	Recursive bool     // whether to read the folders within folders
	Built     []string // folders that kustomize builds
	Stdin     io.Reader
	Nodes     int // how many nodes there are at least; further ones are made
	Zones     int // of the nodes that are made, in turn; 0 means none
	// Whole is for comparing two sources: it asks for [Set.Objects], keeps as WithoutNodes
	// does, and takes what is not there for empty. What the API server would reject is told
	// of the object, and all others stand.
	Whole bool
	// WithoutNodes keeps DaemonSets although there is no node at all, and CloneSets and
	// StatefulSets although there is no Rollout: they are what is running.
	WithoutNodes bool
	// Running are live objects, to which the manifests of the same names are applied, by
	// Apply if that is set. Those of Beside serve if there are none.
	Running []*unstructured.Unstructured
	Apply   func(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Reading, if set, is told of every object of the files: which file it is in, and how many
	// there were with it.
	Reading func(file string, objects int)
	// Waiting, if set, is told of a pipe to which nobody writes.
	Waiting func(file string)
	// Keep asks for [Set.Running].
	Keep bool
	// Packer, if set, is what packs the objects.
	Packer *packed.Packer
	// Edit, if set, changes workloads after they were read. What belongs to these is left out:
	// Beside has it, with the workloads as they were.
	Edit func(*unstructured.Unstructured) error
	// Select, if set, chooses workloads of the files.
	Select *Selection
	// Namespace is that of manifests without one, if it is known.
	Namespace string
	// Admission is that of Rollouts of OpenKruise.
	Admission Admission
	// Also are objects of a cluster beside the files.
	Also []*unstructured.Unstructured
	// Beside is what was read already of the same cluster. Its nodes count.
	Beside *Set

	// Objects are read instead of files if there are any: those of a cluster.
	Objects []*unstructured.Unstructured
	// Only are the UIDs of what is wanted of them, together with the workloads of
	// Rollouts. What else there is belongs to it, and is passed over in silence.
	Only []types.UID
}

// files returns where the texts are.
func (s *Source) files() files.Source {
	return files.Source{Names: s.Filenames, Recursive: s.Recursive, Built: s.Built, Stdin: s.Stdin, Waiting: s.Waiting}
}
