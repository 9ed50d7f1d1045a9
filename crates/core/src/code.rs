//! The stable codes of violations. A code is contract, the sentence beside it is not.

use crate::failure::{FailureClass, Stage};

/// How bad a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The event is refused.
    Error,
    /// The event is accepted; the sender should know.
    Warning,
}

impl Severity {
    /// The fixed name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($name:ident $text:literal $stage:ident $class:ident $severity:ident $clause:literal $hint:literal;)*) => {
        /// Why a payload was refused, or what a sender should know of an accepted one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`: ", $clause, ". ", $hint)] $name,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The fixed text in answers, metrics, dead letters.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Where on its way the payload failed.
            #[must_use]
            pub const fn stage(self) -> Stage {
                match self { $(Self::$name => Stage::$stage,)* }
            }

            /// Under which failure class a dead letter with this code is filed.
            #[must_use]
            pub const fn class(self) -> FailureClass {
                match self { $(Self::$name => FailureClass::$class,)* }
            }

            /// Error or warning.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// The clause it rests on.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self { $(Self::$name => $clause,)* }
            }

            /// What a sender can do.
            #[must_use]
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$name => $hint,)* }
            }
        }
    };
}

codes! {
    ParseEmpty "parse.empty" Parse SchemaViolation Error "RFC 8259 section 2" "send one GeoJSON object";
    ParseUtf8 "parse.utf8" Parse SchemaViolation Error "RFC 8259 section 8.1" "send UTF-8";
    ParseBom "parse.bom" Parse SchemaViolation Error "RFC 8259 section 8.1" "send no byte order mark";
    ParseSyntax "parse.syntax" Parse SchemaViolation Error "RFC 8259 section 2" "send well-formed JSON";
    ParseTrailingBytes "parse.trailing_bytes" Parse SchemaViolation Error "RFC 8259 section 2" "send one JSON text and nothing after it";
    ParseLoneSurrogate "parse.lone_surrogate" Parse SchemaViolation Error "RFC 8259 section 8.2" "write surrogates in pairs";
    ParseDuplicateMember "parse.duplicate_member" Parse SchemaViolation Error "RFC 8259 section 4" "name each member of an object once";
    ParseTruncated "parse.truncated" Parse SchemaViolation Error "RFC 7464 section 2.4" "send the record whole";
    ParseSeparator "parse.separator" Parse SchemaViolation Error "RFC 8142 section 2" "put a record separator (U+001E) before each text";
    LimitBytes "limit.bytes" Parse SchemaViolation Error "settings, limits.body_bytes_max" "send less at once";
    LimitDepth "limit.depth" Parse SchemaViolation Error "settings, limits.depth_max" "nest less deeply";
    LimitFeatures "limit.features" Parse SchemaViolation Error "settings, limits.features_max" "send fewer features at once";
    LimitVertices "limit.vertices" Parse SchemaViolation Error "settings, limits.vertices_max" "send fewer positions, or simplify";
    LimitEnvelope "limit.envelope_bytes" Parse SchemaViolation Error "settings, limits.envelope_bytes_max" "send smaller features";
    SchemaNotObject "schema.not_object" Schema SchemaViolation Error "RFC 7946 section 3" "send a GeoJSON object";
    SchemaTypeMissing "schema.type_missing" Schema SchemaViolation Error "RFC 7946 section 3" "name the type";
    SchemaTypeUnknown "schema.type_unknown" Schema SchemaViolation Error "RFC 7946 section 1.4" "use one of the nine GeoJSON types, in its case";
    SchemaMemberMissing "schema.member_missing" Schema SchemaViolation Error "RFC 7946 section 3" "add the member";
    SchemaMemberType "schema.member_type" Schema SchemaViolation Error "RFC 7946 section 3" "give the member the type that RFC 7946 asks for";
    SchemaMemberForeign "schema.member_forbidden" Schema SchemaViolation Error "RFC 7946 section 7.1" "leave the member to the object it defines";
    SchemaFeatureExpected "schema.feature_expected" Schema SchemaViolation Error "RFC 7946 section 3.3" "put only Feature objects into features";
    SchemaIdType "schema.id_type" Schema SchemaViolation Error "RFC 7946 section 3.2" "let id be a string or a number";
    SchemaBbox "schema.bbox" Schema SchemaViolation Error "RFC 7946 section 5" "let bbox be four or six numbers";
    SchemaBboxMisses "schema.bbox_misses" Schema SchemaViolation Warning "RFC 7946 section 5" "let bbox enclose the geometry";
    SchemaGeometryNull "schema.geometry_null" Schema SchemaViolation Error "RFC 7946 section 3.2" "send a geometry, or use a source of lane entity";
    SchemaEntityMissing "schema.entity_missing" Schema SchemaViolation Error "source, entity" "name the entity where the source looks for it";
    SchemaEntityType "schema.entity_type" Schema SchemaViolation Error "source, entity" "let the entity be a non-empty string or a number";
    SchemaEventIdType "schema.event_id_type" Schema SchemaViolation Error "source, event_id" "let the event id be a non-empty string or a number";
    SchemaVersionMissing "schema.version_missing" Schema SchemaViolation Error "source, version" "send the version where the source looks for it";
    SchemaVersionInvalid "schema.version_invalid" Schema SchemaViolation Error "source, version" "send the version in the form the source asks for";
    SchemaTimeInFuture "schema.time_in_future" Schema SchemaViolation Error "source, future_max_s" "set the sender's clock";
    SchemaOpUnknown "schema.op_unknown" Schema SchemaViolation Error "source, op" "use \"upsert\" or \"delete\"";
    SchemaTextTooLong "schema.text_too_long" Schema SchemaViolation Error "limits, 512 bytes" "use a shorter key, id or entity";
    ContractMemberMissing "contract.member_missing" Schema SchemaViolation Error "source, required" "send every member that the source requires";
    ContractMemberType "contract.member_type" Schema SchemaViolation Error "source, required" "send the member in the type that the source requires";
    CloudEventForm "cloud_event.form" Schema SchemaViolation Error "CloudEvents 1.0 JSON format sections 3 and 4" "send a CloudEvents object, or an array of them as a batch";
    CloudEventSpecversion "cloud_event.specversion" Schema SchemaViolation Error "CloudEvents 1.0 section 3.1" "send CloudEvents 1.0";
    CloudEventAttribute "cloud_event.attribute" Schema SchemaViolation Error "CloudEvents 1.0 section 3.1" "give the event the attributes that CloudEvents asks for";
    CloudEventType "cloud_event.type" Schema SchemaViolation Error "source, cloud_events.types" "send the types that the source takes";
    CloudEventData "cloud_event.data" Schema SchemaViolation Error "CloudEvents 1.0 JSON format section 3.1" "carry one GeoJSON object in data, or in data_base64";
    CloudEventOp "cloud_event.op_conflict" Schema SchemaViolation Error "source, cloud_events.types" "let the op of the feature be that of the event's type";
    IdempotencyKeyReused "idempotency.key_reused" Schema SchemaViolation Error "draft-ietf-httpapi-idempotency-key-header section 2.6" "use a new key for another payload";
    GeometryEmpty "geometry.empty" Schema InvalidGeometry Error "RFC 7946 section 3.1" "send coordinates, or a null geometry";
    GeometryNesting "geometry.nesting" Schema InvalidGeometry Error "RFC 7946 section 3.1" "nest the coordinates as the type asks for";
    GeometryPositionSize "geometry.position_size" Schema InvalidGeometry Error "RFC 7946 section 3.1.1" "let a position be two or three numbers";
    GeometryNumberExpected "geometry.number_expected" Schema InvalidGeometry Error "RFC 7946 section 3.1.1" "let a position hold numbers only";
    GeometryNumberRange "geometry.number_range" Schema InvalidGeometry Error "RFC 8259 section 6" "send a number that a double can hold";
    GeometryMixedDimensions "geometry.mixed_dimensions" Schema InvalidGeometry Warning "RFC 7946 section 3.1.1" "give every position a height, or none; heights are dropped";
    GeometryNestedCollection "geometry.nested_collection" Schema InvalidGeometry Warning "RFC 7946 section 3.1.8" "do not nest geometry collections";
    GeometryWinding "geometry.winding" Schema InvalidGeometry Warning "RFC 7946 section 3.1.6" "wind shells counter-clockwise and holes clockwise";
    GeometryAntimeridian "geometry.antimeridian" Schema InvalidGeometry Warning "RFC 7946 section 3.1.9" "split the geometry at the antimeridian";
    CrsMismatch "crs.mismatch" CrsTransform CrsMismatch Error "RFC 7946 section 4" "send OGC:CRS84 (longitude, latitude)";
    CrsUnknown "crs.unknown" CrsTransform CrsMismatch Error "GeoJSON 2008 section 3" "leave crs out, or name OGC:CRS84";
    CrsUnsupported "crs.unsupported" CrsTransform CrsMismatch Error "RFC 7946 section 4" "name the CRS by its OGC or EPSG code";
    CrsNeedsGrid "crs.needs_grid" CrsTransform CrsMismatch Error "EPSG dataset" "send OGC:CRS84: only a datum grid transforms this system well enough";
    CrsAccuracy "crs.accuracy" CrsTransform CrsMismatch Error "source, crs_accuracy_mm_max" "send OGC:CRS84, or a system that is reprojected more exactly";
    CrsNorthingFirst "crs.northing_first" CrsTransform CrsMismatch Warning "RFC 7946 section 3.1.1" "send easting, northing whatever the code says of its axes";
    CrsBeyondMercator "crs.beyond_mercator" CrsTransform CrsMismatch Error "source, canonical_crs" "keep latitude within 85.051129 degrees; the map is in EPSG:3857";
    CrsNoPlace "crs.no_place" CrsTransform CrsMismatch Error "EPSG dataset" "send coordinates of the declared system";
    CrsConflict "crs.conflict" CrsTransform CrsMismatch Error "OGC 17-069r4 section 6" "declare one CRS";
    CrsLongitudeRange "crs.longitude_out_of_range" CrsTransform CrsMismatch Error "RFC 7946 section 4" "keep longitude within 180 degrees; split at the antimeridian";
    CrsLatitudeRange "crs.latitude_out_of_range" CrsTransform CrsMismatch Error "RFC 7946 section 4" "keep latitude within 90 degrees; longitude comes first";
    CrsLooksProjected "crs.looks_projected" CrsTransform CrsMismatch Warning "RFC 7946 section 4" "these look like metres: reproject to OGC:CRS84";
    CrsAxisSwapped "crs.axis_swapped_suspected" CrsTransform CrsMismatch Warning "RFC 7946 section 3.1.1" "longitude comes first";
    RepairNotApplied "repair.not_applied" TopologyValidation InvalidGeometry Warning "RFC 7240 section 2" "ask for repairs that the source allows";
    RepairUnavailable "repair.unavailable" TopologyValidation InvalidGeometry Warning "source, repair" "send it to the consumer's own intake";
    RepairTooManyVertices "repair.too_many_vertices" TopologyValidation InvalidGeometry Warning "settings, limits.repair_vertices_max" "repair it before it is sent";
    RepairTooComplex "repair.too_complex" TopologyValidation InvalidGeometry Warning "settings, limits.repair_vertices_max and limits.work_max" "repair it before it is sent";
    RepairNonFinite "repair.non_finite" TopologyValidation InvalidGeometry Warning "RFC 7946 section 3.1.1" "send finite numbers";
    RepairMagnitude "repair.magnitude" TopologyValidation InvalidGeometry Warning "source, repair" "send coordinates of a usual size";
    RepairCollapsed "repair.collapsed" TopologyValidation InvalidGeometry Warning "source, repair" "send a geometry of which something is left";
    RepairPole "repair.pole" TopologyValidation InvalidGeometry Warning "RFC 7946 section 3.1.9" "cut a ring round a pole by hand";
    RepairInvalidBefore "repair.invalid_before" TopologyValidation InvalidGeometry Warning "source, repair" "ask for make-valid before split-antimeridian";
    RepairInvalidAfter "repair.invalid_after" TopologyValidation InvalidGeometry Warning "source, repair" "ask for the repairs that the other violations need";
    GeometryTooComplex "geometry.too_complex" TopologyValidation InvalidGeometry Error "settings, limits.work_max" "simplify the geometry";
    SelfIntersection "geometry.self_intersection" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "let rings cross neither themselves nor others";
    RingSelfIntersection "geometry.ring_self_intersection" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "let a ring touch itself nowhere";
    TooFewPoints "geometry.too_few_points" TopologyValidation InvalidGeometry Error "RFC 7946 section 3.1.6" "a ring has four positions or more, a line two";
    NotClosed "geometry.not_closed" TopologyValidation InvalidGeometry Error "RFC 7946 section 3.1.6" "repeat the first position as the last";
    NonFinite "geometry.non_finite" TopologyValidation InvalidGeometry Error "RFC 7946 section 3.1.1" "send finite numbers";
    HoleOutsideShell "geometry.hole_outside_shell" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "keep holes inside their shell";
    NestedHoles "geometry.nested_holes" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "let no hole lie in another";
    NestedShells "geometry.nested_shells" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.14" "let no polygon lie in another";
    OverlappingParts "geometry.overlapping_parts" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.14" "let polygons meet in points only";
    DisconnectedInterior "geometry.disconnected_interior" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "let holes not cut the interior in two";
    DuplicateRings "geometry.duplicate_rings" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "send each ring once";
    Collapsed "geometry.collapsed" TopologyValidation InvalidGeometry Error "OGC 06-103r4 section 6.1.11.1" "let a ring enclose an area";
}

impl Code {
    /// The code of that fixed text.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}
