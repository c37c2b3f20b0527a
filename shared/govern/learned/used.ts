// What a decision used of what was learnt, as its execution keeps it: a list in one text, because each byte of an execution is
// paid for. A repeated evaluation of the past uses these values, not those of its day.
import type { Drawn } from './arm.ts'
import { ARMS } from './assignment.ts'
import type { Learned } from './learned-for.ts'

export type Used = {
  trust: number | null
  executions: number | null
  persona: string | null
  rule: string | null
  model: { slot: string; version: number; score: number | null } | null
  /** People are asked whatever the model says: only then does their answer judge it. */
  held_anyway: boolean
  /** The other model of a test. */
  test: { id: string; score: number } | null
  /** Of a live test: whose model decided. */
  drawn: Drawn | null
}

/** Undefined where nothing was used. */
export function packUsed({ standing, persona, routing, model }: Learned, held_anyway = false): string | undefined {
  const shadow = held_anyway ? model?.shadow : undefined
  const drawn = model?.drawn
  const all = [
    standing?.trust,
    standing?.executions,
    persona?.persona_key,
    routing?.update_id,
    model?.slot,
    model?.version,
    model?.probability,
    held_anyway && model?.probability !== undefined ? 1 : undefined,
    shadow?.probability === undefined ? drawn?.test_id : shadow.test_id,
    shadow?.probability,
    drawn && ARMS.indexOf(drawn.arm),
    drawn?.unit,
  ]
  const length = all.findLastIndex((one) => one !== undefined) + 1
  return length === 0 ? undefined : JSON.stringify(all.slice(0, length).map((one) => one ?? null))
}

type Packed = [
  trust?: number | null,
  executions?: number | null,
  persona?: string | null,
  rule?: string | null,
  slot?: string | null,
  version?: number | null,
  score?: number | null,
  held?: number | null,
  test_id?: string | null,
  test_score?: number | null,
  arm?: number | null,
  unit?: string | null,
]

export function unpackUsed(text: string | undefined): Used {
  const packed: Packed = text === undefined ? [] : JSON.parse(text)
  const [trust = null, executions = null, persona = null, rule = null, slot = null, version = null, score = null] =
    packed
  const [, , , , , , , held = null, test_id = null, test_score = null, place = null, unit = null] = packed
  const arm = place === null ? undefined : ARMS[place]
  return {
    trust,
    executions,
    persona,
    rule,
    model: slot === null ? null : { slot, version: version ?? 0, score },
    held_anyway: held === 1,
    test: test_id === null || test_score === null ? null : { id: test_id, score: test_score },
    drawn: test_id === null || !arm ? null : { test_id, arm, unit: unit ?? undefined },
  }
}
