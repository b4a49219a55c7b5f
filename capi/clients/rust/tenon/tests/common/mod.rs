//! What the tests share: robots, products, comparisons.
#![allow(dead_code)]

use tenon::*;

pub fn model(name: &str, base: Base) -> Model {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../models/");
    Model::load(format!("{folder}{name}.urdf"), &ModelOptions::new().base(base)).unwrap()
}

pub fn times(a: &Matrix, x: &[f64]) -> Vec<f64> {
    (0..a.rows).map(|i| (0..a.columns).map(|j| a[(i, j)] * x[j]).sum()).collect()
}

pub fn transposed_times(a: &Matrix, x: &[f64]) -> Vec<f64> {
    (0..a.columns).map(|j| a.column(j).iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

pub fn plus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

pub fn counted(n: usize, first: f64, step: f64) -> Vec<f64> {
    (0..n).map(|i| first + step * i as f64).collect()
}

#[track_caller]
pub fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} and {b}");
    }
}

#[track_caller]
pub fn fails<T>(result: Result<T>, status: Status, words: &str) {
    let error = result.err().expect("an error");
    assert!(error.status == status && error.to_string().contains(words), "{error}");
}
