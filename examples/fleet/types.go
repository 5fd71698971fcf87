// SPDX-License-Identifier: Apache-2.0

// Package fleet is a controller for a type of one's own, on plain values: a Fleet of game
// servers has Groups, one for each image, and a Group has Servers. Which groups grow and
// shrink, and which servers go, kplan decides.
package fleet

import (
	"errors"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
)

// A Fleet wants servers of one image.
type Fleet struct {
	Name, UID, Version       string // the Version changes with each write
	Generation               int64  // rises with each change of what follows
	Image                    string
	Servers                  int32
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	Annotations              map[string]string
	Status                   deploy.Status
}

// A Group is the servers of a Fleet that have one image.
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

// A Store keeps the objects. Put creates an object without a UID, and writes over others if
// they have the Version that they were read with.
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

// The errors of a Store that decide what follows. Others are tried again.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("the name is taken")
	ErrConflict = errors.New("it has changed")
)
