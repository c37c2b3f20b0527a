// How sure the label of each sample of a row is, and where it came from.
import * as z from 'zod'

const Line = z.object({
  file: z.string(),
  row: z.int(),
  side: z.enum(['chosen', 'rejected']),
  confidence: z.number(),
  source: z.string(),
})

export type Certainty = { confidence: number; judged: boolean }
type Side = 'chosen' | 'rejected'

/** Labels that people gave. Others follow from a rule, or from how an action happened to end. */
const JUDGED: ReadonlySet<string> = new Set(['human', 'key', 'undo', 'feedback'])

/** Of uploaded rows nothing is known: they count in full, and none as judged. */
const UPLOADED: Certainty = { confidence: 1, judged: false }

export class Provenance {
  readonly #known = new Map<string, Certainty>()

  add(line: string): void {
    const { file, row, side, confidence, source } = Line.parse(JSON.parse(line))
    this.#known.set(`${file} ${row} ${side}`, { confidence, judged: JUDGED.has(source) })
  }

  of(file: string, row: number, side: Side): Certainty {
    return this.#known.get(`${file} ${row} ${side}`) ?? UPLOADED
  }
}
