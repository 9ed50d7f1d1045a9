//! The queue runs the conformance suite on a real cluster of six processes, three masters
//! and three replicas. A crash kills all six and starts them on what is on disk.

mod support;

mod slow {
    use super::support::cluster::Cluster;
    use super::support::fixture::Stores;

    hexlane_backend::conformance_suite!(queue super::Stores::at(super::Cluster::start()).await);
}
