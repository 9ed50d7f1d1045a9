//! One publish over as many servers as it takes, for who opens sockets by hand: what to
//! send where next, given what was answered. One round is one visit to each server that
//! has something open; usually there is one round of one visit.
//!
//! A script that a server has forgotten is sent in full in the next round; `MOVED` and
//! `ASK` are followed. Anything else that refuses ends it: some shards may have their
//! envelopes then and some not, and publishing again has one effect.

use crate::answer::{Published, Unread, read_answer};
use crate::publish::Batch;
use crate::refusal::Refusal;
use crate::server::Address;
use redis::{Value, cmd};
use std::collections::BTreeMap;

/// Rounds of one publish: by digest, in full, moved, in full there, asked once; and one more.
const ROUNDS_MAX: u32 = 6;

/// One publish.
#[derive(Debug)]
pub struct Rounds {
    calls: Vec<Call>,
    words: Vec<Option<Published>>,
    done: u32,
}

#[derive(Debug)]
struct Call {
    batch: Batch,
    place: Address,
    in_full: bool,
    asking: bool,
    open: bool,
}

/// What one server is sent in a round.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The server.
    pub place: Address,
    /// What to send, after the greeting.
    pub bytes: Vec<u8>,
    /// How many replies come for it.
    pub replies: usize,
    calls: Vec<usize>,
}

/// A slot that another server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The slot.
    pub slot: u16,
    /// Where it is now.
    pub place: Address,
}

impl Rounds {
    /// These batches, of so many envelopes in all. `place` says where a slot was last.
    #[must_use]
    pub fn new(
        batches: Vec<Batch>,
        envelopes: usize,
        mut place: impl FnMut(u16) -> Address,
    ) -> Self {
        let call = |batch: Batch| Call {
            place: place(batch.keys.slot()),
            batch,
            in_full: false,
            asking: false,
            open: true,
        };
        Self {
            calls: batches.into_iter().map(call).collect(),
            words: vec![None; envelopes],
            done: 0,
        }
    }

    /// The next round; empty when every call is answered.
    ///
    /// # Errors
    /// When there have been too many: the cluster sends in circles.
    pub fn visits(&mut self) -> Result<Vec<Visit>, Unread> {
        let mut visits: BTreeMap<&Address, Visit> = BTreeMap::new();
        for (at, call) in self.calls.iter().enumerate().filter(|(_, call)| call.open) {
            let visit = visits.entry(&call.place).or_insert_with(|| Visit {
                place: call.place.clone(),
                bytes: Vec::new(),
                replies: 0,
                calls: Vec::new(),
            });
            if call.asking {
                cmd("ASKING").write_packed_command(&mut visit.bytes);
                visit.replies += 1;
            }
            let command = if call.in_full {
                call.batch.call.in_full()
            } else {
                call.batch.call.by_digest()
            };
            command.write_packed_command(&mut visit.bytes);
            visit.replies += 1;
            visit.calls.push(at);
        }
        let visits: Vec<Visit> = visits.into_values().collect();
        if !visits.is_empty() {
            self.done += 1;
        }
        if self.done > ROUNDS_MAX {
            return Err(Unread::Malformed("redirected in circles".to_owned()));
        }
        Ok(visits)
    }

    /// Takes the replies to a visit, and tells which slots are elsewhere.
    ///
    /// # Errors
    /// When a server refused, or said something else.
    pub fn answered(&mut self, visit: &Visit, replies: &[Value]) -> Result<Vec<Moved>, Unread> {
        let mut replies = replies.iter();
        let mut next = || {
            let missing = || Unread::Malformed("a reply is missing".to_owned());
            replies.next().ok_or_else(missing)
        };
        let mut moved = Vec::new();
        for at in &visit.calls {
            let Some(call) = self.calls.get_mut(*at) else {
                continue;
            };
            if call.asking {
                next()?;
                call.asking = false;
            }
            match read_answer(next()?, call.batch.positions.len()) {
                Ok(words) => {
                    call.open = false;
                    for (position, word) in call.batch.positions.iter().zip(words) {
                        if let Some(place) = self.words.get_mut(*position) {
                            *place = Some(word);
                        }
                    }
                }
                Err(Unread::Refused(refusal)) => moved.extend(call.refused(refusal, visit)?),
                Err(malformed) => return Err(malformed),
            }
        }
        Ok(moved)
    }

    /// One word an envelope, in order; none when some are still open.
    #[must_use]
    pub fn words(&self) -> Option<Vec<Published>> {
        self.words.iter().copied().collect()
    }
}

