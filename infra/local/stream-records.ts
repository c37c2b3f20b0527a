// Keeps dynoxide fast: as shipped it reads all stream records for each write and never drops one. An index gives it the
// last sequence number at once, a trigger keeps the newest records only.
import { DatabaseSync } from 'node:sqlite'

/** Far more than the readers ever lag behind; position, not age, decides, since a laptop may sleep for days. */
const KEPT = 50_000

const OBJECTS = {
  countersign_stream_order: `CREATE INDEX IF NOT EXISTS countersign_stream_order
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`,
  countersign_stream_trim: `CREATE TRIGGER IF NOT EXISTS countersign_stream_trim AFTER INSERT ON _stream_records BEGIN
    DELETE FROM _stream_records WHERE table_name = NEW.table_name
      AND CAST(sequence_number AS INTEGER) <= CAST(NEW.sequence_number AS INTEGER) - ${KEPT};
  END`,
}

/** Safe while the server runs: SQLite tells it that the schema has changed. Throws when the file is not as expected. */
export function indexStreamRecords(file: string): void {
  const db = new DatabaseSync(file, { timeout: 2_000 })
  try {
    for (const statement of Object.values(OBJECTS)) db.exec(statement)
    const present = db
      .prepare('SELECT count(*) AS n FROM sqlite_master WHERE name IN (?, ?)')
      .get(...Object.keys(OBJECTS))
    if (present?.n !== 2) throw new Error('the stream records have no index or no trigger')
  } finally {
    db.close()
  }
}
