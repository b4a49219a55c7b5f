//! What generated calls stand on: messages, sizes, texts, and structs of C.

use crate::support::{Error, Result};
use crate::Status;
use std::any::Any;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::ptr;

/// A call without a message, or whose message is elsewhere.
pub(crate) fn checked(status: i32, message: impl FnOnce() -> String) -> Result<Status> {
    if status < 0 {
        return Err(Error::new(Status(status), message()));
    }
    Ok(Status(status))
}

/// A call that takes a message at its end.
pub(crate) fn call(function: impl FnOnce(*mut c_char, usize) -> i32) -> Result<Status> {
    let mut message = [0u8; 1024];
    let status = function(message.as_mut_ptr().cast(), message.len());
    checked(status, || text(message.as_ptr().cast()))
}

/// A text of any length: asks for the size, then for the text.
pub(crate) fn grown(function: impl Fn(*mut c_char, usize, *mut usize) -> Result<Status>) -> Result<String> {
    let mut needed = 0;
    function(ptr::null_mut(), 0, &mut needed)?;
    let mut bytes: Vec<u8> = zeros(&[needed.max(1)])?;
    function(bytes.as_mut_ptr().cast(), bytes.len(), &mut needed)?;
    Ok(text(bytes.as_ptr().cast()))
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

/// Texts, and the addresses of these.
pub(crate) fn c_texts(names: &[&str]) -> Result<(Vec<CString>, Vec<*const c_char>)> {
    let kept = names.iter().map(|name| c_text(name)).collect::<Result<Vec<_>>>()?;
    let pointers = kept.iter().map(|name| name.as_ptr()).collect();
    Ok((kept, pointers))
}

/// Pointer and count of an array that may be absent.
pub(crate) fn list<T>(given: Option<&[T]>) -> (*const T, usize) {
    given.map_or((ptr::null(), 0), |x| (x.as_ptr(), x.len()))
}

pub(crate) fn written<T>(given: Option<&mut [T]>) -> (*mut T, usize) {
    given.map_or((ptr::null_mut(), 0), |x| (x.as_mut_ptr(), x.len()))
}

/// What options point at while a call has them.
#[derive(Default)]
pub(crate) struct Kept(Vec<Box<dyn Any>>);

impl Kept {
    pub(crate) fn keep<T: Any>(&mut self, x: T) -> &T {
        self.0.push(Box::new(x));
        self.0.last().and_then(|x| x.downcast_ref()).unwrap()
    }
}

/// A struct of the library that its _init function fills.
macro_rules! prepared {
    ($raw:ident, $init:ident) => {{
        let mut raw: sys::$raw = unsafe { std::mem::zeroed() };
        let status = unsafe { sys::$init(&mut raw, std::mem::size_of::<sys::$raw>()) };
        assert_eq!(status, sys::TENON_OK, concat!(stringify!($init), ": the library is of another version"));
        raw
    }};
}
pub(crate) use prepared;

pub(crate) fn size(count: i32) -> usize { usize::try_from(count).unwrap_or(0) }

pub(crate) fn count_of(size: usize) -> Result<i32> { i32::try_from(size).map_err(|_| too_many(&[size])) }

/// The product of sizes of f64. One that wraps would be small, and what is written after it not.
pub(crate) fn numbers(sizes: &[usize]) -> Result<usize> {
    let most = isize::MAX as usize / std::mem::size_of::<f64>();
    let all = sizes.iter().try_fold(1usize, |all, &size| all.checked_mul(size).filter(|&all| all <= most));
    all.ok_or_else(|| too_many(sizes))
}

/// As many numbers as the product of sizes.
pub(crate) fn zeros<T: Clone + Default>(sizes: &[usize]) -> Result<Vec<T>> {
    let (count, mut all) = (numbers(sizes)?, Vec::new());
    all.try_reserve_exact(count).map_err(|_| too_many(sizes))?;
    all.resize(count, T::default());
    Ok(all)
}

pub(crate) fn too_many(sizes: &[usize]) -> Error {
    let words: Vec<_> = sizes.iter().map(|size| size.to_string()).collect();
    Error::new(Status::OUT_OF_MEMORY, format!("there is no memory for {} numbers", words.join(" x ")))
}

/// How many states these numbers are of, `count` of each. Without numbers a state has none, and a call is of one.
pub(crate) fn states_of<T>(what: &str, x: &[T], count: usize) -> Result<usize> {
    let states = if count == 0 { 1 } else { x.len() / count };
    if x.len() != states * count {
        return Err(Error::new(Status::WRONG_SIZE, format!("{what}: {} numbers, not states x {count}", x.len())));
    }
    Ok(states)
}
