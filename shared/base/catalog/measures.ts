// What commits state in figures, beside their events: the closed list. Measures travel in the packed text of the outbox item,
// so they are counted exactly when their commit happened. They are positional, and leave out what an event of the same
// commit says, because the item pays for every byte.
import * as z from 'zod'
import { TIERS } from './kinds.ts'
import {
  CONDUCT,
  CUSTOM_NAME,
  DECIDED,
  DIRECTIONS,
  ENDS,
  HIT_RESULTS,
  OUTCOMES,
  PII_ACTIONS,
  RESULTS,
  SEVERITIES,
  SLA_RESULTS,
  TRIED,
} from './measure-words.ts'

const word = (list: readonly string[]) =>
  z
    .int()
    .min(0)
    .max(list.length - 1)
const amount = z.int().nonnegative()
const flag = z.union([z.literal(0), z.literal(1)])

/** Each shape by its code, the first member. */
export const MEASURES = {
  /** Decision: tier, outcome, milliseconds of the receipt, whether the agent is bound, bytes of the payload. */
  d: z.lazy(() => z.tuple([z.literal('d'), word(TIERS), word(OUTCOMES), amount, flag, amount])),
  /**
   * Run: result, tier, milliseconds since the request arrived (null after an approval), bytes of the output; bytes of the payload
   * where it succeeded and no tokens are reported.
   */
  r: z.lazy(() => z.tuple([z.literal('r'), word(RESULTS), word(TIERS), amount.nullable(), amount]).rest(amount)),
  /** An approval was asked for; not for one that takes the place of another. */
  a: z.lazy(() => z.tuple([z.literal('a')])),
  /** An approval ended: how, seconds since it was asked for, how it stood to its SLA. */
  e: z.lazy(() => z.tuple([z.literal('e'), word(ENDS), amount, word(SLA_RESULTS)])),
  /** An undo ended: whether the action is undone. */
  u: z.lazy(() => z.tuple([z.literal('u'), flag])),
  /** A chain was verified: whether it is valid. */
  v: z.lazy(() => z.tuple([z.literal('v'), flag])),
  /** A chain was walked: artifacts, milliseconds. */
  w: z.lazy(() => z.tuple([z.literal('w'), amount, amount])),
  /** A training job ended by itself: whether it was completed. */
  j: z.lazy(() => z.tuple([z.literal('j'), flag])),
  /** A compliance violation: severity. */
  i: z.lazy(() => z.tuple([z.literal('i'), word(SEVERITIES)])),
  /** Personal data was found: direction, what was done, then for each type of finding its place in the list and how many. */
  p: z.lazy(() => z.tuple([z.literal('p'), word(DIRECTIONS), word(PII_ACTIONS)]).rest(amount)),
  /** Tokens of language models that a target reported: input, output. */
  t: z.lazy(() => z.tuple([z.literal('t'), amount, amount])),
  /** Conduct: what to add, and to which actors; none in the first transaction of an execution, whose events name them. */
  k: z.lazy(() => z.tuple([z.literal('k'), word(CONDUCT)]).rest(z.string())),
  /** People decided on an action that a model had judged: its slot, its version, whether it was right. */
  q: z.lazy(() => z.tuple([z.literal('q'), z.string(), amount, flag])),
  /** People decided on an action that two models had judged: the test, whether A was right, whether B was. */
  x: z.lazy(() => z.tuple([z.literal('x'), z.string(), flag, flag])),
  /** A live test of two models: the test, the arm (1: B), what is counted, of how many, how many of them; its unit. */
  y: z.lazy(() => z.tuple([z.literal('y'), z.string(), flag, word(TRIED), flag, flag]).rest(z.string())),
  /**
   * A policy did not pass: its id, its result, how the action would be decided without it (a shadow policy: with it), whether it is a
   * shadow policy, whether its condition is unknown, whether the action undoes another.
   */
  h: z.lazy(() => z.tuple([z.literal('h'), z.string(), word(HIT_RESULTS), word(DECIDED), flag, flag, flag])),
  /** A series of the tenant's own: name, good, total. */
  c: z.lazy(() => z.tuple([z.literal('c'), z.string().regex(CUSTOM_NAME), amount, amount])),
}

export type MeasureCode = keyof typeof MEASURES
export type Measure = { [C in MeasureCode]: z.output<(typeof MEASURES)[C]> }[MeasureCode]
