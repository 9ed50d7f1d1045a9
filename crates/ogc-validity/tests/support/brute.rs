//! A second judge, for small whole coordinates only: every edge against every edge, in 64-bit integers. It shares no
//! idea with the first: whether rings cross is decided by the sides of the pieces of their edges, connection by counting.

use super::Parts;

type Grid = [i64; 2];
type Ring = Vec<Grid>;

pub(crate) fn is_valid(parts: &Parts) -> bool {
    let Some(parts) = parts
        .iter()
        .map(|part| part.iter().map(|ring| simple_ring(ring)).collect())
        .collect()
    else {
        return false;
    };
    let parts: Vec<Vec<Ring>> = parts;
    let rings: Vec<&Ring> = parts.iter().flatten().collect();
    for (index, a) in rings.iter().enumerate() {
        for b in &rings[index + 1..] {
            if edges(a).any(|e| edges(b).any(|f| crosses(e, f)))
                || is_inside(a, b).is_none()
                || is_inside(b, a).is_none()
            {
                return false;
            }
        }
    }
    parts
        .iter()
        .all(|part| holes_fit(part) && is_connected(part))
        && shells_fit(&parts)
}

/// The ring without repeats, doubled so that half-way points are whole; `None` when it is not closed and simple.
fn simple_ring(ring: &[[f64; 2]]) -> Option<Ring> {
    #[allow(clippy::cast_possible_truncation, reason = "small whole numbers")]
    let mut grid: Ring = ring
        .iter()
        .map(|position| position.map(|ordinate| 2 * ordinate as i64))
        .collect();
    grid.dedup();
    if grid.len() < 4 || grid.first() != grid.last() {
        return None;
    }
    grid.pop();
    let count = grid.len();
    let all: Vec<[Grid; 2]> = edges(&grid).collect();
    for i in 0..count {
        for j in i + 1..count {
            let follows = j == i + 1 || (i == 0 && j == count - 1);
            let shared = if j == i + 1 { all[j][0] } else { all[i][0] };
            let touch = [all[i][0], all[i][1]]
                .iter()
                .any(|p| is_on(*p, all[j]) && !(follows && *p == shared))
                || [all[j][0], all[j][1]]
                    .iter()
                    .any(|p| is_on(*p, all[i]) && !(follows && *p == shared));
            if touch || crosses(all[i], all[j]) {
                return None;
            }
        }
    }
    Some(grid)
}

fn edges(ring: &Ring) -> impl Iterator<Item = [Grid; 2]> + '_ {
    (0..ring.len()).map(|i| [ring[i], ring[(i + 1) % ring.len()]])
}

fn cross(a: Grid, b: Grid, c: Grid) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn is_on(p: Grid, edge: [Grid; 2]) -> bool {
    let within = |axis: usize| (edge[0][axis] - p[axis]) * (edge[1][axis] - p[axis]) <= 0;
    cross(edge[0], edge[1], p) == 0 && within(0) && within(1)
}

/// Whether edges cross inside both.
fn crosses(e: [Grid; 2], f: [Grid; 2]) -> bool {
    let apart = |e: [Grid; 2], f: [Grid; 2]| {
        cross(e[0], e[1], f[0]).signum() * cross(e[0], e[1], f[1]).signum() == -1
    };
    apart(e, f) && apart(f, e)
}

/// Whether `a` lies inside `b`; `None` when it lies on both sides, or along an edge of it. The edges of `a` are cut where
/// corners of `b` lie on them; the middle of each piece decides.
fn is_inside(a: &Ring, b: &Ring) -> Option<bool> {
    let mut sides = Vec::new();
    for edge in edges(a) {
        let mut cuts: Vec<Grid> = b
            .iter()
            .copied()
            .filter(|p| is_on(*p, edge))
            .chain(edge)
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        for piece in cuts.windows(2) {
            let middle = [
                piece[0][0].midpoint(piece[1][0]),
                piece[0][1].midpoint(piece[1][1]),
            ];
            if edges(b).any(|other| is_on(middle, other)) {
                return None;
            }
            sides.push(contains(b, middle));
        }
    }
    sides.iter().all(|side| *side == sides[0]).then(|| sides[0])
}

/// By the parity of the edges to the right; the point is not on the ring.
fn contains(ring: &Ring, p: Grid) -> bool {
    let right = |edge: &[Grid; 2]| {
        let [low, high] = if edge[0][1] <= edge[1][1] {
            *edge
        } else {
            [edge[1], edge[0]]
        };
        low[1] <= p[1] && p[1] < high[1] && cross(low, high, p) > 0
    };
    edges(ring).filter(right).count() % 2 == 1
}

fn holes_fit(part: &[Ring]) -> bool {
    let Some((shell, holes)) = part.split_first() else {
        return true;
    };
    holes.iter().enumerate().all(|(index, hole)| {
        is_inside(hole, shell) == Some(true)
            && holes
                .iter()
                .enumerate()
                .all(|(other, outer)| other == index || is_inside(hole, outer) == Some(false))
    })
}

fn shells_fit(parts: &[Vec<Ring>]) -> bool {
    let lies_on = |shell: &Ring, part: &Vec<Ring>| {
        is_inside(shell, &part[0]) == Some(true)
            && !part[1..]
                .iter()
                .any(|hole| is_inside(shell, hole) == Some(true))
    };
    parts.iter().enumerate().all(|(index, part)| {
        parts
            .iter()
            .enumerate()
            .all(|(other, host)| other == index || !lies_on(&part[0], host))
    })
}

/// A graph of rings and points without a cycle has as many links as nodes, less its pieces.
fn is_connected(part: &[Ring]) -> bool {
    let mut points: Vec<Grid> = part.iter().flatten().copied().collect();
    points.sort_unstable();
    points.dedup();
    let on = |point: Grid, ring: &Ring| edges(ring).any(|edge| is_on(point, edge));
    points.retain(|point| part.iter().filter(|ring| on(*point, ring)).count() > 1);
    let links: Vec<(usize, usize)> = (0..part.len())
        .flat_map(|ring| (0..points.len()).map(move |point| (ring, point)))
        .filter(|(ring, point)| on(points[*point], &part[*ring]))
        .collect();
    let nodes = part.len() + points.len();
    let mut piece: Vec<usize> = (0..nodes).collect();
    for _ in 0..nodes {
        for (ring, point) in &links {
            let least = piece[*ring].min(piece[part.len() + point]);
            piece[*ring] = least;
            piece[part.len() + point] = least;
        }
    }
    piece.sort_unstable();
    piece.dedup();
    links.len() == nodes - piece.len()
}
