//! How a source's requests prove where they come from.

use super::SourceError;
use crate::signature::{PublicKey, Secret};
use serde::{Deserialize, Serialize};

/// As written: `"none"`, or a scheme with the names of its secrets. Several secrets are
/// accepted side by side, so that they can be rotated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AuthSettings {
    /// Everybody may send.
    None,
    /// Standard Webhooks: `v1` by a shared secret, `v1a` by the sender's public key.
    StandardWebhooks {
        /// Names of secrets, `whsec_…`.
        #[serde(default)]
        secrets: Vec<String>,
        /// Public keys themselves, `whpk_…`: they are no secrets.
        #[serde(default)]
        public_keys: Vec<String>,
        /// How old or early a timestamp may be, in seconds.
        #[serde(default = "default_tolerance_s")]
        tolerance_s: u32,
    },
    /// `X-Hub-Signature-256`: HMAC-SHA256 over the body.
    #[serde(rename = "github")]
    GitHub {
        /// Names of secrets.
        secrets: Vec<String>,
    },
    /// `Stripe-Signature`: HMAC-SHA256 over timestamp and body.
    Stripe {
        /// Names of secrets.
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
    /// Standard Webhooks.
    StandardWebhooks {
        /// Any of these may have signed, by `v1`.
        secrets: Vec<Secret>,
        /// The owner of any of these may have signed, by `v1a`.
        public_keys: Vec<PublicKey>,
        /// How old or early a timestamp may be, in seconds.
        tolerance_s: u32,
    },
    /// As GitHub signs.
    GitHub {
        /// Any of these may have signed.
        secrets: Vec<Secret>,
    },
    /// As Stripe signs.
    Stripe {
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
        let by = Lookup { source, lookup };
        match self {
            Self::None => Ok(Auth::None),
            Self::StandardWebhooks {
                secrets,
                public_keys,
                tolerance_s,
            } => {
                let public_keys = keys(source, public_keys)?;
                let secrets = if public_keys.is_empty() || !secrets.is_empty() {
                    by.all(secrets, Secret::from_whsec)?
                } else {
                    Vec::new()
                };
                Ok(Auth::StandardWebhooks {
                    secrets,
                    public_keys,
                    tolerance_s: *tolerance_s,
                })
            }
            Self::GitHub { secrets } => Ok(Auth::GitHub {
                secrets: by.all(secrets, Secret::from_text)?,
            }),
            Self::Stripe {
                secrets,
                tolerance_s,
            } => Ok(Auth::Stripe {
                secrets: by.all(secrets, Secret::from_text)?,
                tolerance_s: *tolerance_s,
            }),
            Self::Bearer { secrets } => Ok(Auth::Bearer {
                tokens: by.all(secrets, Secret::from_text)?,
            }),
        }
    }
}

fn keys(source: &str, texts: &[String]) -> Result<Vec<PublicKey>, SourceError> {
    let read = |(number, text): (usize, &String)| {
        PublicKey::from_whpk(text).map_err(|reason| SourceError::PublicKey {
            source_name: source.to_owned(),
            number,
            reason,
        })
    };
    (1..).zip(texts).map(read).collect()
}

/// Where a source's secrets are found by their names.
struct Lookup<'a, F> {
    source: &'a str,
    lookup: F,
}

impl<F: Fn(&str) -> Option<String>> Lookup<'_, F> {
    fn all(
        &self,
        names: &[String],
        read: impl Fn(&str) -> Result<Secret, &'static str>,
    ) -> Result<Vec<Secret>, SourceError> {
        if names.is_empty() {
            return Err(SourceError::NoSecret(self.source.to_owned()));
        }
        names.iter().map(|name| self.one(name, &read)).collect()
    }

    fn one(
        &self,
        name: &str,
        read: impl Fn(&str) -> Result<Secret, &'static str>,
    ) -> Result<Secret, SourceError> {
        let value = (self.lookup)(name).ok_or_else(|| SourceError::SecretMissing {
            source_name: self.source.to_owned(),
            secret: name.to_owned(),
        })?;
        read(&value).map_err(|reason| SourceError::SecretUnusable {
            source_name: self.source.to_owned(),
            secret: name.to_owned(),
            reason,
        })
    }
}
