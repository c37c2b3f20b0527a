// Logout handles: they connect the name of a sign-in at the identity provider with the sessions here, for single logout.
import * as z from 'zod'
import { hashOf } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

/** The longest life of a session, and of a grant to an OAuth client that was given at its end. */
const LIFE_MS = 60 * DAY_MS
const HASH_LENGTH = 22

const SloHandle = z.object({
  tenant_id: z.string(),
  person: z.string(),
  sign_in: z.string(),
  user_id: z.string(),
  name_id: z.string(),
  session_index: z.string().optional(),
  expires_at: z.string(),
  /** When the provider last ended this sign-in. A later one may bear the same name. */
  ended_at: z.string().optional(),
})
export type SloHandle = z.output<typeof SloHandle>

const partition = (tenant_id: string, person: string) => spaceKey({ tenant_id, mode: 'live' }, 'SLO', person)

export const sloHandles = entity({
  name: 'SLO',
  unbound: 'bounded',
  schema: SloHandle,
  key: (of: { tenant_id: string; person: string; sign_in: string }) => ({
    pk: partition(of.tenant_id, of.person),
    sk: of.sign_in,
  }),
  ttl: ({ expires_at }) => Math.ceil(Date.parse(expires_at) / 1_000),
})

/** `issuer`: entity id of the provider. Without `session_index`: all sign-ins of the person. */
export type Named = { issuer: string; name_id: string; session_index?: string | undefined }

const short = (...parts: string[]) => hashOf(JSON.stringify(parts)).slice(0, HASH_LENGTH)
const personOf = ({ issuer, name_id }: Named) => short(issuer, name_id.toLowerCase())

/** The reference to a handle that a session stores. */
export const sloKeyOf = ({ person, sign_in }: Pick<SloHandle, 'person' | 'sign_in'>): string => `${person}.${sign_in}`

export function newHandle(ctx: Context, user_id: string, named: Named): SloHandle {
  const { name_id, session_index } = named
  return {
    tenant_id: ctx.space.tenant_id,
    person: personOf(named),
    sign_in: short(session_index ?? ''),
    user_id,
    name_id,
    session_index,
    expires_at: iso(ctx.now() + LIFE_MS),
  }
}

/** Written outside of a transaction, because a handle of an earlier sign-in with the same index has the same content. */
export async function keepHandle({ table }: Context, handle: SloHandle): Promise<void> {
  const { key, ttl, name } = sloHandles
  await table.update(key(handle), { set: { ...handle, _type: name, _v: 1, _ttl: ttl?.(handle) } })
}

/** From now on nothing that rests on the sign-in is accepted, also what an index does not list yet. */
export const endHandle = ({ table }: Context, handle: SloHandle): Promise<void> =>
  table.update(sloHandles.key(handle), {
    set: { ended_at: iso(table.clock.now()) },
    condition: { expression: 'attribute_exists(pk)' },
  })

/** Whether the provider has ended a sign-in since the Unix second `since`, or within it. */
export async function hasEndedSince(
  table: Table,
  { tenant_id, slo_key, since }: { tenant_id: string; slo_key: string; since: number },
): Promise<boolean> {
  const of = handleKey(tenant_id, slo_key)
  const handle = of && (await table.get(sloHandles, of))
  return handle?.ended_at !== undefined && since * 1_000 <= Date.parse(handle.ended_at)
}

/** The sign-ins of a person at the provider; with `session_index` that one alone. */
export async function handlesOf({ table, space }: Context, named: Named): Promise<SloHandle[]> {
  const person = personOf(named)
  const all = await table.query(sloHandles, { pk: partition(space.tenant_id, person) })
  const { session_index } = named
  return session_index === undefined ? all : all.filter((one) => one.session_index === session_index)
}

/** The key of a session's handle. */
export function handleKey(tenant_id: string, slo_key: string): Parameters<typeof sloHandles.key>[0] | undefined {
  const [person, sign_in] = slo_key.split('.')
  return person && sign_in ? { tenant_id, person, sign_in } : undefined
}
