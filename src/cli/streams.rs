//! Commands that read what happened and what was written, and `trace`.

use std::io::Read;

use super::arguments::{Events, Input, Output, Trace};
use super::context::{Context, call, lasting, quick, span};
use super::failure::{Failure, REFUSED, Result};
use super::moving::verdict;
use super::running::write;
use super::show::{self, Detail};
use crate::proto::*;

const PAGE: u32 = 1000;

pub async fn output(context: &Context, wish: Output) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let is_text = context.globals.json;
    let told_gap = |gap: &OutputGap| {
        context
            .remark(&format!("bytes {} to {} are no longer kept", gap.from_offset, gap.to_offset));
    };
    if wish.follow {
        let request = StreamOutputRequest {
            session_id,
            after_offset: wish.after,
            data_only: !is_text,
            ..Default::default()
        };
        let mut stream = server.output().stream_output(lasting(request)).await?.into_inner();
        while let Some(message) = stream.message().await? {
            let is_read = match &message.item {
                _ if is_text => context.print_one(&message, String::new),
                Some(stream_output_response::Item::Chunk(chunk)) => write(chunk),
                Some(stream_output_response::Item::Gap(gap)) => {
                    told_gap(gap);
                    true
                }
                None => true,
            };
            if !is_read {
                break;
            }
        }
        return Ok(0);
    }
    let mut after_offset = wish.after;
    loop {
        let request = GetOutputRequest {
            session_id: session_id.clone(),
            after_offset,
            data_only: !is_text,
            max_bytes: 1024 * 1024,
            ..Default::default()
        };
        let answer = server.output().get_output(quick(request)).await?.into_inner();
        let is_read = if is_text {
            context.print_one(&answer, String::new)
        } else {
            answer.gap.iter().for_each(told_gap);
            answer.chunks.iter().all(write)
        };
        if !is_read || answer.chunks.is_empty() || answer.next_offset <= after_offset {
            return Ok(0);
        }
        after_offset = answer.next_offset;
    }
}

pub async fn input(context: &Context, wish: Input) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let mut data = wish.words.join(" ").into_bytes();
    if wish.words.is_empty() && !wish.eof {
        std::io::stdin().read_to_end(&mut data).map_err(Failure::usage)?;
    } else if !wish.words.is_empty() && !wish.no_newline {
        data.push(b'\n');
    }
    let request = WriteInputRequest { session_id, data: data.clone().into(), close: wish.eof };
    let answer = server.output().write_input(quick(request)).await?.into_inner();
    context.print(&answer, String::new);
    match data.len() as u64 - answer.bytes_written.min(data.len() as u64) {
        0 => Ok(0),
        left => {
            let problem = format!("the program did not take the last {left} bytes");
            Err(Failure::new(REFUSED, problem, "send them again when it reads"))
        }
    }
}

pub async fn events(context: &Context, wish: Events) -> Result<u8> {
    let server = context.server().await?;
    if wish.all_sessions {
        let request = StreamAllEventsRequest::default();
        let mut stream = server.events().stream_all_events(lasting(request)).await?.into_inner();
        while let Some(message) = stream.message().await? {
            let event = message.event.clone().unwrap_or_default();
            let shown = || show::event(&event, Some(&message.session_id));
            if !context.print_one(&message, shown) {
                break;
            }
        }
        return Ok(0);
    }
    let (session_id, mut after_sequence) = (context.session()?, wish.after);
    if wish.follow {
        let request = StreamEventsRequest { session_id, after_sequence, ..Default::default() };
        let mut stream = server.events().stream_events(lasting(request)).await?.into_inner();
        while let Some(message) = stream.message().await? {
            let event = message.event.unwrap_or_default();
            if !context.print_one(&event, || show::event(&event, None)) {
                break;
            }
        }
        return Ok(0);
    }
    loop {
        let request = ListEventsRequest {
            session_id: session_id.clone(),
            after_sequence,
            limit: PAGE,
            ..Default::default()
        };
        let answer = server.events().list_events(quick(request)).await?.into_inner();
        let is_read =
            answer.events.iter().all(|event| context.print_one(event, || show::event(event, None)));
        if !is_read || answer.next_sequence <= after_sequence {
            return Ok(0);
        }
        after_sequence = answer.next_sequence;
    }
}

pub async fn trace(context: &Context, wish: Trace) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let until = wish.until.as_ref();
    // The server takes any file when none is named.
    let line = until.map(|place| place.line(&context.here, Some(""))).transpose();
    let line = line.map_err(Failure::usage)?;
    let condition = wish.condition.or_else(|| until.map(|place| place.condition.clone()));
    let request = TraceRequest {
        session_id,
        step: if wish.into { StepKind::Into } else { StepKind::Over }.into(),
        max_steps: wish.steps,
        until: line,
        until_condition: condition.unwrap_or_default(),
        expressions: wish.expressions,
        timeout: span(wish.timeout),
        thread_id: 0,
    };
    let mut stream = server.execution().trace(call(request, wish.timeout)).await?.into_inner();
    while let Some(message) = stream.message().await? {
        let shown = || match &message.item {
            Some(trace_response::Item::Record(record)) => show::record(record),
            Some(trace_response::Item::Outcome(outcome)) => show::outcome(outcome, Detail::Step),
            None => String::new(),
        };
        let is_read = context.print_one(&message, shown);
        if let Some(trace_response::Item::Outcome(outcome)) = &message.item {
            return Ok(verdict(outcome, wish.timeout));
        }
        if !is_read {
            break;
        }
    }
    Ok(0)
}
