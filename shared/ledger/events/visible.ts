// Which events a principal may read. Events about people, money and connected systems need more than the right to read
// executions.
import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { CATALOG, type EventCategory, type EventType } from '../../base/catalog/event-types.ts'

const FOR_EVERY_READER = new Set<EventCategory>(['governance', 'agent', 'evidence', 'compliance', 'protocol'])

/** For keys `users:read` is tested, because only the scope `admin` has it, while a narrower scope has `audit:read`. */
const readsAll = ({ kind, permissions }: Principal) =>
  permissions.has('audit:read') && (kind === 'user' || permissions.has('users:read'))

/** A test for the types that the principal may read, among the named ones or all. Throws 403 for a named type it may not. */
export function readableTypes(principal: Principal, named?: readonly EventType[]): (type: EventType) => boolean {
  const mayRead = (type: EventType) => FOR_EVERY_READER.has(CATALOG[type].category) || readsAll(principal)
  const refused = named?.find((type) => !mayRead(type))
  if (refused) throw forbidden(`You need the permission audit:read (scope admin) for events of type ${refused}.`)
  return (type) => (named ? named.includes(type) : mayRead(type))
}
