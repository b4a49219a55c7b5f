//! Matrices, column-major: their own numbers, or views of numbers that lie elsewhere, columns apart.

use crate::glue::{count_of, zeros};
use crate::support::{Error, Result};
use crate::{DerivativeOptions, Status};
use std::ops::{Deref, Index, IndexMut};

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
        Self::sized((rows, columns)).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn sized((rows, columns): (usize, usize)) -> Result<Self> {
        Ok(Matrix { rows, columns, data: zeros(&[rows, columns])? })
    }

    pub fn column(&self, j: usize) -> &[f64] { &self.data[j * self.rows..(j + 1) * self.rows] }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 { &self.column(j)[i] }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        assert!(i < self.rows);
        &mut self.data[i + j * self.rows]
    }
}

impl DerivativeOptions {
    /// The shape of a result of derivatives: of one that is row-major that of the transpose.
    pub(crate) fn turned(&self, shape: (usize, usize)) -> (usize, usize) {
        if self.row_major { (shape.1, shape.0) } else { shape }
    }
}

/// A view of a matrix in a slice: column j begins at number j * leading. Every `&Matrix` and `&mut Matrix` becomes one.
pub struct MatrixView<S> {
    data: S,
    rows: usize,
    columns: usize,
    leading: usize,
}

/// A matrix that is read.
pub type MatrixRef<'a> = MatrixView<&'a [f64]>;
/// A matrix that is written.
pub type MatrixMut<'a> = MatrixView<&'a mut [f64]>;

impl<S: Deref<Target = [f64]>> MatrixView<S> {
    /// Any numbers will do: a call tells where they are too few.
    pub fn new(data: S, rows: usize, columns: usize, leading: usize) -> Self {
        MatrixView { data, rows, columns, leading }
    }

    pub fn rows(&self) -> usize { self.rows }

    pub fn columns(&self) -> usize { self.columns }

    /// Pointer, count and leading dimension for a call that takes this shape; the library compares them.
    fn shaped<P>(self, what: &str, shape: (usize, usize), start: fn(S) -> P) -> Result<(P, usize, i32)> {
        let (own, count) = ((self.rows, self.columns), self.data.len());
        if own != shape {
            let message = format!("{what}: {} x {} numbers; {} x {} are needed", own.0, own.1, shape.0, shape.1);
            return Err(Error::new(Status::WRONG_SIZE, message));
        }
        Ok((start(self.data), count, count_of(self.leading.max(usize::from(self.rows == 0)))?))
    }
}

impl MatrixMut<'_> {
    /// Element (i, j).
    pub fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        assert!(i < self.rows);
        &mut self.data[i + j * self.leading]
    }
}

macro_rules! views {
    ($($view:ident $pointer:ty, $null:ident $start:ident, $matrix:ty, ($($mutable:tt)*);)*) => { $(
        impl $view<'_> {
            pub(crate) fn parts(x: Option<Self>, what: &str, shape: (usize, usize)) -> Result<($pointer, usize, i32)> {
                x.map_or(Ok((std::ptr::$null(), 0, 1)), |x| x.shaped(what, shape, <[f64]>::$start))
            }
        }
        impl<'a> From<$matrix> for $view<'a> {
            fn from(matrix: $matrix) -> Self {
                MatrixView::new($($mutable)* matrix.data, matrix.rows, matrix.columns, matrix.rows)
            }
        }
    )* };
}
views! {
    MatrixRef *const f64, null as_ptr, &'a Matrix, (&);
    MatrixMut *mut f64, null_mut as_mut_ptr, &'a mut Matrix, (&mut);
}
