//! PostgreSQL is the map and issues the leases: without it events wait on the queue, which
//! goes on taking them.

use crate::deployment::{Deployment, LIMIT};
use hexlane_servers::postgres;
use hexlane_servers::redis::Server;
use hexlane_tests::wait;
use std::path::PathBuf;
use std::process::Command;

/// Ends the consumer's sessions: settings of a database hold from the next one on.
const END_SESSIONS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE application_name = 'hexlane'";

#[test]
fn slow_postgresql_away_at_the_start_is_waited_for() {
    let mut deployment = Deployment::prepared(Server::start(), &[]);
    deployment.postgis.server.kill();
    deployment.consumer.begin_restart();
    deployment.unready("sink", "store.unavailable");
    deployment.refuses_every_time();
    deployment.told_once("WARN", &["the map in PostGIS", "refused", "waiting for it"]);
    deployment.postgis.server.resume();
    deployment.consumer.await_ready();
    deployment.drains();
}

#[test]
fn slow_postgresql_away_in_the_middle_holds_no_sender_up() {
    let mut deployment = Deployment::start();
    deployment.take(200);
    deployment.postgis.server.kill();
    deployment.take(200);
    deployment.waits_for("leases");
    deployment.take(200);
    deployment.status_names("store.unavailable");
    deployment.told_once(
        "WARN",
        &[
            "leases",
            "is away",
            "goes on by itself",
            "store.unavailable",
        ],
    );
    deployment.postgis.server.resume();
    deployment.drains();
}

#[test]
fn slow_postgresql_that_restarts_again_and_again_under_load_loses_and_doubles_nothing() {
    let mut deployment = Deployment::start();
    deployment.repeated(4);
    for _ in 0..4 {
        deployment.take(100);
        deployment.postgis.server.kill();
        deployment.take(100);
        deployment.postgis.server.resume();
    }
    deployment.drains();
}

/// A mounted tmpfs; gone when dropped.
struct Small(PathBuf);

impl Small {
    fn on(server: &postgres::Server) -> Self {
        let folder = server.folder().join("small");
        std::fs::create_dir(&folder).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"]);
        postgres::install(mount.arg(&folder));
        postgres::Server::give(&folder);
        Self(folder)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

#[test]
fn slow_a_full_disk_of_postgresql_holds_events_on_the_queue() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root may mount the small disk");
        return;
    }
    let mut deployment = Deployment::start();
    let small = Small::on(&deployment.postgis.server);
    let path = small.0.display();
    deployment.map_sql(&format!("CREATE TABLESPACE small LOCATION '{path}'"));
    deployment.map_sql(
        "ALTER TABLE hexlane.features SET TABLESPACE small;
         CREATE TABLE public.filler (text text) TABLESPACE small",
    );
    // Rows that are rolled back keep their pages.
    deployment.map_sql(
        "DO $$ BEGIN
           LOOP
             INSERT INTO public.filler SELECT repeat('x', 100) FROM generate_series(1, 50);
           END LOOP;
         EXCEPTION WHEN disk_full THEN NULL;
         END $$",
    );
    deployment.take(200);
    deployment.waits_for("sink");
    deployment.take(200);
    deployment.told_once("WARN", &["the map is away", "store.disk_full", "53100"]);
    deployment.map_sql("DROP TABLE public.filler");
    let drained = deployment.consumer.drained(LIMIT);
    assert_eq!(drained["settled"]["applied"], 400, "{drained}");
    deployment.map_sql("ALTER TABLE hexlane.features SET TABLESPACE pg_default");
    deployment.drains();
}

#[test]
fn slow_a_read_only_postgresql_is_an_alert_and_holds_no_sender_up() {
    let mut deployment = Deployment::start();
    deployment.take(100);
    let turn = |value: &str| {
        format!("ALTER DATABASE map SET default_transaction_read_only = {value}; {END_SESSIONS}")
    };
    deployment.postgis.sql("postgres", &turn("on"));
    deployment.take(200);
    deployment.waits_for("leases");
    deployment.take(200);
    deployment.told_once("ERROR", &["alert", "leases", "store.read_only", "25006"]);
    deployment.postgis.sql("postgres", &turn("off"));
    deployment.drains();
}

#[test]
fn slow_a_table_that_is_missing_is_named_and_nothing_is_lost() {
    let mut deployment = Deployment::start();
    deployment.take(100);
    let _applied = deployment.consumer.drained(LIMIT);
    deployment.map_sql("ALTER TABLE hexlane.features RENAME TO mislaid");
    deployment.take(200);
    deployment.waits_for("sink");
    deployment.told_once("ERROR", &["alert", "hexlane.features", "42P01"]);
    deployment.map_sql("ALTER TABLE hexlane.mislaid RENAME TO features");
    deployment.drains();
}

#[test]
fn slow_a_table_that_is_missing_at_the_start_is_named_and_the_process_ends() {
    let mut deployment = Deployment::start();
    deployment.consumer.stop();
    deployment.map_sql("ALTER TABLE hexlane.features RENAME TO mislaid");
    deployment.consumer.begin_restart();
    assert_eq!(deployment.consumer.ended().code(), Some(2));
    deployment.told_once("ERROR", &["not started", "hexlane.features"]);
    deployment.map_sql("ALTER TABLE hexlane.mislaid RENAME TO features");
    deployment.consumer.restart();
    deployment.drains();
}

#[test]
fn slow_a_lock_that_is_held_for_long_costs_no_event() {
    let mut deployment = Deployment::start();
    deployment.take(100);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let holder = runtime.block_on(deployment.postgis.server.client("map"));
    let lock = "BEGIN; LOCK TABLE hexlane.features IN ACCESS EXCLUSIVE MODE";
    runtime
        .block_on(holder.batch_execute(lock))
        .expect("the lock");
    deployment.take(300);
    deployment.waits_for("sink");
    deployment.told_once("WARN", &["the map is away", "store.busy"]);
    // For a lease and longer: it is renewed all the same.
    let ends = "SELECT extract(epoch FROM max(expires_at))::bigint FROM hexlane.leases";
    let ends = deployment.postgis.number(ends);
    let not_renewed = format!(
        "SELECT count(*) FROM hexlane.leases WHERE extract(epoch FROM expires_at) < {ends} + 8"
    );
    wait::until("leases renewed for a lease's time", LIMIT, || {
        (deployment.postgis.number(&not_renewed) == 0).then_some(())
    });
    let log = deployment.consumer.log();
    assert!(!log.contains(r#""reason":"leases""#), "{log}");
    runtime
        .block_on(holder.batch_execute("ROLLBACK"))
        .expect("the end of it");
    deployment.drains();
}

#[test]
fn slow_a_wrong_password_of_postgresql_at_the_start_is_told_and_the_process_ends() {
    let variables = [("MAP_PASSWORD", "wrong-password")];
    let mut deployment = Deployment::prepared(Server::start(), &variables);
    deployment.consumer.begin_restart();
    assert_eq!(deployment.consumer.ended().code(), Some(2));
    deployment.told_once("ERROR", &["not started", "the map in PostGIS", "28P01"]);
}
