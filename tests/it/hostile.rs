//! Every RPC with requests that nobody should send, over a real connection, to real sessions: no
//! panic, no hang, no growth, and always an answer with a reason.
//! `DEBUG_RELAY_FUZZ_ROUNDS` makes it longer, `DEBUG_RELAY_FUZZ_SEED` another one.

mod connections;
mod messages;
mod strangers;
mod values;
mod world;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use debug_relay::proto::*;
use futures_util::future::join_all;

use crate::proto_rules::contract;
use crate::raw_calls::{Rpc, call, complaint, rpcs};
use crate::support::{Random, Server, reason};
use messages::{KINDS, Kind, Requests};
use world::{World, harmless};

/// A call that asks for a long wait is broken off after this.
const PATIENCE: Duration = Duration::from_millis(700);
/// All others have answered by then; the longest of them ends a program that does not want to.
const HANGS: Duration = Duration::from_secs(40);

/// These let the program run, end it, or make sessions; the rest only look and change.
const MOVES: &[&str] = &[
    "Attach",
    "Collect",
    "Continue",
    "CreateSession",
    "DeleteSession",
    "Detach",
    "Goto",
    "Launch",
    "Pause",
    "Restart",
    "RunToLine",
    "StepInto",
    "StepOut",
    "StepOver",
    "TerminateSession",
    "Trace",
];
/// They go on until nothing more will come.
const ENDLESS: &[&str] = &["StreamAllEvents", "StreamEvents", "StreamOutput"];

/// What growth is allowed to look like: allocators keep what they once had, and a session keeps its
/// last 10,000 events, each with the texts of a breakpoint.
const GATEWAY_GROWTH: u64 = 64 << 20;
const HOST_GROWTH: u64 = 160 << 20;
const DESCRIPTOR_GROWTH: usize = 8;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// One call, made up beforehand, so that a seed always gives the same.
struct Attack {
    rpc: Rpc,
    kind: Kind,
    session: String,
    message: Bytes,
    may_wait: bool,
}

impl Attack {
    fn new(random: &mut Random, requests: &Requests, rpc: &Rpc, kind: Kind, session: &str) -> Self {
        let message = requests.make(random, rpc, kind, session);
        let is_endless = ENDLESS.contains(&rpc.name.as_str());
        let may_wait = is_endless || (kind != Kind::Brief && requests.can_wait(&rpc.request));
        Self { rpc: rpc.clone(), kind, session: session.into(), message, may_wait }
    }

    /// How it was answered, and what is wrong with that.
    async fn run(&self, world: &World) -> (String, Option<String>) {
        let answer =
            call(&world.client.channel, Some(&world.token), &self.rpc, self.message.clone());
        let limit = if self.may_wait { PATIENCE } else { HANGS };
        let name = &self.rpc.name;
        let (how, wrong) = match tokio::time::timeout(limit, answer).await {
            Ok(Ok(None)) if self.rpc.is_stream => ("well".into(), None),
            Ok(answer) => match complaint(name, &answer) {
                None => (
                    answer.map_or_else(
                        |status| reason(&status).as_str_name().into(),
                        |_| "well".into(),
                    ),
                    None,
                ),
                wrong => ("wrong".into(), wrong),
            },
            Err(_) if self.may_wait => ("not yet".into(), None),
            Err(_) => ("never".into(), Some(format!("{name} does not answer within {HANGS:?}"))),
        };
        let wrong = wrong.map(|wrong| {
            let (kind, session, size) = (self.kind, &self.session, self.message.len());
            let start = self.message[..size.min(300)].escape_ascii();
            format!("{wrong}\n    {kind:?} on {session}, {size} bytes: {start}")
        });
        (how, wrong)
    }
}

/// Every RPC in every way, first those that leave the program where it is.
fn attacks(random: &mut Random, requests: &Requests, world: &World) -> Vec<Vec<Attack>> {
    let (moves, quiet): (Vec<Rpc>, Vec<Rpc>) =
        rpcs(&contract()).into_iter().partition(|rpc| MOVES.contains(&rpc.name.as_str()));
    let make = |random: &mut Random, rpcs: &[Rpc], sessions: &[&str], size: usize| {
        let mut all = Vec::new();
        for (rpc, kind) in rpcs.iter().flat_map(|rpc| KINDS.iter().map(move |kind| (rpc, *kind))) {
            let session = *random.pick(sessions);
            all.push(Attack::new(random, requests, rpc, kind, session));
        }
        // Together with others than its like.
        for place in 0..all.len() {
            let other = random.below(all.len());
            all.swap(place, other);
        }
        let mut batches = Vec::new();
        while !all.is_empty() {
            batches.push(all.drain(..size.min(all.len())).collect::<Vec<_>>());
        }
        batches
    };
    let quiet = make(random, &quiet, &world.to_look_at(), 8);
    let moves = make(random, &moves, &world.to_move(), 4);
    quiet.into_iter().chain(moves).collect()
}

#[tokio::test]
async fn whatever_is_sent_is_answered_with_a_reason_and_nothing_breaks_or_grows() {
    let seed = setting("DEBUG_RELAY_FUZZ_SEED", 1);
    let rounds = setting("DEBUG_RELAY_FUZZ_ROUNDS", 2);
    let program = harmless();
    let requests = Requests::new(program.file());
    let mut world = World::new(Server::start().await, program).await;
    let mut random = Random::new(seed);

    let mut complaints = Vec::new();
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    let mut warm = None;
    for round in 0..rounds.max(2) {
        for batch in attacks(&mut random, &requests, &world) {
            for (how, wrong) in join_all(batch.iter().map(|attack| attack.run(&world))).await {
                *answers.entry(how).or_default() += 1;
                complaints.extend(wrong);
            }
            complaints.extend(world.mend().await);
        }
        let weights = world.weights().await;
        println!("seed {seed}, round {round}: {weights:?}, answers {answers:?}");
        warm.get_or_insert(weights);
    }

    assert!(
        complaints.is_empty(),
        "with DEBUG_RELAY_FUZZ_SEED={seed} DEBUG_RELAY_FUZZ_ROUNDS={rounds}, {} complaints:\n  {}",
        complaints.len(),
        complaints[..complaints.len().min(20)].join("\n  ")
    );
    let (well, all) = (answers["well"], answers.values().sum::<usize>());
    assert!(all / 10 < well, "too much is refused to tell anything: {answers:?}");
    let (warm, end) = (warm.unwrap(), world.weights().await);
    assert!(end.gateway.resident <= warm.gateway.resident + GATEWAY_GROWTH, "{warm:?} to {end:?}");
    assert!(end.host.resident <= warm.host.resident + HOST_GROWTH, "{warm:?} to {end:?}");
    for (before, after) in [(warm.gateway, end.gateway), (warm.host, end.host)] {
        assert!(
            after.descriptors <= before.descriptors + DESCRIPTOR_GROWTH,
            "with seed {seed}: {warm:?} to {end:?}"
        );
    }
    let kept = world.kept.clone();
    assert_eq!(world.client.evaluate(&kept, "1 + 1").await.unwrap().value, "2");
    assert_eq!(world.client.session(&kept).await.unwrap().state(), SessionState::Stopped);
    world.end().await;
}
