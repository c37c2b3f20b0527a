// Describes who may call an operation and what a call records: as security schemes, as extensions and as text.
import { PERMISSIONS, ROLES } from '../../shared/base/catalog/permissions.ts'
import { BODY_BYTES_DEFAULT } from '../../shared/base/wire/parse-body.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import type { JsonSchema } from './json-schema.ts'

/** Undefined for an operation that takes no credential. */
export function accessOf({ access, inPerson, signedIn }: Route) {
  if (access === 'public' || access === 'provider') return undefined
  const { scope, roles } = PERMISSIONS[access]
  const holders = Object.entries(ROLES).filter(([letter]) => roles.includes(letter))
  return { permission: access, scope: inPerson || signedIn ? null : scope, roles: holders.map(([, role]) => role) }
}

/** The operation's `security`. A key may be sent in either form; a token of a person only as a bearer. */
export function securityOf(route: Route): JsonSchema[] {
  const access = accessOf(route)
  if (!access) return []
  const { scope } = access
  return scope ? [{ ApiKey: [scope] }, { Bearer: [scope] }] : [{ Bearer: [] }]
}

/** The artifact types that the operation may record. */
const recordedBy = ({ evidence }: Route): readonly string[] => {
  if (typeof evidence === 'string') return [evidence]
  return 'none' in evidence ? [] : evidence
}

export const changesSomething = (route: Route): boolean => recordedBy(route).length > 0

/** Extensions of the operation, for programs. */
export const extensionsOf = (route: Route): JsonSchema => ({
  'x-access': accessOf(route) ?? null,
  'x-rate-limit-category': route.rate,
  'x-evidence': recordedBy(route),
  'x-events': route.emits ?? [],
})

const CATEGORY = {
  global: 'the windows of the tenant (`global`)',
  ai: 'the windows of the tenant (`ai`)',
  auth: 'the windows of the source address (`auth`)',
  none: 'none, it is never refused',
}

const listed = (names: readonly string[], conjunction: string) =>
  names.map((name) => `\`${name}\``).join(` ${conjunction} `)

/** The facts as text, one paragraph each. */
export function factsOf(route: Route): string[] {
  const { counts, emits = [], bodyBytesMax, host, rate } = route
  return [
    `**Access:** ${accessText(route)}.`,
    `**Rate limit:** ${counts === false ? 'shown, but not counted' : CATEGORY[rate]}.`,
    `**Evidence:** ${listed(recordedBy(route), 'or') || 'none'}.`,
    ...(emits.length > 0 ? [`**Events:** ${listed(emits, '·')}.`] : []),
    ...(bodyBytesMax ? [`**Body:** at most ${bodyBytesMax} bytes instead of ${BODY_BYTES_DEFAULT}.`] : []),
    ...(host === 'both' ? ['**Hosts:** both.'] : []),
  ]
}

function accessText(route: Route): string {
  const access = accessOf(route)
  if (!access) return route.access === 'public' ? 'open to everybody' : 'the signature of the provider'
  const keys = access.scope ? `keys with scope ${listed([...new Set([access.scope, 'admin'])], 'or')}` : 'no key'
  const roles = access.roles.length > 0 ? `roles ${access.roles.join(', ')}` : 'no role'
  const inPerson = route.inPerson ? '; in person, with a second factor shown within ten minutes' : ''
  const unverified = route.whileUnverified ? '; also before the address is verified' : ''
  return `permission \`${access.permission}\` (${keys}; ${roles}${inPerson}${unverified})`
}
