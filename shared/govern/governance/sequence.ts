// The member `after` of a policy: it fires only for a while after an earlier action left a mark.
import * as z from 'zod'
import { KIND_NAMES } from '../../base/catalog/kinds.ts'
import type { Problem } from './conditions/condition.ts'
import type { NamedFacts } from './conditions/fact-list.ts'
import { scopeMatches } from './conditions/glob.ts'
import { orElse } from './rule-terms.ts'
import type { Policy, PolicyBody } from './policy.ts'

/** Whose mark it is. */
export const AFTER_KEYS = ['agent', 'principal', 'person', 'trace'] as const
export type AfterKey = (typeof AFTER_KEYS)[number]

/** Kinds of data in the answer of a target. */
export const FOUND = ['pii', 'secrets'] as const
export type Found = (typeof FOUND)[number]

const globs = orElse(z.array(z.string().min(1).max(256)).max(50), [])

export const after = z.strictObject({
  kinds: orElse(z.array(z.enum(KIND_NAMES)).max(20), []).describe('Kinds of actions that leave a mark.'),
  action_ids: globs.describe('Actions that leave a mark, as globs.'),
  node_ids: globs.describe('Nodes whose actions leave a mark, as globs.'),
  categories: globs.describe('Categories whose actions leave a mark, as globs.'),
  output: orElse(z.array(z.enum(FOUND)).max(2), []).describe('What leaves a mark when a target answers it.'),
  within: z
    .string()
    .regex(/^[1-9]\d{0,4}[mh]$/, 'must be a number and m or h, such as 10m')
    .describe('How long the mark holds: a number and `m` or `h`.'),
  per: z.enum(AFTER_KEYS).describe('Whose mark it is.'),
})
export type After = z.output<typeof after>

const AFTER_MAX = 10
const WITHIN_MAX_S = 86_400
const LISTS = ['kinds', 'action_ids', 'node_ids', 'categories'] as const

export const withinSeconds = ({ within }: After): number =>
  Number(within.slice(0, -1)) * (within.endsWith('h') ? 3_600 : 60)

export function* afterProblems({ effect, after: mark }: PolicyBody): Generator<Problem> {
  if (!mark) return
  if (effect === 'relax_to') yield { path: ['after'], message: 'relax_to may not depend on history' }
  if (withinSeconds(mark) > WITHIN_MAX_S) yield { path: ['after', 'within'], message: 'must not exceed 24 hours' }
  const named = LISTS.some((list) => mark[list].length > 0)
  if (named === mark.output.length > 0)
    yield { path: ['after'], message: `must name either output, or some of ${LISTS.join(', ')}` }
}

/** Why there can be no further policy with `after`. */
export function tooManyAfter(body: PolicyBody, others: readonly Policy[]): string | undefined {
  const such = others.filter((other) => other.enabled && other.after).length
  return body.enabled && body.after && such >= AFTER_MAX
    ? `You have ${AFTER_MAX} enabled policies with after, which is the most. Disable one of them first.`
    : undefined
}

export const afterWarnings = ({ after: mark }: PolicyBody): string[] =>
  mark?.per === 'trace'
    ? ['The policy goes by the trace, which the caller names. A caller who names another trace avoids it.']
    : []

/** Whether an action leaves a mark by what it is. */
export const isSource = ({ kinds, action_ids, node_ids, categories, output }: After, named: NamedFacts): boolean =>
  output.length === 0 &&
  scopeMatches(kinds, named['action.kind']) &&
  scopeMatches(action_ids, named['action.id']) &&
  scopeMatches(node_ids, named['node.id']) &&
  scopeMatches(categories, named['node.category'])
