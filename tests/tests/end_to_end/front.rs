//! The Worker on each of its routes.

use hexlane_tests::deployment::Deployment;
use hexlane_tests::dev::Dev;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request, Response};
use hexlane_tests::settings;
use toml::Value;

/// A route of the Worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Signed HTTPS to the consumer.
    Relay,
    /// Cloudflare Queues, the bucket for what is large, and the bridge to the consumer.
    Queue,
    /// Redis Streams.
    Redis,
}

/// The Worker, with the sources and limits of `wrangler.toml`.
pub(crate) enum Front {
    /// Alone.
    Edge(Edge),
    /// With queue and bucket, as the platform has them.
    Dev(Dev),
}

impl Front {
    /// The Worker on that route before that deployment.
    pub(crate) fn start(route: Route, deployment: &Deployment) -> Self {
        let relay = deployment.consumer.port;
        match route {
            Route::Relay => Self::Edge(Edge::start_as_it_stands(relay)),
            Route::Queue => Self::Dev(Dev::start(relay)),
            Route::Redis => {
                let wrangler = settings::wrangler();
                let vars = wrangler.get("vars").and_then(Value::as_table);
                let mut vars = vars.expect("[vars] of wrangler.toml").clone();
                let url = format!("redis://{}", deployment.redis.address());
                vars.insert("ROUTE".to_owned(), "redis".into());
                vars.insert("REDIS_URL".to_owned(), url.into());
                Self::Edge(Edge::start_with(&vars, &settings::SECRETS))
            }
        }
    }

    const fn port(&self) -> u16 {
        match self {
            Self::Edge(edge) => edge.port,
            Self::Dev(dev) => dev.port,
        }
    }

    /// Where events of that source are sent.
    pub(crate) fn events(&self, source: &str) -> String {
        format!("http://127.0.0.1:{}/v1/events/{source}", self.port())
    }

    /// One request.
    pub(crate) fn send(&self, request: &Request) -> Response {
        http::send(self.port(), request).expect("an answer of the Worker")
    }
}
