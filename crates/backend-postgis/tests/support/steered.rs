//! Leases whose authority's clock is the test's: the one function that tells the time to
//! the database reads a row, and the row follows the manual clock.

use super::server::Server;
use hexlane_backend::clock::{Clock, ManualClock};
use hexlane_backend::{Failure, Holder, Lease, Leases, StoreError};
use hexlane_backend_postgis::PostgisMap;
use hexlane_core::lane::Shard;
use std::sync::Arc;
use tokio_postgres::Client;

/// Leases behind a clock that is moved by hand.
pub struct Steered {
    map: PostgisMap,
    clock: Arc<ManualClock>,
    admin: Client,
}

impl Steered {
    pub async fn new(server: &Server, map: PostgisMap, clock: Arc<ManualClock>) -> Self {
        let admin = server.client("map").await;
        admin
            .batch_execute(
                "CREATE TABLE IF NOT EXISTS public.manual_clock (now_us bigint);
                 CREATE OR REPLACE FUNCTION hexlane.authority_now() RETURNS timestamptz
                   LANGUAGE sql VOLATILE AS 'SELECT timestamptz ''epoch''
                     + now_us * interval ''1 microsecond'' FROM public.manual_clock'",
            )
            .await
            .unwrap();
        Self { map, clock, admin }
    }

    async fn steer(&self) {
        let now_us = self.clock.now_us();
        let sql = format!("TRUNCATE manual_clock; INSERT INTO manual_clock VALUES ({now_us})");
        self.admin.batch_execute(&sql).await.unwrap();
    }
}

impl Leases for Steered {
    async fn acquire(&self, shard: Shard, holder: &Holder) -> Result<Option<Lease>, Failure> {
        self.steer().await;
        self.map.acquire(shard, holder).await
    }

    async fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        self.steer().await;
        self.map.renew(lease).await
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.steer().await;
        self.map.release(lease).await
    }
}
