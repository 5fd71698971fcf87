// SPDX-License-Identifier: Apache-2.0

// Package fleet is a controller for a custom type, on plain values: a Fleet of game
// servers has Groups, one for each image, and a Group has Servers. kplan decides which
// groups grow and shrink, and which servers are deleted.
package fleet

import (
	"errors"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// A Fleet is a number of servers with one image.
type Fleet struct {
	Name, UID, Version       string // the Version changes with each write
	Generation               int64  // rises with each change of the fields below
	Image                    string
	Servers                  int32
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	Annotations              map[string]string
	Status                   deploy.Status
}

// A Group is the servers of a Fleet with the same image.
type Group struct {
	Name, UID, Version, FleetUID string
	Generation                   int64
	Created                      time.Time
	Image, Hash                  string
	Servers                      int32
	Annotations                  map[string]string
	Status                       replicaset.Status
}

// A Server is one game server.
type Server struct {
	Name, UID, Version, GroupUID string
	Image                        string
	Players                      int
	Created, Deleting            time.Time
	ReadySince                   time.Time // zero if it is not ready
}

// A Store keeps the objects. Put creates an object if it has no UID, and otherwise
// overwrites the object if it still has the Version that was read.
type Store interface {
	Fleet(name string) (Fleet, error)
	Groups(fleetUID string) ([]Group, error)
	Servers(groupUID string) ([]Server, error)
	PutFleet(Fleet) (Fleet, error)
	PutGroup(Group) (Group, error)
	PutServer(Server) (Server, error)
	DeleteGroup(uid, version string) error
	DeleteServer(uid, version string) error
}

// The errors of a Store that the controller distinguishes. Others are tried again.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("the name is taken")
	ErrConflict = errors.New("it has changed")
)
