//! What the objects share: errors, names instead of indices.

use crate::objects::Model;

/// What a call returned: OK, or a caveat that its answer has; in an [`Error`] what went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

/// A call that failed: nothing was written. The message tells what, where and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self { Error { status, message: message.into() } }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, "{}: {}", self.status, self.message) }
}

impl std::error::Error for Error {}

/// A link, joint or constraint: by index, or by name, which is looked up in each call.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    Index(i32),
    Name(&'a str),
}

impl From<i32> for Which<'_> {
    fn from(index: i32) -> Self { Which::Index(index) }
}

impl<'a, S: AsRef<str> + ?Sized> From<&'a S> for Which<'a> {
    fn from(name: &'a S) -> Self { Which::Name(name.as_ref()) }
}

impl Which<'_> {
    pub(crate) fn find(self, look: impl FnOnce(&str) -> Result<i32>) -> Result<i32> {
        match self {
            Which::Index(index) => Ok(index),
            Which::Name(name) => look(name),
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Model {}: {} joints, nq {}, nv {}", self.name(), self.joint_count(), self.nq(), self.nv())
    }
}
