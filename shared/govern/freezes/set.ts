// Sets a freeze. It is in force with this commit: every later request reads it, and an action that was decided on before commits within
// two seconds or is decided on again.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import {
  type ActiveFreeze,
  addressesOf,
  FREEZES_BYTES_MAX,
  FREEZES_MAX,
  FreezeScope,
  readFreezes,
} from '../governance/freeze.ts'
import { moveFreezes } from '../governance/governance.ts'
import { storedTexts } from '../governance/pii/stored-text.ts'
import { builtInNode, findLatest } from '../manifests/load.ts'
import type { Endpoint } from '../manifests/manifest.ts'
import { findPointer } from '../governance/settings.ts'
import { freezeChange } from './lift.ts'
import { type Freeze, freezes } from './freeze.ts'
import { keyRefs } from '../../identity/access/api-key.ts'
import { users } from '../../identity/accounts/user.ts'
import { findClient } from '../../identity/oauth/clients/client.ts'
import { nodeHeads } from '../manifests/node.ts'

export const SetFreezeBody = z.strictObject({
  scope: FreezeScope,
  reason: z.string().min(1).max(500).describe('The reason, for people.'),
})
export type SetFreezeBody = z.output<typeof SetFreezeBody>

/**
 * Afterwards no action in the scope begins, until a person lifts the freeze; calls that have begun end as they do. Throws 422 for a node or
 * caller that does not exist, since such a freeze would stop nothing; 409 beyond 20 freezes. The addresses that it also stops are read
 * from the frozen nodes, never taken from the caller. A concurrent change lets it run again; each call sets a freeze of its own.
 */
export async function setFreeze(ctx: Context, body: SetFreezeBody): Promise<Freeze> {
  const unknown = await unknownIn(ctx, body.scope)
  if (unknown) throw invalid(['scope', unknown.member, unknown.index], unknown.message)
  const { reason } = await storedTexts(ctx, { reason: body.reason })
  const { kind: type, id: by } = ctx.principal
  const freeze: Freeze = {
    ...ctx.space,
    id: ctx.id('frz'),
    status: 'active',
    scope: body.scope,
    reason,
    set_by: { type, id: by },
    set_at: iso(ctx.now()),
  }
  const endpoints = await endpointsOf(ctx, body.scope)
  return retryWhenChanged(() => put(ctx, freeze, endpoints))
}

/** Those of the present versions: a later version of a frozen node cannot run, and removes no address from the freeze. */
async function endpointsOf({ table, space }: Context, { node_ids = [] }: FreezeScope): Promise<Endpoint[]> {
  const found = await Promise.all(node_ids.map((id) => findLatest(table, space, id)))
  return found.flatMap(({ latest }) => latest?.node.endpoints ?? [])
}

const isTooLong = (active: readonly ActiveFreeze[]) => Buffer.byteLength(JSON.stringify(active)) > FREEZES_BYTES_MAX

async function put(ctx: Context, freeze: Freeze, endpoints: readonly Endpoint[]): Promise<Freeze> {
  const { id, scope } = freeze
  const pointer = await findPointer(ctx.table, ctx.space)
  const before = readFreezes(pointer)
  const withAddresses = (addresses: string[]) => [...before, { id, scope, ...(addresses.length > 0 && { addresses }) }]
  const exact = withAddresses(addressesOf(endpoints))
  const active = isTooLong(exact) ? withAddresses(addressesOf(endpoints, 0)) : exact
  if (active.length > FREEZES_MAX)
    throw conflict(`${FREEZES_MAX} freezes are in force, which is the limit. Lift one first, or set a wider one.`)
  if (isTooLong(active))
    throw conflict('The freezes in force name too much. Lift one first, or set a wider one, such as a whole tenant.')
  await ctx.table.commit(
    [moveFreezes(pointer, active, new ChangedMeanwhile()), freezes.insert(freeze), ...freezeChange(ctx, freeze, 'set')],
    id,
  )
  return freeze
}

/** A freeze of something that does not exist stops nothing, while the person who set it believes that it does. */
type Unknown = { member: 'node_ids' | 'principals'; index: number; message: string }

async function unknownIn(ctx: Context, scope: FreezeScope): Promise<Unknown | undefined> {
  const node = await firstMissing(scope.node_ids, (id) => isNode(ctx, id))
  if (node !== undefined) return { member: 'node_ids', index: node, message: 'is no registered node' }
  const caller = await firstMissing(scope.principals, (id) => isCaller(ctx, id))
  if (caller === undefined) return undefined
  return { member: 'principals', index: caller, message: 'is no person, API key or OAuth client of your tenant' }
}

async function firstMissing(ids: readonly string[] = [], exists: (id: string) => Promise<boolean>) {
  const found = await Promise.all(ids.map(exists))
  const index = found.indexOf(false)
  return index < 0 ? undefined : index
}

const isNode = async ({ table, space }: Context, node_id: string) =>
  builtInNode(node_id) !== undefined || (await table.get(nodeHeads, { ...space, node_id })) !== undefined

async function isCaller({ table, space }: Context, id: string): Promise<boolean> {
  const of = { tenant_id: space.tenant_id, id }
  const [key, person, client] = await Promise.all([table.get(keyRefs, of), table.get(users, of), findClient(table, id)])
  return key !== undefined || person !== undefined || client?.tenant_id === space.tenant_id
}
