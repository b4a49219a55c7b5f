//! What the objects share: errors, texts, arrays as arguments.

use crate::sys;
use crate::types::Status;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::ptr;

/// The version of the library.
pub fn version() -> String {
    text(unsafe { sys::tenon_version_string() })
}

/// A call that failed: nothing was written. The message tells what, where and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Error { status, message: message.into() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.status, self.message)
    }
}

impl std::error::Error for Error {}

/// A call that takes a message at its end.
pub(crate) fn call(function: impl FnOnce(*mut c_char, usize) -> i32) -> Result<Status> {
    let mut message = [0u8; 1024];
    let status = Status(function(message.as_mut_ptr().cast(), message.len()));
    if status.0 < 0 {
        let end = message.iter().position(|&c| c == 0).unwrap_or(0);
        return Err(Error::new(status, String::from_utf8_lossy(&message[..end])));
    }
    Ok(status)
}

/// A call without a message, or whose message is elsewhere.
pub(crate) fn check(status: i32, message: impl FnOnce() -> String) -> Result<Status> {
    if status < 0 {
        return Err(Error::new(Status(status), message()));
    }
    Ok(Status(status))
}

pub(crate) fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

pub(crate) fn c_text(given: &str) -> Result<CString> {
    CString::new(given).map_err(|_| Error::new(Status::INVALID_ARGUMENT, "a text with a zero in it"))
}

/// Pointer of an input that may be absent. Its count is [`count`].
pub(crate) fn pointer(given: Option<&[f64]>) -> *const f64 {
    given.map_or(ptr::null(), |x| x.as_ptr())
}

pub(crate) fn count(given: Option<&[f64]>) -> usize {
    given.map_or(0, |x| x.len())
}

/// The product of sizes of f64. One that wraps would be small, and what is written after it not.
pub(crate) fn product(sizes: &[usize]) -> Result<usize> {
    let most = isize::MAX as usize / std::mem::size_of::<f64>();
    let all = sizes.iter().try_fold(1usize, |all, &size| all.checked_mul(size).filter(|&all| all <= most));
    all.ok_or_else(|| too_many(sizes))
}

/// As many numbers as the product of sizes.
pub(crate) fn zeros<T: Clone + Default>(sizes: &[usize]) -> Result<Vec<T>> {
    let (count, mut numbers) = (product(sizes)?, Vec::new());
    numbers.try_reserve_exact(count).map_err(|_| too_many(sizes))?;
    numbers.resize(count, T::default());
    Ok(numbers)
}

fn too_many(sizes: &[usize]) -> Error {
    let words: Vec<_> = sizes.iter().map(|size| size.to_string()).collect();
    Error::new(Status::OUT_OF_MEMORY, format!("there is no memory for {} numbers", words.join(" x ")))
}

/// A link, joint or constraint: by index, or by name, which is looked up in each call.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    Index(i32),
    Name(&'a str),
}

impl From<i32> for Which<'_> {
    fn from(index: i32) -> Self {
        Which::Index(index)
    }
}

impl<'a> From<&'a str> for Which<'a> {
    fn from(name: &'a str) -> Self {
        Which::Name(name)
    }
}

impl<'a> From<&'a String> for Which<'a> {
    fn from(name: &'a String) -> Self {
        Which::Name(name)
    }
}

impl Which<'_> {
    pub(crate) fn find(
        self,
        look: impl FnOnce(*const c_char, *mut i32, *mut c_char, usize) -> i32,
    ) -> Result<i32> {
        match self {
            Which::Index(index) => Ok(index),
            Which::Name(name) => {
                let (name, mut index) = (c_text(name)?, -1);
                call(|message, size| look(name.as_ptr(), &mut index, message, size))?;
                Ok(index)
            }
        }
    }
}

/// A column-major matrix: element (i, j) is `matrix[(i, j)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<f64>,
}

impl Matrix {
    /// Panics, as `Vec` does, where there is no memory for it.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, data: zeros(&[rows, columns]).unwrap_or_else(|error| panic!("{error}")) }
    }

    pub(crate) fn leading(&self) -> i32 {
        self.rows.max(1) as i32
    }

    pub fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.column(j)[i]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        assert!(i < self.rows);
        &mut self.data[i + j * self.rows]
    }
}
