//! A map for whoever only looks: what is dead, how deliveries ended. Nothing is made or
//! brought up to date, so it works on a standby and beside the processes that run on it.

use crate::connection::Connections;
use crate::settings::Settings;
use crate::sql::Names;
use crate::{dead_letters, migration, server, tally};
use hexlane_backend::{DeadCount, Failure, OutcomeCounts, Part};

/// What stands in a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapView {
    /// Open dead letters.
    pub dead_letters: Vec<DeadCount>,
    /// How deliveries ended.
    pub tally: OutcomeCounts,
}

/// Looks at the map of these settings.
///
/// # Errors
/// The server is away or refuses us; there is no map, or it is of another build, CRS or
/// shard map.
pub async fn look(settings: &Settings) -> Result<MapView, Failure> {
    settings.check()?;
    let connections = Connections::new(settings, settings.connections_max)?;
    let client = connections.session(Part::Sink).await?;
    let server = server::inspect_to_look(&client, settings).await?;
    let names = Names::new(&settings.schema, &server.postgis_schema);
    migration::check(&client, settings, &names).await?;
    drop(client);
    let count = names.fill(dead_letters::COUNT);
    let dead = connections.read(Part::DeadLetters, &count, &[]).await?;
    let outcomes = names.fill(tally::QUERY);
    let outcomes = connections.read(Part::Sink, &outcomes, &[]).await?;
    connections.close();
    Ok(MapView {
        dead_letters: dead_letters::counts(&dead)?,
        tally: tally::counts(&outcomes)?,
    })
}