impl Call {
    /// What the next round does about it.
    fn refused(&mut self, refusal: Refusal, visit: &Visit) -> Result<Option<Moved>, Unread> {
        match &refusal {
            Refusal::ScriptMissing if !self.in_full => {
                self.in_full = true;
                Ok(None)
            }
            Refusal::Moved { slot, address } => {
                let place = Address::of_redirect(address, &visit.place);
                self.place = place.ok_or(Unread::Refused(refusal.clone()))?;
                let place = self.place.clone();
                Ok(Some(Moved { slot: *slot, place }))
            }
            Refusal::Ask { address, .. } => {
                let place = Address::of_redirect(address, &visit.place);
                self.place = place.ok_or(Unread::Refused(refusal.clone()))?;
                self.asking = true;
                Ok(None)
            }
            Refusal::ScriptMissing
            | Refusal::NotReady(_)
            | Refusal::ReadOnly(_)
            | Refusal::DiskTrouble(_)
            | Refusal::OutOfMemory
            | Refusal::TooFewReplicas
            | Refusal::Unauthorized(_)
            | Refusal::NotPermitted(_)
            | Refusal::NoGroup
            | Refusal::WrongType
            | Refusal::ShardMap { .. }
            | Refusal::Other(_) => Err(Unread::Refused(refusal)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::read_replies;
    use crate::names::Layout;
    use crate::script::Script;
    use hexlane_core::lane::Shard;

    const HOME: &str = "10.0.0.1:7001";

    fn address(text: &str) -> Address {
        let none = Address {
            host: String::new(),
            port: 0,
        };
        Address::of_redirect(text, &none).unwrap()
    }

    /// Shard by shard, the positions of its envelopes.
    fn rounds(shards: &[(u16, &[usize])]) -> Rounds {
        let script = Script::new("return 1");
        let batch = |(shard, positions): &(u16, &[usize])| {
            let shard = Shard::new(*shard);
            let keys = Layout::default().keys(shard);
            Batch {
                shard,
                call: script.call([keys.stream.as_str()]),
                keys,
                positions: positions.to_vec(),
            }
        };
        let envelopes = shards.iter().map(|(_, positions)| positions.len()).sum();
        let batches = shards.iter().map(batch).collect();
        Rounds::new(batches, envelopes, |_| address(HOME))
    }

    fn answer(rounds: &mut Rounds, visit: &Visit, resp: &str) -> Result<Vec<Moved>, Unread> {
        let replies = read_replies(resp.as_bytes(), visit.replies).unwrap();
        rounds.answered(visit, &replies.unwrap())
    }

    fn only(visits: Vec<Visit>) -> Visit {
        assert_eq!(visits.len(), 1, "{visits:?}");
        visits.into_iter().next().unwrap()
    }

    fn text(visit: &Visit) -> String {
        String::from_utf8_lossy(&visit.bytes).into_owned()
    }

    #[test]
    fn a_request_is_one_visit_and_its_words_stand_in_its_order() {
        let mut rounds = rounds(&[(3, &[1]), (5, &[0, 2])]);
        let visit = only(rounds.visits().unwrap());
        assert_eq!(text(&visit).matches("EVALSHA").count(), 2);
        answer(&mut rounds, &visit, "*1\r\n:1\r\n*2\r\n:0\r\n:2\r\n").unwrap();
        assert!(rounds.visits().unwrap().is_empty());
        let words = rounds.words().unwrap();
        let expected = [
            Published::Enqueued,
            Published::Duplicate,
            Published::Conflict,
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_forgotten_script_is_sent_in_full_and_what_was_done_is_not_sent_again() {
        let mut rounds = rounds(&[(3, &[0]), (5, &[1])]);
        let visit = only(rounds.visits().unwrap());
        answer(&mut rounds, &visit, "-NOSCRIPT No\r\n*1\r\n:0\r\n").unwrap();
        assert_eq!(rounds.words(), None);
        let visit = only(rounds.visits().unwrap());
        let sent = text(&visit);
        assert!(sent.contains("EVAL\r\n") && sent.contains("{003}") && !sent.contains("{005}"));
        let again = answer(&mut rounds, &visit, "-NOSCRIPT No\r\n");
        assert_eq!(again, Err(Unread::Refused(Refusal::ScriptMissing)));
    }

    #[test]
    fn a_moved_slot_is_followed_and_told() {
        let mut rounds = rounds(&[(3, &[0]), (5, &[1])]);
        let visit = only(rounds.visits().unwrap());
        let moved = answer(
            &mut rounds,
            &visit,
            "*1\r\n:0\r\n-MOVED 77 10.0.0.2:7002\r\n",
        );
        let place = address("10.0.0.2:7002");
        let expected = Moved {
            slot: 77,
            place: place.clone(),
        };
        assert_eq!(moved, Ok(vec![expected]));
        let visit = only(rounds.visits().unwrap());
        assert_eq!(visit.place, place);
        answer(&mut rounds, &visit, "*1\r\n:0\r\n").unwrap();
        assert_eq!(rounds.words().unwrap(), [Published::Enqueued; 2]);
    }

    #[test]
    fn a_slot_on_its_way_is_asked_for_once() {
        let mut rounds = rounds(&[(3, &[0])]);
        let visit = only(rounds.visits().unwrap());
        answer(&mut rounds, &visit, "-ASK 77 :7003\r\n").unwrap();
        let visit = only(rounds.visits().unwrap());
        assert_eq!(
            (visit.place.clone(), visit.replies),
            (address("10.0.0.1:7003"), 2)
        );
        assert!(text(&visit).contains("ASKING"));
        answer(&mut rounds, &visit, "+OK\r\n*1\r\n:0\r\n").unwrap();
        assert_eq!(rounds.words().unwrap(), [Published::Enqueued]);
    }

    #[test]
    fn servers_that_send_each_other_everything_are_left() {
        let mut rounds = rounds(&[(3, &[0])]);
        for round in 1.. {
            let Ok(visits) = rounds.visits() else {
                assert_eq!(round, ROUNDS_MAX + 1);
                return;
            };
            let elsewhere = format!("-MOVED 77 10.0.0.{round}:7001\r\n");
            answer(&mut rounds, &only(visits), &elsewhere).unwrap();
        }
    }

    #[test]
    fn any_other_refusal_ends_it() {
        let mut rounds = rounds(&[(3, &[0])]);
        let visit = only(rounds.visits().unwrap());
        let refused = answer(&mut rounds, &visit, "-OOM command not allowed\r\n");
        assert_eq!(refused, Err(Unread::Refused(Refusal::OutOfMemory)));
        assert_eq!(rounds.words(), None);
    }
}
