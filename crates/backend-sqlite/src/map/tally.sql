-- How many deliveries ended how; each count commits with the outcome it counts.
CREATE TABLE hexlane_tally (
  outcome TEXT PRIMARY KEY,
  deliveries INTEGER NOT NULL
) WITHOUT ROWID;
