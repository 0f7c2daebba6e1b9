//! Calls of RPCs by their path, with bytes for messages, so that all of them can be walked.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};
use debug_relay::proto::ErrorReason;
use prost_types::FileDescriptorProto;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use crate::support::reason;

/// Who has not answered by then hangs. The longest wait that an RPC has by itself is 30 s.
const ANSWER_LIMIT: Duration = Duration::from_secs(40);

/// One RPC of the contract.
#[derive(Debug, Clone)]
pub struct Rpc {
    pub name: String,
    pub path: String,
    /// The full name of its request.
    pub request: String,
    /// Its request begins with a session's id.
    pub is_of_session: bool,
    pub is_stream: bool,
}

/// All RPCs of these files.
pub fn rpcs(files: &[FileDescriptorProto]) -> Vec<Rpc> {
    let is_of_session = |request: &str| {
        let name = request.rsplit('.').next();
        let mut messages = files.iter().flat_map(|file| &file.message_type);
        let message = messages.find(|message| Some(message.name()) == name).unwrap();
        message.field.iter().any(|field| field.name() == "session_id")
    };
    let mut found = Vec::new();
    for file in files {
        for service in &file.service {
            found.extend(service.method.iter().map(|method| Rpc {
                name: method.name().to_owned(),
                path: format!("/{}.{}/{}", file.package(), service.name(), method.name()),
                request: method.input_type().to_owned(),
                is_of_session: is_of_session(method.input_type()),
                is_stream: method.server_streaming(),
            }));
        }
    }
    found
}

/// A message with this text as its first field.
pub fn first_field(text: &str) -> Bytes {
    let mut message = Vec::new();
    prost::encoding::string::encode(1, &text.to_owned(), &mut message);
    message.into()
}

/// Calls an RPC and gives its first message. A unary call is read to its end.
pub async fn call(
    channel: &Channel,
    token: Option<&str>,
    rpc: &Rpc,
    message: Bytes,
) -> Result<Option<Bytes>, Status> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", bearer);
    }
    let answer = async {
        let mut grpc = Grpc::new(channel.clone());
        grpc.ready().await.map_err(|error| Status::unknown(error.to_string()))?;
        let path = rpc.path.parse().unwrap();
        // On the wire a unary call is a stream of one message.
        let mut stream = grpc.server_streaming(request, path, AsBytes).await?.into_inner();
        let first = stream.message().await?;
        if !rpc.is_stream && stream.message().await?.is_some() {
            return Err(Status::unknown("a unary call answered twice"));
        }
        Ok(first)
    };
    let silent = Status::unknown(format!("no answer within {ANSWER_LIMIT:?}"));
    tokio::time::timeout(ANSWER_LIMIT, answer).await.unwrap_or(Err(silent))
}

/// What is wrong with an answer, whatever the call was.
pub fn complaint(rpc: &str, answer: &Result<Option<Bytes>, Status>) -> Option<String> {
    let status = match answer {
        Ok(Some(_)) => return None,
        Ok(None) => return Some(format!("{rpc} ends well without a message")),
        Err(status) => status,
    };
    let (code, message) = (status.code(), status.message());
    if matches!(code, Code::Internal | Code::Unknown) {
        return Some(format!("{rpc} answers {code:?}: {message}"));
    }
    if status.get_error_details().error_info().is_none() {
        return Some(format!("{rpc} answers {code:?} without a reason: {message}"));
    }
    let reason = reason(status);
    (reason == ErrorReason::Unspecified).then(|| format!("{rpc} gives no reason"))
}

/// Leaves messages as they are.
struct AsBytes;

impl Codec for AsBytes {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for AsBytes {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }
}

impl Decoder for AsBytes {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
