// Which events a principal may read. Those that tell of people, money and connected systems need more than the right to
// read executions.
import type { Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { CATALOG, type EventCategory, type EventType } from '../../base/catalog/event-types.ts'

const FOR_EVERY_READER = new Set<EventCategory>(['governance', 'agent', 'evidence', 'compliance', 'protocol'])

/** A scope narrower than `admin` carries `audit:read`, too; only `admin` carries `users:read`. */
const readsAll = ({ kind, permissions }: Principal) =>
  permissions.has('audit:read') && (kind === 'user' || permissions.has('users:read'))

/** The types among the named ones, or among all, that the principal may read. Throws 403 for one that it may not. */
export function readableTypes(principal: Principal, named?: readonly EventType[]): (type: EventType) => boolean {
  const mayRead = (type: EventType) => FOR_EVERY_READER.has(CATALOG[type].category) || readsAll(principal)
  const refused = named?.find((type) => !mayRead(type))
  if (refused) throw forbidden(`Events of type ${refused} need the permission audit:read (scope admin).`)
  return (type) => (named ? named.includes(type) : mayRead(type))
}
