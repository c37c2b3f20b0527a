// What stands beside the populations: their index, the plan of the samples, and what the report says.
import type { PopulationReport } from '../report/report-input.ts'
import type { Population, Row } from '../populations/population.ts'
import type { Window } from '../exports/window.ts'
import type { Measured } from '../exports/pack/zip.ts'
import { AUDIT, type AuditManifest } from './audit-manifest.ts'
import type { Compared } from './comparison.ts'

export type Written = {
  population: Population
  measured: Measured
  rows: number
  drawn: Row[]
  compared: Compared | undefined
}

export const INDEX_COLUMNS = [
  'name',
  'file',
  'rows',
  'sha256',
  'source',
  'filter',
  'start_at',
  'end_at',
  'artifacts',
  'rows_without_artifact',
  'artifacts_without_row',
] as const

/** The last three are empty for what is not compared with the chain. */
export const indexRow = ({ population, measured, rows, compared }: Written, window: Window) => ({
  name: population.name,
  file: AUDIT.population(population.name),
  rows,
  sha256: measured.sha256,
  source: population.source,
  filter: population.filter,
  ...window,
  artifacts: compared?.artifacts,
  rows_without_artifact: compared?.rows_without_artifact,
  artifacts_without_row: compared?.artifacts_without_row,
})

export const DIFFERENCE_COLUMNS = ['population', 'found_in', 'id'] as const

export const planOf = (sample: AuditManifest['sample'], written: readonly Written[]) => ({
  rule: 'The rows with the smallest SHA-256 of seed, line feed and id, as lower-case hex text, in that order.',
  ...sample,
  populations: written.map(({ population, rows, drawn }) => ({
    name: population.name,
    file: AUDIT.sample(population.name),
    rows,
    sampled: drawn.length,
  })),
})

export const populationReport = ({ population, rows, drawn, compared }: Written): PopulationReport => ({
  name: population.name,
  file: AUDIT.population(population.name),
  rows,
  rows_without_artifact: compared?.named.rows_without_artifact ?? null,
  artifacts_without_row: compared?.named.artifacts_without_row ?? null,
  sampled: drawn.length,
})
