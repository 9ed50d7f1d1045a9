//! What to try, printed once both programs answer.

/// A good event, a broken one, and where the map is.
pub(super) fn print(worker_port: u16, map: &str) {
    let events = format!("http://127.0.0.1:{worker_port}/v1/events/demo");
    println!(
        r#"
Hexlane is up. In another terminal:

  # accepted: 202, and the point is on the map a moment later
  curl -i {events} -H 'content-type: application/geo+json' -d \
    '{{"type":"Feature","id":"van-7","geometry":{{"type":"Point","coordinates":[13.377,52.516]}},"properties":{{"speed":12}}}}'

  # refused: 422, with the place where the polygon crosses itself
  curl -i {events} -H 'content-type: application/geo+json' -d \
    '{{"type":"Feature","id":"zone-1","geometry":{{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}},"properties":{{}}}}'

  # 1,707 real earthquakes, through the Worker
  target/release/hexlane send node_modules/vega-datasets/data/earthquakes.json \
    --to http://127.0.0.1:{worker_port}/v1/events/earthquakes

{map}

Ctrl-C stops all of it.
"#
    );
}
