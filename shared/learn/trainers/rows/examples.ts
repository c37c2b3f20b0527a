// Rows of a file as examples that the embedded trainer learns from.
import { featuresOf, minus } from '../../../base/scorer/features.ts'
import type { Example } from '../embedded/matrix.ts'
import * as z from 'zod'

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

// How sure the label of each sample of a row is, and where it came from.

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

/** The origin of uploaded rows is not known: they count in full, and none as judged. */
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

// Reads an action back from a row of a dataset: its context from the prompt, its payload from the completion.

const Message = z.object({
  role: z.string(),
  content: z.string(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.string() }) })).optional(),
})
const Messages = z.array(Message).min(1)

const Kto = z.object({ prompt: Messages, completion: Messages, label: z.boolean() })
const Dpo = z.object({ prompt: Messages, chosen: Messages, rejected: Messages })

const ACTION = /^Node: (\S+) - [^\n]*\nAction: (\S+) - /

/** A row of another form than that of generated datasets: nothing can be learnt from it. */
export class UnreadableRow extends Error {}

export type Judgement = { context: string; payload: unknown; approved: boolean }
export type Preference = { context: string; chosen: unknown; rejected: unknown }

export function readJudgement(line: string): Judgement {
  const { prompt, completion, label } = parsed(Kto, line)
  return { context: contextOf(prompt), payload: payloadOf(completion), approved: label }
}

export function readPreference(line: string): Preference {
  const { prompt, chosen, rejected } = parsed(Dpo, line)
  return { context: contextOf(prompt), chosen: payloadOf(chosen), rejected: payloadOf(rejected) }
}

function parsed<S extends z.ZodType>(schema: S, line: string): z.output<S> {
  const result = schema.safeParse(json(line))
  if (result.success) return result.data
  throw new UnreadableRow('the columns are not those of its format')
}

function contextOf(prompt: z.output<typeof Messages>): string {
  const [, node, action] = ACTION.exec(prompt.find(({ role }) => role === 'user')?.content ?? '') ?? []
  if (node === undefined || action === undefined) throw new UnreadableRow('the prompt names no node and action')
  return `${node}/${action}`
}

/** Written out as JSON, or as the arguments of a call of a tool. */
function payloadOf([message]: z.output<typeof Messages>): unknown {
  const payload = json(message?.tool_calls?.[0]?.function.arguments ?? message?.content ?? '')
  if (typeof payload === 'object' && payload !== null) return payload
  throw new UnreadableRow('the completion is no payload')
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableRow('it is not JSON')
  }
}
