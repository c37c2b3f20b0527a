// The rules that turn messages of a provider into requests of actions, with their authors. Both are sealed: nobody asks for
// anything by writing a rule into the table, or approves what their own rule asks for.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { textSeal } from '../../ledger/sealing/seal.ts'
import { Actor } from './connection.ts'
import type { Inbound } from './connector.ts'
import { type KnownConnector, rowOf } from './known-connector.ts'
import { Failure } from '../../base/lib/failure.ts'
import { users } from '../../identity/accounts/user.ts'
import { findKey } from '../../identity/access/key-view.ts'

const Authored = z.object({ rules: z.string(), by: Actor, persons: z.array(z.string()) })

const seal = textSeal('inbound_sealed')

type Place = { id: string; own: boolean }

/** Members of the row, with the author of the rules sealed in: the author could have sent the messages that fit them. */
export async function inboundParts({ space, principal }: Context, place: Place, inbound: Inbound[]) {
  if (inbound.length === 0) return { inbound, inbound_sealed: undefined }
  const { kind: type, id, persons } = principal
  const authored = { rules: canonicalJson(inbound), by: { type, id }, persons: [...persons] }
  return { inbound, inbound_sealed: await seal.seal(space, rowOf(space, place), JSON.stringify(authored)) }
}

type Rules = { rules: readonly Inbound[]; persons: readonly string[] }
const NONE: Rules = { rules: [], persons: [] }

/** None when the rules in the row are not those that were sealed, and once their author has no access any more. */
export async function rulesOf(ctx: Context, { id, own, inbound, inbound_sealed }: KnownConnector): Promise<Rules> {
  if (inbound_sealed === undefined) return NONE
  const text = await seal.open(ctx.space, rowOf(ctx.space, { id, own: own !== undefined }), inbound_sealed)
  const { rules, by, persons } = Authored.parse(JSON.parse(text))
  return rules === canonicalJson(inbound) && (await isStillHere(ctx, by)) ? { rules: inbound, persons } : NONE
}

/** Whether somebody still has access here: once a person has none, nothing acts in their name any more. */
export async function isStillHere(ctx: Context, { type, id }: Actor): Promise<boolean> {
  if (type === 'user') return isActive(ctx, id)
  if (type !== 'api_key') return true
  const key = await findKey(ctx, id).catch(missing)
  // A key of the tenant outlives its maker, and so does what was made with it.
  return key !== undefined && (key.service || isActive(ctx, key.created_by))
}

const isActive = async ({ table, space }: Context, id: string): Promise<boolean> =>
  (await table.get(users, { tenant_id: space.tenant_id, id }))?.status === 'active'

export const missing = (error: unknown): undefined => {
  if (error instanceof Failure && error.kind === 'not_found') return undefined
  throw error
}
