// Writes the populations of a window, what the comparison with the chain found, and the samples.
import type { Context } from '../../base/context.ts'
import type { Window } from '../exports/window.ts'
import type { Population, Row } from '../populations/population.ts'
import type { PopulationReport } from '../report/report-input.ts'
import type { Archive } from './archive.ts'
import { AUDIT, type AuditManifest } from './audit-manifest.ts'
import type { Comparison } from './comparison.ts'
import { csvDocument, csvHead, csvRows } from './csv.ts'
import {
  DIFFERENCE_COLUMNS,
  INDEX_COLUMNS,
  indexRow,
  planOf,
  populationReport,
  type Written,
} from './population-documents.ts'
import { Sample } from './sample.ts'

type Writing = {
  ctx: Context
  archive: Archive
  window: Window
  /** The chain went by already. */
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
