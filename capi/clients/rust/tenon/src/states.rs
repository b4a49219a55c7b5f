//! The arrays of batches: numbers of many states, one behind the other or apart.

use crate::constants::Precision;
use crate::glue::{numbers, prepared};
use crate::support::{Error, Result};
use crate::{sys, Status};
use std::cell::Cell;
use std::ptr;

/// What a batch computes with: f64, or f32 for single precision.
///
/// # Safety
/// The numbers of the precision are of this type.
pub unsafe trait Real: Copy + Default + 'static {
    const PRECISION: Precision;
}

unsafe impl Real for f64 {
    const PRECISION: Precision = Precision::Double;
}

unsafe impl Real for f32 {
    const PRECISION: Precision = Precision::Single;
}

/// How far apart numbers lie: number i of record r of state s is first + s * state + r * record + i * number. count: the
/// numbers of each state, or record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    pub count: usize,
    pub first: usize,
    pub number: isize,
    pub state: isize,
    pub record: isize,
}

/// What a batch reads: a slice has the numbers of one state after those of another, or those of one state, which are then
/// the same for all; of a rollout also those of each step of a state, or of one step. [`States::strided`]: any others.
#[derive(Clone, Copy)]
pub struct States<'a, T> {
    data: &'a [T],
    strides: Option<Strides>,
}

/// What a batch writes. Not to be copied: what is written at one time is written by one call.
pub struct StatesMut<'a, T> {
    data: &'a [Cell<T>],
    strides: Option<Strides>,
}

impl<'a, T> States<'a, T> {
    pub fn strided(data: &'a [T], strides: Strides) -> Self { States { data, strides: Some(strides) } }

    pub(crate) fn raw(&self, what: &str, count: usize, states: usize, records: usize) -> Result<sys::tenon_batch_array> {
        let (data, size) = (self.data.as_ptr() as *mut T, self.data.len());
        let fewer = match () {
            _ if numbers(&[count, states]).ok() == Some(size) => Some((count, 0)),
            _ if size == count => Some((0, 0)),
            _ => None,
        };
        array(data, size, self.strides, fewer, what, [count, states, records])
    }
}

impl<'a, T> StatesMut<'a, T> {
    pub fn strided(data: &'a mut [T], strides: Strides) -> Self { StatesMut { strides: Some(strides), ..data.into() } }

    pub(crate) fn raw(&self, what: &str, count: usize, states: usize, records: usize) -> Result<sys::tenon_batch_array> {
        array(self.data.as_ptr() as *mut T, self.data.len(), self.strides, None, what, [count, states, records])
    }
}

/// The library sees that what strides lead to is there. fewer: strides of states and records of a slice that has not the
/// numbers of all.
fn array<T>(
    data: *mut T, size: usize, strides: Option<Strides>, fewer: Option<(usize, usize)>, what: &str, sizes: [usize; 3],
) -> Result<sys::tenon_batch_array> {
    let [count, states, records] = sizes;
    let all = if numbers(&sizes).ok() == Some(size) { Some((count * records, if records > 1 { count } else { 0 })) } else { fewer };
    let dense = all.map(|(state, record)| (state as isize, record as isize));
    let dense = dense.map(|(state, record)| Strides { count, first: 0, number: 1, state, record });
    let strides = strides.or(dense).ok_or_else(|| {
        let message = format!("{what}: {size} numbers; {states} times {count} are needed");
        let more = if records > 1 { format!(", {records} times") } else { String::new() };
        Error::new(Status::WRONG_SIZE, message + &more)
    })?;
    let mut raw = prepared!(tenon_batch_array, tenon_batch_array_init);
    (raw.data, raw.size, raw.first, raw.count) = (data.cast(), size, strides.first, strides.count);
    (raw.number_stride, raw.state_stride, raw.record_stride) = (strides.number, strides.state, strides.record);
    Ok(raw)
}

pub(crate) fn at(array: &Option<sys::tenon_batch_array>) -> *const sys::tenon_batch_array {
    array.as_ref().map_or(ptr::null(), |x| x as *const _)
}

impl<'a, T, S: AsRef<[T]> + ?Sized> From<&'a S> for States<'a, T> {
    fn from(data: &'a S) -> Self { States { data: data.as_ref(), strides: None } }
}

impl<'a, T, S: AsMut<[T]> + ?Sized> From<&'a mut S> for StatesMut<'a, T> {
    fn from(data: &'a mut S) -> Self { StatesMut { data: Cell::from_mut(data.as_mut()).as_slice_of_cells(), strides: None } }
}
