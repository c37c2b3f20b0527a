// What a manifest declares. Its input schema gives members of a payload a role: the keyword `x-countersign` maps JSON pointers to roles;
// formats, methods in an enum and descriptions add more. Its annotations set floors. Roles only add checks, and floors only raise.
import { type Role, roleOf } from './fields.ts'
import { WRITING_METHODS } from '../programs/requests.ts'
import type { Endpoint } from '../endpoint.ts'
import { type Kind, KINDS, maxTier, type Tier } from '../../../base/catalog/kinds.ts'

export const MAPPING_KEYWORD = 'x-countersign'

/** The words that authors map members to. A link counts as the place to which something is sent. */
const ROLES = {
  sql: 'sql',
  command: 'shell',
  recipient: 'recipient',
  amount: 'amount',
  url: 'recipient',
  method: 'method',
} as const satisfies Record<string, Role>

/** The members at `steps`; `*` means each element of a list. */
export type DeclaredRole = { steps: readonly string[]; role: Role }

type Schema = Readonly<Record<string, unknown>>

const ENTRIES_MAX = 100
const DEPTH_MAX = 16

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPointer = (pointer: string) => pointer.startsWith('/') && !/~(?![01])/.test(pointer)

const stepsOf = (pointer: string) =>
  pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const isRole = (word: unknown): word is keyof typeof ROLES => typeof word === 'string' && Object.hasOwn(ROLES, word)

/** What is wrong with a mapping, by its place in the schema. */
export function mappingProblems(schema: Schema): { path: string[]; message: string }[] {
  const mapping = schema[MAPPING_KEYWORD]
  if (mapping === undefined) return []
  if (!isObject(mapping)) return [{ path: [MAPPING_KEYWORD], message: 'must map JSON pointers to roles' }]
  const entries = Object.entries(mapping)
  if (entries.length > ENTRIES_MAX)
    return [{ path: [MAPPING_KEYWORD], message: `must not hold more than ${ENTRIES_MAX} entries` }]
  return entries.flatMap(([pointer, word]) => {
    const path = [MAPPING_KEYWORD, pointer]
    if (!isPointer(pointer)) return [{ path, message: 'must be a JSON pointer, such as /order/amount' }]
    return isRole(word) ? [] : [{ path, message: `must be one of ${Object.keys(ROLES).join(', ')}` }]
  })
}

const methods: ReadonlySet<string> = new Set(WRITING_METHODS.split(' '))

const SAID: readonly [RegExp, Role][] = [
  [/\b(?:shell|bash|powershell|terminal) (?:command|script)|\bcommand line\b/i, 'shell'],
  [/\bsql\b/i, 'query'],
]

/** The role that the schema of one member gives it. Its name is read with the payload. */
function roleIn({ format, enum: choices, description, type }: Schema): Role | undefined {
  if (format === 'email' || format === 'idn-email') return 'recipient'
  if (Array.isArray(choices)) {
    const names = choices.filter((choice) => typeof choice === 'string').map((choice) => choice.toLowerCase())
    return names.includes('get') && names.some((name) => methods.has(name)) ? 'method' : undefined
  }
  if (typeof description !== 'string' || (type !== undefined && type !== 'string')) return undefined
  return SAID.find(([said]) => said.test(description))?.[1]
}

function* rolesBelow(schema: Schema, steps: readonly string[]): Generator<DeclaredRole> {
  if (steps.length > DEPTH_MAX) return
  const role = roleIn(schema)
  if (role && steps.length > 0) yield { steps, role }
  if (isObject(schema['items'])) yield* rolesBelow(schema['items'], [...steps, '*'])
  if (!isObject(schema['properties'])) return
  for (const [name, member] of Object.entries(schema['properties'])) {
    if (isObject(member)) yield* rolesBelow(member, [...steps, name])
  }
}

/** All roles that an input schema gives. */
export function declaredRoles(schema: Schema | undefined): DeclaredRole[] {
  if (!schema) return []
  const mapping = schema[MAPPING_KEYWORD]
  const mapped = isObject(mapping)
    ? Object.entries(mapping).flatMap(([pointer, word]) =>
        isRole(word) ? { steps: stepsOf(pointer), role: ROLES[word] } : [],
      )
    : []
  return [...mapped, ...rolesBelow(schema, [])]
}

/** Whether the action cannot be called without a command: then it runs one, even if its name says otherwise. */
export function requiresCommand(schema: Schema | undefined, roles: readonly DeclaredRole[]): boolean {
  const required = Array.isArray(schema?.['required']) ? schema['required'] : []
  const isCommand = (name: unknown) =>
    typeof name === 'string' &&
    (roleOf(name) === 'shell' ||
      roles.some(({ steps, role }) => role === 'shell' && steps.length === 1 && steps[0] === name))
  return required.some(isCommand)
}

/** One reason of a decision. `floor` is the tier that this signal alone asks for. */
export type Reason = { signal: string; value?: string; floor?: Tier }

/** A reason with the floor HARD, when it holds. */
export const hard = (signal: string, holds: boolean): Reason[] => (holds ? [{ signal, floor: 'HARD' }] : [])

/**
 * The floors that a manifest declares, given the kind that its action was classified as. They only raise the tier: a hint that an action
 * is harmless is ignored.
 */
export function declaredFloors(endpoint: Endpoint, kind: Kind): Reason[] {
  const { approval_required, min_tier, annotations = {} } = endpoint
  const floors: Reason[] = []
  if (approval_required) floors.push({ signal: 'approval_required', floor: 'HARD' })
  if (min_tier) floors.push({ signal: 'min_tier', floor: min_tier })
  if (annotations.destructiveHint) floors.push({ signal: 'destructive_hint', floor: 'HARD' })
  if (annotations.openWorldHint && KINDS[kind].tier !== 'AUTO')
    floors.push({ signal: 'open_world_hint', floor: 'HARD' })
  if (annotations.readOnlyHint === false) floors.push({ signal: 'not_read_only', floor: 'SOFT' })
  return floors
}

/** The tier that the hints suggest; undefined without hints. It counts as an opinion, not as a floor. */
export function hintedTier({ annotations = {} }: Endpoint): Tier | undefined {
  const { readOnlyHint, destructiveHint } = annotations
  if (readOnlyHint === undefined && destructiveHint === undefined) return undefined
  return maxTier(destructiveHint ? 'HARD' : undefined, readOnlyHint === false ? 'SOFT' : undefined)
}
