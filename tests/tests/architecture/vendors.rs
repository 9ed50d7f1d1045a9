//! One outside technology a backend, and none of its types in a public signature.

use hexlane_tests::workspace::{Member, Source, Workspace};
use std::collections::BTreeSet;

/// A technology, its client libraries, and who may link them beside its backend.
/// `hexlane-native-consumer` sends and fetches over HTTP itself.
const VENDORS: [(&str, &[&str]); 10] = [
    ("sqlite", &["rusqlite", "libsqlite3-sys"]),
    ("redis", &["redis"]),
    (
        "postgis",
        &["tokio-postgres", "deadpool-postgres", "postgres-types"],
    ),
    ("object", &["object_store"]),
    ("http", &["reqwest"]),
    ("kafka", &["rdkafka"]),
    ("amqp", &["lapin"]),
    ("sqs", &["aws-sdk-sqs"]),
    ("nats", &["async-nats"]),
    ("cloudflare", &["cloudflare"]),
];

/// Members that may name a client library though they are no backend of it.
const BESIDE: [(&str, &str); 3] = [
    ("hexlane-native-consumer", "reqwest"),
    ("hexlane-worker", "redis"),
    ("hexlane-streams", "redis"),
];

fn technologies(member: Member<'_>) -> BTreeSet<&'static str> {
    let linked = member.linked();
    let beside = |library: &str| BESIDE.contains(&(member.name(), library));
    let uses = |libraries: &[&str]| {
        libraries
            .iter()
            .any(|library| linked.contains(*library) && !beside(library))
    };
    VENDORS
        .iter()
        .filter(|(_, libraries)| uses(libraries))
        .map(|(name, _)| *name)
        .collect()
}

#[test]
fn a_client_library_is_linked_by_its_backend_alone() {
    let workspace = Workspace::read();
    for member in workspace
        .members()
        .iter()
        .filter(|member| member.is_shipped())
    {
        let own = member.name().strip_prefix("hexlane-backend-");
        for technology in technologies(*member) {
            assert_eq!(
                own,
                Some(technology),
                "{} links {technology}",
                member.name()
            );
        }
    }
}

/// The vendor's name, and every name that the file takes from it.
fn names_from(library: &str, source: &Source) -> BTreeSet<String> {
    let library = library.replace('-', "_");
    let mut names = BTreeSet::from([library.clone()]);
    for line in source.code().lines().map(str::trim) {
        let Some(path) = line.strip_prefix(&format!("use {library}::")) else {
            continue;
        };
        let pieces = path.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let types =
            pieces.filter(|piece| piece.starts_with(|first: char| first.is_ascii_uppercase()));
        names.extend(types.filter(|name| *name != "Result").map(str::to_owned));
    }
    names
}

fn mentions(item: &str, name: &str) -> bool {
    item.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| word == name)
}

#[test]
fn no_vendor_type_stands_in_a_public_signature_of_a_backend() {
    let workspace = Workspace::read();
    for member in workspace.members() {
        let Some(technology) = member.name().strip_prefix("hexlane-backend-") else {
            continue;
        };
        let row = VENDORS.iter().find(|(name, _)| *name == technology);
        let libraries = row
            .unwrap_or_else(|| panic!("{technology} is not in the table of vendors"))
            .1;
        for source in member.sources().iter().filter(|source| source.is_shipped()) {
            for name in libraries
                .iter()
                .flat_map(|library| names_from(library, source))
            {
                for item in source.public_items() {
                    let path = source.path.display();
                    assert!(!mentions(&item, &name), "{path}: {name} in public\n{item}");
                }
            }
        }
    }
}
