// A check and its finding. A check is a pure rule over facts; it never reads a flag that a person sets to say that something is
// done.
import * as z from 'zod'
import type { FactName, Facts } from '../../base/ports/check-facts.ts'

export const CHECK_STATUSES = ['pass', 'fail', 'not_applicable', 'no_data', 'error'] as const
export type CheckStatus = (typeof CHECK_STATUSES)[number]

export const Finding = z.object({
  status: z.enum(CHECK_STATUSES).describe('The current state.'),
  /** One sentence: the items that were examined, and the result. */
  detail: z.string().describe('The same in words.'),
  numerator: z.int().describe('How many of what was looked at hold.'),
  denominator: z.int().describe('How many were looked at.'),
  /** The 20 smallest, sorted. */
  failing_ids: z.array(z.string()).describe('Ids of the items that fail the check.'),
  failing_count: z.int().describe('The number of items that fail the check.'),
})
export type Finding = z.output<typeof Finding>

/** `since` (ms): the beginning of the window, the start of a UTC day. */
export type Moment = { now: number; since: number }

/**
 * A check over the present state. `facts`: the facts that it needs, where the deployment records them. When a reader throws,
 * nobody asks `find`: the check is in error.
 */
export type StateCheck = { facts: readonly FactName[]; find: (facts: Partial<Facts>, moment: Moment) => Finding }

const NOTHING = { numerator: 0, denominator: 0, failing_ids: [], failing_count: 0 }

export const noData = (detail: string): Finding => ({ status: 'no_data', detail, ...NOTHING })
export const notApplicable = (detail: string): Finding => ({ status: 'not_applicable', detail, ...NOTHING })

export const NOT_RECORDED = 'not recorded by this deployment'

/** `beside`: facts that the check uses where they are recorded, and does not need elsewhere. */
export const stateCheck = <K extends FactName>(
  needs: readonly K[],
  find: (facts: Pick<Facts, K> & Partial<Facts>, moment: Moment) => Finding,
  beside: readonly FactName[] = [],
): StateCheck => ({
  facts: [...needs, ...beside],
  find: (facts, moment) => (hasAll(facts, needs) ? find(facts, moment) : noData(NOT_RECORDED)),
})

const hasAll = <K extends FactName>(
  facts: Partial<Facts>,
  needs: readonly K[],
): facts is Pick<Facts, K> & Partial<Facts> => needs.every((name) => facts[name] !== undefined)
