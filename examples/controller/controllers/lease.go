// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"os"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// errNoLease is the error of a write that was not made, because another process may
// already be the leader.
var errNoLease = apierrors.NewServiceUnavailable("this process no longer holds its lease")

// A lease is the lock of a leader election. It knows the time until which no other
// process can hold it, by the clock of this process: a process that has slept for
// longer, as a paused container does, wakes up in the middle of a pass and must not
// continue. Leader election alone notices that later.
type lease struct {
	resourcelock.Interface
	duration time.Duration

	mu    sync.Mutex
	until time.Time
}

func newLease(cfg *rest.Config, o Options, renew time.Duration) (*lease, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, o.LeaderElectionNamespace, o.Name,
		resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())}, cfg, renew)
	return &lease{Interface: lock, duration: o.LeaseDuration}, err
}

// Create takes a lease that did not exist before.
func (l *lease) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.renew(r, time.Now(), l.Interface.Create(ctx, r))
}

// Update takes, renews or gives back the lease. A lease counts as given back before the
// call: the next leader may write before the answer arrives.
func (l *lease) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if r.HolderIdentity != l.Identity() {
		l.drop()
	}
	return l.renew(r, time.Now(), l.Interface.Update(ctx, r))
}

// renew notes a renewal that began at a time.
func (l *lease) renew(r resourcelock.LeaderElectionRecord, begun time.Time, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && r.HolderIdentity == l.Identity() {
		l.until = begun.Add(l.duration)
	}
	return err
}

func (l *lease) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
}

// held reports whether no other process can hold the lease. Without leader election it
// is true.
func (l *lease) held() bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.until)
}
