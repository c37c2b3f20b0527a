// The networks from which an e-mail address signed in. Stored by address and not by account, so that a look-up costs the same
// whether or not there is an account.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { hashOfKey } from './block.ts'
import { KNOWN_NETWORK_MS } from './rules.ts'

type KnownKey = { address: string; network: string }

const knownNetworks = entity({
  name: 'KNOWNNETWORK',
  unbound: 'bounded',
  schema: z.object({
    /** ms. */
    at: z.int(),
  }),
  key: ({ address, network }: KnownKey) => ({
    pk: key('COUNTER', 'known-network', address, hashOfKey(network)),
    sk: 'C',
  }),
})

/** Whether somebody signed in with this address (its hash) from this network lately. */
export async function isKnownNetwork(ctx: Context, of: KnownKey): Promise<boolean> {
  const found = await ctx.table.get(knownNetworks, of)
  return found !== undefined && found.at > ctx.now() - KNOWN_NETWORK_MS
}

export const rememberNetwork = (of: KnownKey, now: number): Write =>
  knownNetworks.update(of, {
    set: { at: now, _type: knownNetworks.name, _ttl: Math.ceil((now + KNOWN_NETWORK_MS) / 1_000) },
  })
