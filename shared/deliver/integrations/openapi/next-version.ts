// The version that a changed node gets: what callers must know of the change is in its first two numbers.
import { isStricter, maxTier } from '../../../base/catalog/kinds.ts'
import { canonicalJson } from '../../../base/lib/json.ts'
import type { Endpoint } from '../../../govern/manifests/manifest.ts'
import { isObject, type JsonMap, listAt, mapAt, member } from './resolve.ts'

export type Actions = readonly Pick<Endpoint, 'action_id' | 'min_tier' | 'approval_required' | 'input_schema'>[]

const tierOf = ({ min_tier, approval_required }: Actions[number]) =>
  maxTier(min_tier, approval_required ? 'HARD' : undefined)

/** `before`: undefined for a new node. The answer is undefined when nothing has changed. */
export function nextVersion(before: { version: string; endpoints: Actions } | undefined, now: Actions) {
  if (!before) return '1.0.0'
  if (canonicalJson(before.endpoints) === canonicalJson(now)) return undefined
  const [major = 0, minor = 0, patch = 0] = before.version.split('.').map(Number)
  const was = new Map(before.endpoints.map((one) => [one.action_id, one]))
  const is = new Map(now.map((one) => [one.action_id, one]))
  const breaks = before.endpoints.some((old) => {
    const one = is.get(old.action_id)
    return !one || isStricter(tierOf(one), tierOf(old)) || isNarrower(old.input_schema ?? {}, one.input_schema ?? {})
  })
  if (breaks) return `${major + 1}.0.0`
  return now.some((one) => !was.has(one.action_id)) ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

// Whether a schema may refuse what its former version took. Where that is not plain to see, it may.

/** Keywords that refuse nothing here. */
const TELLS = new Set(['description', 'format'])
const CEILINGS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const FLOORS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const COMPARED = new Set([
  ...CEILINGS,
  ...FLOORS,
  'type',
  'enum',
  'required',
  'properties',
  'additionalProperties',
  'items',
])

const same = (one: unknown, other: unknown) => canonicalJson({ of: one }) === canonicalJson({ of: other })

function isNarrower(before: JsonMap, now: JsonMap): boolean {
  if (same(before, now)) return false
  return (
    typesLost(before, now) ||
    valuesLost(before, now) ||
    boundsTightened(before, now) ||
    membersLost(before, now) ||
    othersNarrower(before, now, 'items') ||
    Object.keys(now).some((name) => !COMPARED.has(name) && !TELLS.has(name) && !same(before[name], now[name]))
  )
}

const typesOf = (schema: JsonMap): unknown[] => [member(schema, 'type') ?? []].flat()

function typesLost(before: JsonMap, now: JsonMap): boolean {
  const is = typesOf(now)
  if (is.length === 0) return false
  const takes = (type: unknown) => is.includes(type) || (type === 'integer' && is.includes('number'))
  return typesOf(before).length === 0 || !typesOf(before).every(takes)
}

function valuesLost(before: JsonMap, now: JsonMap): boolean {
  const is = listAt(now, 'enum')
  if (is.length === 0) return false
  const was = listAt(before, 'enum')
  return was.length === 0 || !was.every((value) => is.includes(value))
}

/** Absent, a ceiling is as high as can be, and a floor as low. */
function boundsTightened(before: JsonMap, now: JsonMap): boolean {
  const bound = (schema: JsonMap, name: string, none: number) => Number(member(schema, name) ?? none)
  return (
    CEILINGS.some((name) => bound(now, name, Infinity) < bound(before, name, Infinity)) ||
    FLOORS.some((name) => bound(now, name, -Infinity) > bound(before, name, -Infinity))
  )
}

function membersLost(before: JsonMap, now: JsonMap): boolean {
  const needed = listAt(before, 'required')
  if (listAt(now, 'required').some((name) => !needed.includes(name))) return true
  const [was, is] = [mapAt(before, 'properties'), mapAt(now, 'properties')]
  const isOpen = member(now, 'additionalProperties') !== false
  const gone = Object.keys(was).some((name) => !Object.hasOwn(is, name))
  const isClosedNow = !isOpen && member(before, 'additionalProperties') !== false
  if (isClosedNow || (gone && !isOpen)) return true
  const changed = Object.entries(is).some(([name, schema]) => {
    const former = member(was, name)
    return former === undefined ? isNewlyChecked(before, schema) : isNarrowerAt(former, schema)
  })
  return changed || (isOpen && othersNarrower(before, now, 'additionalProperties'))
}

/** A member that was not named before could hold anything, unless it was refused. */
const isNewlyChecked = (before: JsonMap, schema: unknown): boolean =>
  member(before, 'additionalProperties') !== false && isNarrowerAt(member(before, 'additionalProperties') ?? {}, schema)

const othersNarrower = (before: JsonMap, now: JsonMap, name: 'items' | 'additionalProperties'): boolean => {
  const is = member(now, name)
  return is !== undefined && isNarrowerAt(member(before, name) ?? {}, is)
}

const isNarrowerAt = (before: unknown, now: unknown): boolean =>
  isObject(before) && isObject(now) ? isNarrower(before, now) : !same(before, now)
