//! How a source's requests prove where they come from.

use super::SourceError;
use crate::signature::Secret;
use serde::{Deserialize, Serialize};

/// As written: `"none"`, or a scheme with the names of its secrets. Several secrets are
/// accepted side by side, so that they can be rotated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AuthSettings {
    /// Everybody may send.
    None,
    /// Standard Webhooks `v1`: HMAC-SHA256 over id, timestamp and body.
    StandardWebhooks {
        /// Names of secrets, `whsec_…`.
        secrets: Vec<String>,
        /// How old or early a timestamp may be, in seconds.
        #[serde(default = "default_tolerance_s")]
        tolerance_s: u32,
    },
    /// `Authorization: Bearer …`.
    Bearer {
        /// Names of secrets.
        secrets: Vec<String>,
    },
}

/// Five minutes, as Standard Webhooks recommends.
const fn default_tolerance_s() -> u32 {
    300
}

/// As resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Everybody may send.
    None,
    /// Standard Webhooks `v1`.
    StandardWebhooks {
        /// Any of these may have signed.
        secrets: Vec<Secret>,
        /// How old or early a timestamp may be, in seconds.
        tolerance_s: u32,
    },
    /// A bearer token.
    Bearer {
        /// Any of these is accepted.
        tokens: Vec<Secret>,
    },
}

impl AuthSettings {
    pub(super) fn resolve(
        &self,
        source: &str,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Auth, SourceError> {
        match self {
            Self::None => Ok(Auth::None),
            Self::StandardWebhooks {
                secrets,
                tolerance_s,
            } => Ok(Auth::StandardWebhooks {
                secrets: resolve_all(source, secrets, lookup, Secret::from_whsec)?,
                tolerance_s: *tolerance_s,
            }),
            Self::Bearer { secrets } => Ok(Auth::Bearer {
                tokens: resolve_all(source, secrets, lookup, Secret::from_text)?,
            }),
        }
    }
}

fn resolve_all(
    source: &str,
    names: &[String],
    lookup: impl Fn(&str) -> Option<String>,
    read: impl Fn(&str) -> Result<Secret, &'static str>,
) -> Result<Vec<Secret>, SourceError> {
    if names.is_empty() {
        return Err(SourceError::NoSecret(source.to_owned()));
    }
    let mut secrets = Vec::with_capacity(names.len());
    for name in names {
        let value = lookup(name).ok_or_else(|| SourceError::SecretMissing {
            source_name: source.to_owned(),
            secret: name.clone(),
        })?;
        secrets.push(read(&value).map_err(|reason| SourceError::SecretUnusable {
            source_name: source.to_owned(),
            secret: name.clone(),
            reason,
        })?);
    }
    Ok(secrets)
}
