//! Requests that tonic refuses before any code of ours sees them. It gives no reason, and calls those
//! that are no messages INTERNAL, as if the defect were ours.

use http::Response;
use tonic::{Code, Status};

use super::status;
use crate::error::Error;

/// Gives a refusal that no code of ours has made its code and its reason. Ours have their details.
pub fn explain<B>(mut response: Response<B>) -> Response<B> {
    let made = Status::from_header_map(response.headers());
    let error = made.filter(|made| made.details().is_empty()).and_then(|made| match made.code() {
        Code::Internal => {
            let problem = format!("it is no valid protobuf message: {}", made.message());
            Some(Error::invalid("request", problem))
        }
        // Of all methods that there are not, none comes this far.
        Code::Unimplemented => Some(Error::CompressionNotSupported),
        _ => None,
    });
    if let Some(error) = error {
        // Only a header value with control characters fails, and metadata of ours has none.
        let _ = status(error).add_header(response.headers_mut());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::ErrorReason;
    use tonic_types::StatusExt;

    fn explained(status: Status) -> Status {
        Status::from_header_map(explain(status.into_http::<()>()).headers()).unwrap()
    }

    fn reason(status: &Status) -> String {
        format!("ERROR_REASON_{}", status.get_error_details().error_info().unwrap().reason)
    }

    #[test]
    fn a_request_that_cannot_be_decoded_is_the_callers_fault() {
        let status = explained(Status::internal("failed to decode: é"));

        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(reason(&status), ErrorReason::InvalidArgument.as_str_name());
        assert!(status.message().contains("failed to decode: é"), "{}", status.message());
    }

    #[test]
    fn an_encoding_that_is_not_taken_is_refused_with_its_reason() {
        let status = explained(Status::unimplemented("Content is compressed with `gzip`"));

        assert_eq!(status.code(), Code::Unimplemented);
        assert_eq!(reason(&status), ErrorReason::CompressionNotSupported.as_str_name());
    }

    #[test]
    fn what_has_a_reason_keeps_it() {
        let defect = explained(status(Error::internal("a bug")));
        let missing = explained(status(Error::MissingField { field: "x" }));

        assert_eq!((defect.code(), missing.code()), (Code::Internal, Code::InvalidArgument));
        assert!(!defect.message().contains("protobuf"));
        assert!(Status::from_header_map(explain(Response::new(())).headers()).is_none());
    }
}
