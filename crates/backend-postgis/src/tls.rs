//! TLS to the server by rustls with ring. The certificate is always checked, and always
//! for the host: a mode that encrypts without asking whom would be no protection.

use crate::settings::Tls;
use hexlane_backend::{Code, Failure, Part};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;

/// The client's configuration; none without TLS.
pub(crate) fn config(tls: &Tls) -> Result<Option<ClientConfig>, Failure> {
    let roots = match tls {
        Tls::Off => return Ok(None),
        Tls::System => system()?,
        Tls::Authority(file) => authority(file)?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?;
    Ok(Some(
        builder.with_root_certificates(roots).with_no_client_auth(),
    ))
}

fn system() -> Result<RootCertStore, Failure> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(refused("this machine trusts no certificate".to_owned()));
    }
    Ok(roots)
}

fn authority(file: &Path) -> Result<RootCertStore, Failure> {
    let told = |reason: String| refused(format!("{}: {reason}", file.display()));
    let mut roots = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|error| told(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| told(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| told(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(told("no certificate in it".to_owned()));
    }
    Ok(roots)
}

fn refused(detail: String) -> Failure {
    Failure::new(Part::Sink, Code::Settings).with_detail(detail)
}
