// Keeps dynoxide fast, which reads all stream records for each write and never drops one. An index gives it the last
// sequence number, and a trigger keeps only the newest records.
import { DatabaseSync } from 'node:sqlite'

/** Far more than readers ever lag behind. Limited by number and not by age, because a laptop may sleep for days. */
const KEPT = 50_000

const OBJECTS = {
  countersign_stream_order: `CREATE INDEX IF NOT EXISTS countersign_stream_order
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`,
  countersign_stream_trim: `CREATE TRIGGER IF NOT EXISTS countersign_stream_trim AFTER INSERT ON _stream_records BEGIN
    DELETE FROM _stream_records WHERE table_name = NEW.table_name
      AND CAST(sequence_number AS INTEGER) <= CAST(NEW.sequence_number AS INTEGER) - ${KEPT};
  END`,
}

/** Safe while the server runs: SQLite lets it know that the schema has changed. Throws when the file is not as expected. */
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
