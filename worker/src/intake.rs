//! One request: head, bytes as they arrive, verdict, route, answer.

use crate::bindings::Edge;
use crate::route;
use futures_util::StreamExt;
use hexlane_door::{Answer, Decision, HEADERS, Head, Meter, Problem};
use worker::{Date, Request};

pub(crate) async fn take(mut request: Request, edge: &Edge) -> Answer {
    let head = head(&request);
    if head.method() == "GET" && head.path() == "/livez" {
        return Answer::json(200, "application/json", b"{\"status\":\"live\"}".to_vec());
    }
    match judge(&mut request, &head, edge).await {
        Ok(Decision::Answer(answer)) | Err(answer) => answer,
        Ok(Decision::Enqueue(enqueue)) => {
            let said = route::relay(&enqueue, &edge.relay, now_us()).await;
            enqueue.settle(said.as_deref().map_err(|unavailable| *unavailable))
        }
    }
}

fn head(request: &Request) -> Head {
    let head = Head::new(request.method().as_ref(), &request.path());
    let headers = request.headers();
    HEADERS
        .into_iter()
        .fold(head, |head, name| match headers.get(name) {
            Ok(Some(value)) => head.with(name, &value),
            Ok(None) | Err(_) => head,
        })
}

async fn judge(request: &mut Request, head: &Head, edge: &Edge) -> Result<Decision, Answer> {
    let opened = edge.door.open(head)?;
    let mut meter = opened.meter(&edge.budget)?;
    read(request, &mut meter).await?;
    let body = meter.finish()?;
    Ok(opened.judge(body, now_us()))
}

async fn read(request: &mut Request, meter: &mut Meter) -> Result<(), Answer> {
    if request.inner().body().is_none() {
        return Ok(());
    }
    // The runtime holds a body to its declared length, which the door has accepted: one
    // call is then cheaper than a stream.
    if meter.declared().is_some() {
        let bytes = request
            .bytes()
            .await
            .map_err(|_| Problem::BodyCut.answer())?;
        return meter.push(&bytes);
    }
    let mut stream = request.stream().map_err(|_| Problem::BodyCut.answer())?;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Problem::BodyCut.answer())?;
        meter.push(&chunk)?;
    }
    Ok(())
}

/// The runtime's clock, which stands still while wasm runs.
fn now_us() -> i64 {
    i64::try_from(Date::now().as_millis())
        .unwrap_or(i64::MAX)
        .saturating_mul(1_000)
}
