// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
)

// A Source describes the objects to read.
type Source struct {
	Filenames []string // files, folders, patterns, or "-" for standard input
	Recursive bool     // whether to read subfolders
	Built     []string // folders to build with kustomize
	Stdin     io.Reader
	Nodes     int // minimum number of nodes; missing ones are made
	Zones     int // number of zones of made nodes, which they are in by turns; 0 means none
	// Whole is for comparing two sources: it asks for [Set.Objects], implies WithoutNodes, and
	// accepts empty input. An error of an object is stored in the object, and all other objects are
	// still read.
	Whole bool
	// WithoutNodes keeps DaemonSets in an input without nodes, and CloneSets and StatefulSets in an
	// input without Rollouts, because the source describes the running state.
	WithoutNodes bool
	// Running are live objects, to which manifests of the same name are applied: with Apply, if it
	// is set. If Beside is set, its objects are used instead.
	Running []*unstructured.Unstructured
	Apply   func(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Reading, if set, is called for every object of the files, with its file and the number of
	// objects so far.
	Reading func(file string, objects int)
	// Waiting, if set, is called for a pipe that has no writer.
	Waiting func(file string)
	// Keep asks for [Set.Running].
	Keep bool
	// Packer, if set, packs the objects.
	Packer *packed.Packer
	// Edit, if set, changes workloads after they were read. Objects that controllers made for them
	// are left out: Beside has these, with the workloads before the edit.
	Edit func(*unstructured.Unstructured) error
	// Select, if set, chooses workloads of the files.
	Select *Selection
	// Namespace is the namespace of manifests without one, if it is known.
	Namespace string
	// Admission configures the webhook for Rollouts of OpenKruise.
	Admission Admission
	// Also are objects of a cluster in addition to the files.
	Also []*unstructured.Unstructured
	// Beside is an earlier result from the same cluster. Its nodes, pods and limits are added.
	Beside *Set

	// Objects, if not nil, are the objects of a cluster to read instead of files.
	Objects []*unstructured.Unstructured
	// Only are the UIDs of the wanted Objects. The workloads of wanted Rollouts are kept too. All
	// other objects belong to these, and are dropped without a note.
	Only []types.UID
}

// files returns the source of the texts.
func (s *Source) files() files.Source {
	return files.Source{Names: s.Filenames, Recursive: s.Recursive, Built: s.Built, Stdin: s.Stdin, Waiting: s.Waiting}
}
