// What is wrong with the member `grant` of an approval rule. A member whose name says what is done, to what, to whom or for how much
// is always pinned, so a policy that names it as free would not do what its author expects.
import { KIND_NAMES } from '../../base/catalog/kinds.ts'
import type { Json } from '../../base/lib/canonical-json.ts'
import type { Problem } from './conditions.ts'
import type { Role } from './fields.ts'
import { scopeMatches } from './glob.ts'
import { type GrantRule, needsApprovalEach } from './grant.ts'
import { walk } from './payload.ts'
import { namedSteps } from './pointer.ts'
import type { PolicyBody } from './policy.ts'

export function* grantProblems({ approval, scope: { action_kinds } }: PolicyBody): Generator<Problem> {
  if (!approval?.grant) return
  const kinds = KIND_NAMES.filter((kind) => action_kinds.length > 0 && scopeMatches(action_kinds, kind))
  if (kinds.length > 0 && kinds.every(needsApprovalEach))
    yield { path: ['approval', 'grant'], message: 'the kinds of the scope need an approval each time' }
  yield* memberProblems(approval.grant)
}

const LISTS = ['free', 'at_most'] as const
type List = (typeof LISTS)[number]

function* memberProblems(grant: Partial<GrantRule>): Generator<Problem> {
  const named = LISTS.flatMap((list) => (grant[list] ?? []).map((pointer, i) => ({ list, pointer, i })))
  for (const one of named) {
    const { list, pointer, i } = one
    const around = named.find((other) => other !== one && isAtOrBelow(pointer, other.pointer))
    const message = pointerProblem(pointer, list) ?? (around && `is named already by ${around.pointer}`)
    if (message) yield { path: ['approval', 'grant', list, i], message }
  }
}

const isAtOrBelow = (pointer: string, other: string) => pointer === other || pointer.startsWith(`${other}/`)

function pointerProblem(pointer: string, list: List): string | undefined {
  const steps = namedSteps(pointer)
  if (!steps) return 'must be a JSON pointer to a member of objects, such as /note or /order/note'
  const role = roleAt(steps)
  if (role === undefined || (role === 'amount' && list === 'at_most')) return undefined
  const instead = role === 'amount' ? 'at_most may name it' : 'its value is always the approved one'
  return `is ${SAID[role] ?? 'part of a program'} by its name; ${instead}`
}

const SAID: Partial<Record<Role, string>> = {
  recipient: 'a recipient',
  contact: 'a recipient',
  phone: 'a recipient',
  amount: 'an amount',
  currency: 'the currency of an amount',
  target: 'a target',
  method: 'the method of a request',
}

/** The role that the names on the way give the member. */
const roleAt = (steps: readonly string[]): Role | undefined =>
  walk(steps.reduceRight<Json>((value, step) => ({ [step]: value }), '')).at(-1)?.role
