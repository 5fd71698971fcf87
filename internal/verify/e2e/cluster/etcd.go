// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd starts an etcd with one member in this process, on free ports.
func startEtcd(dir string) (*embed.Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Dir = dir
	cfg.UnsafeNoFsync = true
	cfg.EnableGRPCGateway = false // the gateway would dial the advertised port 0
	cfg.LogLevel, cfg.LogOutputs = "error", []string{os.DevNull}
	anywhere := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = anywhere, anywhere
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = anywhere, anywhere
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case <-time.After(time.Minute):
		etcd.Close()
		return nil, errors.New("etcd is not ready after a minute")
	}
}
