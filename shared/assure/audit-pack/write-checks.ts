// Writes what the checks found, last and on each day of the window.
import type { FrameworkId } from '../catalogue/framework-ids.ts'
import type { Archive } from './archive.ts'
import { AUDIT } from './audit-manifest.ts'
import {
  type CheckLine,
  DAY_COLUMNS,
  dayRows,
  PERIOD_COLUMNS,
  periodRow,
  RESULT_COLUMNS,
  resultOf,
  resultRow,
} from './check-rows.ts'
import { csvDocument } from './csv.ts'

export async function writeChecks(archive: Archive, framework: FrameworkId, lines: readonly CheckLine[]) {
  const rows = lines.map((line) => resultRow(framework, line))
  const results = lines.map((line) => resultOf(framework, line))
  await archive.add(`${AUDIT.results}.csv`, csvDocument(RESULT_COLUMNS, rows))
  await archive.add(`${AUDIT.results}.json`, [`${JSON.stringify(results, null, 2)}\n`])
  await archive.add(AUDIT.days, csvDocument(DAY_COLUMNS, lines.flatMap(dayRows)))
  await archive.add(AUDIT.periods, csvDocument(PERIOD_COLUMNS, lines.map(periodRow)))
}
