//! One request: head, bytes, verdict, route, answer. Two ways in, one way through.

use crate::bindings::Edge;
use crate::payloads::Arriving;
use crate::{clock, reply, route};
use futures_util::StreamExt;
use hexlane_door::{Answer, Decision, EVENT_HEADERS, EVENT_MARK, Head, Meter, Problem};
use js_sys::futures::future_to_promise;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use worker::{Env, Request};

/// A POST whose body is here.
pub(crate) fn whole(head_lines: &str, body: &[u8], edge: &Rc<Edge>, env: Env) -> JsValue {
    let (url, lines) = head_lines.split_once('\n').unwrap_or((head_lines, ""));
    let lines = lines.lines().filter_map(|line| line.split_once('\t'));
    let head = lines.fold(Head::new("POST", path(url)), |head, (name, value)| {
        head.with(name, value)
    });
    match judge_whole(&head, body, edge) {
        Ok(Decision::Answer(answer)) | Err(answer) => reply::response(&answer),
        Ok(Decision::Enqueue(enqueue)) => {
            let edge = Rc::clone(edge);
            let settled = async move {
                let answer = route::settle(enqueue, Arriving::default(), &edge, &env).await;
                Ok(reply::response(&answer))
            };
            future_to_promise(settled).into()
        }
    }
}

/// `/livez` answers that the isolate runs, and asks nobody else.
fn live(head: &Head) -> Option<Answer> {
    match (head.path(), head.method()) {
        ("/livez", "GET" | "HEAD") => {
            let body = b"{\"status\":\"live\"}".to_vec();
            Some(Answer::json(200, "application/json", body))
        }
        ("/livez", _) => Some(Problem::MethodNotAllowed { allow: "GET, HEAD" }.answer()),
        _ => None,
    }
}

fn judge_whole(head: &Head, body: &[u8], edge: &Edge) -> Result<Decision, Answer> {
    if let Some(answer) = live(head) {
        return Err(answer);
    }
    let opened = edge.door.open(head)?;
    opened.check(body)?;
    Ok(opened.judge(body, clock::now_us()))
}

/// Any request; its body is metered as it arrives.
pub(crate) async fn streamed(mut request: Request, edge: &Edge, env: &Env) -> Answer {
    let head = head(&request, edge.door.headers());
    if let Some(answer) = live(&head) {
        return answer;
    }
    let mut arriving = Arriving::default();
    match judge_streamed(&mut request, &head, edge, env, &mut arriving).await {
        Ok(Decision::Answer(answer)) | Err(answer) => {
            arriving.take_back().await;
            answer
        }
        Ok(Decision::Enqueue(enqueue)) => route::settle(enqueue, arriving, edge, env).await,
    }
}

async fn judge_streamed(
    request: &mut Request,
    head: &Head,
    edge: &Edge,
    env: &Env,
    arriving: &mut Arriving,
) -> Result<Decision, Answer> {
    let opened = edge.door.open(head)?;
    let mut meter = opened.meter(&edge.budget)?;
    if edge.stores_payloads && opened.is_one_document() {
        *arriving = Arriving::awaited(env);
    }
    read(request, &mut meter, arriving).await?;
    let body = meter.finish()?;
    Ok(opened.judge(body, clock::now_us()))
}

fn head(request: &Request, names: &[&str]) -> Head {
    let head = Head::new(request.method().as_ref(), &request.path());
    let head = with_headers(head, request, names);
    if request.headers().has(EVENT_MARK).unwrap_or(false) {
        with_headers(head, request, &EVENT_HEADERS)
    } else {
        head
    }
}

fn with_headers(head: Head, request: &Request, names: &[&str]) -> Head {
    let headers = request.headers();
    names
        .iter()
        .fold(head, |head, name| match headers.get(name) {
            Ok(Some(value)) => head.with(name, &value),
            Ok(None) | Err(_) => head,
        })
}

/// The path of an absolute URL, without query and fragment.
fn path(url: &str) -> &str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find('/').map_or("/", |at| &after_scheme[at..]);
    path.split(['?', '#']).next().unwrap_or(path)
}

async fn read(
    request: &mut Request,
    meter: &mut Meter,
    arriving: &mut Arriving,
) -> Result<(), Answer> {
    if request.inner().body().is_none() {
        return Ok(());
    }
    let cut = || Problem::BodyCut.answer();
    let mut stream = request.stream().map_err(|_| cut())?;
    while let Some(chunk) = stream.next().await {
        meter.push(&chunk.map_err(|_| cut())?)?;
        arriving.see(meter.arrived()).await;
    }
    Ok(())
}
