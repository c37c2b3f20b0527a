// Writes the populations of a window, the findings of their comparison with the chain, the samples, and an index of them.
import type { Context } from '../../base/context.ts'
import type { Window } from '../exports/window.ts'
import type { Population, Row } from '../populations/population.ts'
import type { PopulationReport } from '../report/report-input.ts'
import { type Archive, csvDocument, csvHead, csvRows } from './archive.ts'
import { AUDIT, type AuditManifest } from './manifest.ts'
import type { Compared, Comparison } from './comparison.ts'
import type { Measured } from '../exports/pack/zip.ts'
import { sha256Hex } from '../../base/lib/json.ts'

type Writing = {
  ctx: Context
  archive: Archive
  window: Window
  /** It has read the chain already. */
  comparison: Comparison
  sample: AuditManifest['sample']
}

export async function writePopulations(writing: Writing, all: readonly Population[]): Promise<PopulationReport[]> {
  const { archive, window, sample } = writing
  const written: Written[] = []
  for (const population of all) written.push(await writeOne(writing, population))
  const index = written.map((one) => indexRow(one, window))
  await archive.add(AUDIT.populations, csvDocument(INDEX_COLUMNS, index))
  await archive.add(AUDIT.differences, differences(writing, all))
  for (const { population, drawn } of written)
    await archive.add(AUDIT.sample(population.name), csvDocument(population.columns, drawn))
  await archive.add(AUDIT.samples, [`${JSON.stringify(planOf(sample, written), null, 2)}\n`])
  return written.map(populationReport)
}

async function writeOne(writing: Writing, population: Population): Promise<Written> {
  const { ctx, archive, window, comparison, sample } = writing
  const drawing = new Sample<Row>(sample.size, sample.seed)
  let rows = 0
  const text = async function* () {
    yield csvHead(population.columns)
    for await (const page of population.rows(ctx, window)) {
      rows += page.length
      for (const row of page) drawing.see(row.id, row)
      await comparison.add(population, page)
      yield csvRows(population.columns, page)
    }
  }
  const measured = await archive.add(AUDIT.population(population.name), text())
  return { population, measured, rows, drawn: drawing.rows(), compared: await comparison.of(population) }
}

async function* differences({ comparison }: Writing, all: readonly Population[]) {
  yield csvHead(DIFFERENCE_COLUMNS)
  for (const population of all)
    for await (const part of comparison.differences(population)) {
      const rowsOf = (found_in: string, ids: readonly string[]) =>
        ids.map((id) => ({ population: population.name, found_in, id }))
      const rows = [...rowsOf('rows', part.rows_without_artifact), ...rowsOf('chain', part.artifacts_without_row)]
      yield csvRows(DIFFERENCE_COLUMNS, rows)
    }
}

type Written = {
  population: Population
  measured: Measured
  rows: number
  drawn: Row[]
  compared: Compared | undefined
}

const INDEX_COLUMNS = [
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

/** The last three are empty for a population that is not compared with the chain. */
const indexRow = ({ population, measured, rows, compared }: Written, window: Window) => ({
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

const DIFFERENCE_COLUMNS = ['population', 'found_in', 'id'] as const

const planOf = (sample: AuditManifest['sample'], written: readonly Written[]) => ({
  rule: 'The rows with the smallest SHA-256 of seed, line feed and id, as lower-case hex text, in that order.',
  ...sample,
  populations: written.map(({ population, rows, drawn }) => ({
    name: population.name,
    file: AUDIT.sample(population.name),
    rows,
    sampled: drawn.length,
  })),
})

const populationReport = ({ population, rows, drawn, compared }: Written): PopulationReport => ({
  name: population.name,
  file: AUDIT.population(population.name),
  rows,
  rows_without_artifact: compared?.named.rows_without_artifact ?? null,
  artifacts_without_row: compared?.named.artifacts_without_row ?? null,
  sampled: drawn.length,
})

type Drawn<T> = { rank: string; row: T }

const byRank = <T>(a: Drawn<T>, b: Drawn<T>) => (a.rank < b.rank ? -1 : 1)

/**
 * A sample that the audited side cannot steer: the rows whose id, hashed with a seed, gives the smallest hashes. Anybody with the
 * seed and the ids draws the same one. It draws while rows are read, and keeps at most twice the size of the sample.
 */
export class Sample<T> {
  readonly #size: number
  readonly #seed: string
  #drawn: Drawn<T>[] = []

  /** `seed`: 64 hex digits. */
  constructor(size: number, seed: string) {
    this.#size = size
    this.#seed = seed
  }

  see(id: string, row: T): void {
    this.#drawn.push({ rank: sha256Hex(`${this.#seed}\n${id}`), row })
    if (this.#drawn.length >= 2 * this.#size) this.#settle()
  }

  /** In the order of their hashes. All rows when there are fewer than the size. */
  rows(): T[] {
    this.#settle()
    return this.#drawn.map(({ row }) => row)
  }

  #settle(): void {
    this.#drawn = this.#drawn.sort(byRank).slice(0, this.#size)
  }
}
