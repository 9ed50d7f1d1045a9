//! Reads WKT as it stands: closes no ring, drops no position, refuses what is not WKT (an empty pair of brackets too).

use ogc_validity::ShapeKind;

use super::Owned;

/// The elements of a geometry: one, or those of a collection. A linear ring is read as a polygon of that ring.
pub(crate) fn read(text: &str) -> Result<Vec<Owned>, String> {
    let upper = text.to_uppercase();
    let mut reader = Reader {
        tokens: tokens(&upper),
        at: 0,
    };
    let elements = reader.geometry()?;
    if reader.at < reader.tokens.len() {
        Err(format!("more after the end of {text}"))
    } else {
        Ok(elements)
    }
}

fn tokens(text: &str) -> Vec<String> {
    let spaced = text
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(',', " , ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn geometry(&mut self) -> Result<Vec<Owned>, String> {
        let name = self.next()?;
        let stride = 2 + usize::from(self.take("Z"));
        let (kind, depth) = match name.as_str() {
            "GEOMETRYCOLLECTION" => return self.collection(),
            "POINT" => (ShapeKind::Point, 1),
            "MULTIPOINT" => (ShapeKind::MultiPoint, 2),
            "LINESTRING" => (ShapeKind::LineString, 1),
            "MULTILINESTRING" => (ShapeKind::MultiLineString, 2),
            "LINEARRING" => (ShapeKind::Polygon, 1),
            "POLYGON" => (ShapeKind::Polygon, 2),
            "MULTIPOLYGON" => (ShapeKind::MultiPolygon, 3),
            other => return Err(format!("no such geometry: {other}")),
        };
        let mut owned = Owned::new(kind, stride);
        self.list(depth, &mut owned)?;
        if kind == ShapeKind::Polygon {
            owned.end_part();
        }
        Ok(vec![owned])
    }

    fn collection(&mut self) -> Result<Vec<Owned>, String> {
        if self.take("EMPTY") {
            return Ok(vec![]);
        }
        self.expect("(")?;
        let mut elements = self.geometry()?;
        while self.take(",") {
            elements.extend(self.geometry()?);
        }
        self.expect(")")?;
        Ok(elements)
    }

    /// A list in brackets; at depth 1 its items are positions.
    fn list(&mut self, depth: usize, owned: &mut Owned) -> Result<(), String> {
        if !self.take("EMPTY") {
            self.expect("(")?;
            loop {
                let bare = depth == 1
                    || (owned.kind == ShapeKind::MultiPoint && !self.is("(") && !self.is("EMPTY"));
                if bare {
                    self.position(owned)?;
                } else {
                    self.list(depth - 1, owned)?;
                }
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        match depth {
            1 if !matches!(owned.kind, ShapeKind::Point | ShapeKind::MultiPoint) => {
                owned.end_ring();
            }
            2 if owned.kind == ShapeKind::MultiPolygon => owned.end_part(),
            _ => {}
        }
        Ok(())
    }

    fn position(&mut self, owned: &mut Owned) -> Result<(), String> {
        for _ in 0..owned.stride {
            let word = self.next()?;
            owned
                .coordinates
                .push(word.parse().map_err(|error| format!("{word}: {error}"))?);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<String, String> {
        self.at += 1;
        self.tokens
            .get(self.at - 1)
            .cloned()
            .ok_or_else(|| "ends too early".into())
    }

    fn is(&self, word: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token == word)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) {
            Ok(())
        } else {
            Err(format!("{word} expected at token {}", self.at))
        }
    }
}
