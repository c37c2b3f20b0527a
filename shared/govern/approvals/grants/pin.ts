// What a grant pins: the whole payload, but for the members that policies name. A named member is pinned all the same if it says what is
// done, to which object, to whom or for how much. So only an action that the approver saw may run again.
import { derivedKey } from '../../../base/aws/deployment-secret.ts'
import type { Space } from '../../../base/context.ts'
import { canonicalJson, hmacSha256, type Json } from '../../../base/lib/json.ts'
import type { JsonObject } from '../../../base/wire/parse-body.ts'
import { type DeclaredRole, declaredRoles } from '../../governance/payload/declared.ts'
import { addressesOf } from '../../governance/payload/fields.ts'
import type { GrantRule } from '../../governance/rule-terms.ts'
import { membersAt, walk } from '../../governance/payload/members.ts'
import { namedSteps } from '../../governance/conditions/pointer.ts'
import { inspect } from '../../governance/payload/signals.ts'
import type { LoadedAction } from '../../manifests/load.ts'
import type { Grant } from './grant.ts'

export type Pin = Pick<Grant, 'pinned' | 'free' | 'at_most'>

type Pinned = { payload: JsonObject; rule: Pick<GrantRule, 'free' | 'at_most'>; action: Pick<LoadedAction, 'endpoint'> }

export const pinKey = ({ tenant_id }: Pick<Space, 'tenant_id'>): Promise<Uint8Array> =>
  derivedKey(`grants/v1/${tenant_id}`)

/**
 * Two requests have the same `pinned` only if their payloads are equal but for the same members. It is an HMAC, because a digest of a
 * short payload could be guessed.
 */
export function pinOf(key: Uint8Array, { payload, rule, action }: Pinned): Pin {
  const roles = declaredRoles(action.endpoint.input_schema)
  const free = rule.free.filter((pointer) => factsAt(payload, pointer, roles).size === 0)
  const bounds = rule.at_most.flatMap((pointer) => {
    const bound = boundAt(payload, pointer, roles)
    return bound === undefined ? [] : [[pointer, bound] as const]
  })
  const bounded = bounds.map(([pointer]) => pointer)
  const rest = [...free, ...bounded].reduce<Json>((left, pointer) => without(left, stepsOf(pointer)), payload)
  const mac = hmacSha256(key, canonicalJson([free, bounded, rest]))
  return { pinned: mac.toString('hex', 0, PINNED_BYTES), free, at_most: Object.fromEntries(bounds) }
}

const PINNED_BYTES = 16

/** A number that a smaller one may replace. A text could be read in two ways, and a smaller negative number is a larger sum. */
function boundAt(payload: JsonObject, pointer: string, roles: readonly DeclaredRole[]): number | undefined {
  const value = memberAt(payload, stepsOf(pointer))
  if (typeof value !== 'number' || value < 0) return undefined
  return [...factsAt(payload, pointer, roles)].every((fact) => fact === 'amount') ? value : undefined
}

/** What the member says of the effect: by its role, and by programs, links and addresses in its texts. */
function factsAt(payload: JsonObject, pointer: string, roles: readonly DeclaredRole[]): Set<string> {
  const alone = only(payload, stepsOf(pointer))
  const { signals, requestWrites } = inspect(alone, { domains: [], pii_mode: 'off' }, { roles })
  const facts = new Set<string>()
  if (signals.sql_write || signals.shell || requestWrites) facts.add('program')
  if (signals.url_hosts?.length !== 0) facts.add('link')
  const members = [...walk(alone), ...roles.flatMap(({ steps, role }) => [...membersAt(alone, steps, role)])]
  for (const { role, value } of members) {
    if (typeof value === 'object' || value === undefined) continue
    if (role) facts.add(role)
    if (typeof value === 'string' && addressesOf(value).length > 0) facts.add('address')
  }
  return facts
}

/** What policies name was checked when they were saved. */
const stepsOf = (pointer: string): string[] => namedSteps(pointer) ?? []

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const memberAt = (payload: Json, steps: readonly string[]): Json | undefined =>
  steps.reduce<Json | undefined>(
    (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    payload,
  )

/** The payload with nothing but the member, which keeps the names around it. */
function only(payload: Json, steps: readonly string[]): Json | undefined {
  const member = memberAt(payload, steps)
  return member === undefined ? undefined : steps.reduceRight<Json>((value, step) => ({ [step]: value }), member)
}

function without(from: Json, [step, ...below]: readonly string[]): Json {
  if (step === undefined || !isObject(from) || !Object.hasOwn(from, step)) return from
  const { [step]: value = null, ...others } = from
  return below.length === 0 ? others : { ...others, [step]: without(value, below) }
}
