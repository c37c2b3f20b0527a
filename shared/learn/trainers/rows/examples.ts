// Rows of a file as examples that the embedded trainer learns from.
import { featuresOf, minus } from '../../../base/scorer/features.ts'
import type { Example } from '../embedded/matrix.ts'
import type { Provenance } from './provenance.ts'
import { readJudgement, readPreference, UnreadableRow } from './read-row.ts'

export type Known = Example & { judged: boolean }
export type LinearType = 'approval' | 'preference'

/** More would not fit into the memory of the worker. */
const ROWS_MAX = 250_000

type Source = { type: LinearType; file: string; lines: AsyncIterable<string>; provenance: Provenance }

/** Throws `UnreadableRow` with the number of the line. */
export async function readExamples({ type, file, lines, provenance }: Source): Promise<Known[]> {
  const examples: Known[] = []
  let row = 0
  for await (const line of lines) {
    if (row >= ROWS_MAX) throw new UnreadableRow(`${file} has more than ${ROWS_MAX} rows.`)
    try {
      examples.push(
        ...(type === 'approval' ? judged(line, file, row, provenance) : preferred(line, file, row, provenance)),
      )
    } catch (error) {
      if (error instanceof UnreadableRow) throw new UnreadableRow(`${file}, line ${row + 1}: ${error.message}.`)
      throw error
    }
    row += 1
  }
  return examples
}

function judged(line: string, file: string, row: number, provenance: Provenance): Known[] {
  const { context, payload, approved } = readJudgement(line)
  const { confidence, judged: byPeople } = provenance.of(file, row, approved ? 'chosen' : 'rejected')
  return [{ features: featuresOf(context, payload), y: approved ? 1 : 0, weight: confidence, judged: byPeople }]
}

/** In both directions, so that the model has no side that it prefers. As sure as the less sure of both. */
function preferred(line: string, file: string, row: number, provenance: Provenance): Known[] {
  const { context, chosen, rejected } = readPreference(line)
  const sides = [provenance.of(file, row, 'chosen'), provenance.of(file, row, 'rejected')]
  const weight = Math.min(...sides.map(({ confidence }) => confidence))
  const byPeople = sides.every((side) => side.judged)
  const [a, b] = [featuresOf(context, chosen), featuresOf(context, rejected)]
  return [
    { features: minus(a, b), y: 1, weight, judged: byPeople },
    { features: minus(b, a), y: 0, weight, judged: byPeople },
  ]
}
