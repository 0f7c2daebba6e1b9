//! Who may call, and what: tokens, certificates and users become callers; a table says which calls
//! are theirs. Does not know what is called.

mod access;
mod caller;
mod gate;
mod named;
mod peer;
pub mod rights;
mod secret;
mod server_token;
mod session_tokens;

pub use access::check as check_access;
pub use caller::{Caller, Reach};
pub use gate::{Books, Gate};
pub use named::{NewNamedToken, add as add_named_token};
pub use peer::{Peer, PeerIdentity, certificate_identity};
pub use rights::Right;
pub use secret::{Hash, make as make_secret};
pub use server_token::{load_or_make_token, read_token, token_path};
pub use session_tokens::{NewToken, SessionToken, TokenBook};
