// SPDX-License-Identifier: Apache-2.0

package expect_test

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kplan-go/kplan/replicaset/expect"
)

// A Pool wants a number of pods. It is a kind of your own.
type Pool struct {
	UID  string
	Pods int
}

// A store has the expectations of all pools, for workers and for handlers of events.
type store struct {
	mu       sync.Mutex
	expected map[string]expect.Expectations // by UID of the pool
}

func (s *store) get(uid string) expect.Expectations {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expected[uid]
}

func (s *store) change(uid string, to func(expect.Expectations) expect.Expectations) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expected[uid] = to(s.expected[uid]); s.expected[uid].Fulfilled() {
		delete(s.expected, uid)
	}
}

// A cluster stands for the API server and a cache that gets its events late.
type cluster struct {
	pods, cached []string
	created      int
	full         bool // it refuses pods
}

func (c *cluster) create() error {
	if c.full {
		return errors.New("quota exceeded")
	}
	c.created++
	c.pods = append(c.pods, fmt.Sprint("pod-", c.created))
	return nil
}

// A controller is one level of a controller: pools over pods.
type controller struct {
	cluster
	store
}

// reconcile is one pass. It returns its result as a text.
func (c *controller) reconcile(pool Pool, now time.Time) string {
	e := c.get(pool.UID) // before the pods
	pods := c.cached
	if !e.Satisfied(now) {
		return fmt.Sprintf("waits for %d, at most %s", e.Outstanding(), e.Remaining(now).Round(time.Second))
	}
	switch missing := pool.Pods - len(pods); {
	case missing > 0:
		c.change(pool.UID, func(expect.Expectations) expect.Expectations { return expect.Creations(int64(missing), now) })
		failed := int64(0)
		for range missing {
			if c.create() != nil {
				failed++
			}
		}
		c.change(pool.UID, func(e expect.Expectations) expect.Expectations { return e.Lower(failed, 0) }) // no event will come
		return fmt.Sprintf("created %d", int64(missing)-failed)
	case missing < 0:
		victims := pods[pool.Pods:]
		c.change(pool.UID, func(expect.Expectations) expect.Expectations { return expect.Deletions(victims, now) })
		c.pods = c.pods[:len(c.pods)+missing] // for a call that fails: DeletionObserved of its pod
		return fmt.Sprint("deleted ", victims)
	}
	return "has all pods"
}

// podCreated and podDeleted are the handlers of the informer.
func (c *controller) podCreated(pool Pool, name string) {
	c.cached = append(c.cached, name)
	c.change(pool.UID, expect.Expectations.CreationObserved)
}

func (c *controller) podDeleted(pool Pool, name string) {
	c.cached = c.cached[:len(c.cached)-1]
	c.change(pool.UID, func(e expect.Expectations) expect.Expectations { return e.DeletionObserved(name) })
}

// A controller of your own kind that creates and deletes each pod once, however late its cache is.
func Example() {
	c, pool, now := controller{store: store{expected: map[string]expect.Expectations{}}}, Pool{UID: "u1", Pods: 2}, noon
	fmt.Println(c.reconcile(pool, now))
	fmt.Println(c.reconcile(pool, now), "- the cache shows none")
	c.podCreated(pool, "pod-1")
	fmt.Println(c.reconcile(pool, now.Add(time.Minute)))
	c.podCreated(pool, "pod-2")
	fmt.Println(c.reconcile(pool, now))

	pool.Pods = 1
	fmt.Println(c.reconcile(pool, now))
	fmt.Println(c.reconcile(pool, now))
	c.podDeleted(pool, "pod-2")
	fmt.Println(c.reconcile(pool, now))

	pool.Pods, c.full = 3, true
	fmt.Println(c.reconcile(pool, now))
	c.full = false
	fmt.Println(c.reconcile(pool, now), "- after the failure nothing is expected")
	fmt.Println(c.reconcile(pool, now.Add(4*time.Minute)), "- their events are lost")
	fmt.Println(c.reconcile(pool, now.Add(6*time.Minute)))
	// Output:
	// created 2
	// waits for 2, at most 5m0s - the cache shows none
	// waits for 1, at most 4m0s
	// has all pods
	// deleted [pod-2]
	// waits for 1, at most 5m0s
	// has all pods
	// created 0
	// created 2 - after the failure nothing is expected
	// waits for 2, at most 1m0s - their events are lost
	// created 2
}
