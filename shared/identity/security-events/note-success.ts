// Compares a sign-in with the person's earlier ones, after a correct password or an answer of an identity provider.
import { DAY_MS } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { emailHash, type User } from '../accounts/user.ts'
import { tooManyAttempts } from './block.ts'
import { countryOf } from './country.ts'
import { rememberNetwork } from './known-networks.ts'
import { networkOf } from './network.ts'
import { raise } from './raise.ts'
import { scoreOf } from './rules.ts'
import { compare, type Sighting, sightings, type Unusual, withSighting } from './sightings.ts'
import { recentOccurrences } from './tally.ts'
import { familyOf } from './user-agent.ts'
import { tenantOf } from '../../base/tenant/find.ts'

export type SignInSeen = { user: User; ip: string; user_agent: string }

export type Assessment = {
  /** 0 to 100. */
  score: number
  country: string | null
  demand_second_factor: boolean
}

const addressOf = ({ email, id }: User) => emailHash(email ?? id)

/**
 * Throws 429 for impossible travel where the tenant blocks it. A sign-in is remembered only when it is complete: at once for
 * people without a second factor, otherwise by a call of `rememberSignIn`.
 */
export async function noteSuccess(ctx: Context, seen: SignInSeen & { complete?: boolean }): Promise<Assessment> {
  const { user, ip, user_agent, complete = !user.mfa_enrolled } = seen
  const [failures, before, country] = await Promise.all([
    recentOccurrences(ctx.table, { counted: 'failures', of: addressOf(user) }),
    ctx.table.get(sightings, { tenant_id: user.tenant_id, user_id: user.id }),
    countryOf(ip),
  ])
  const sighting = { country, device: familyOf(user_agent), at: ctx.now() }
  const unusual = compare(before, sighting)
  await report(ctx, seen, sighting, unusual)
  if (complete) await rememberSignIn(ctx, { user, ip, user_agent, country })
  const impossibleTravel = unusual.arrival !== undefined
  return {
    score: scoreOf({ ...unusual, failures: failures.length, impossibleTravel }),
    country,
    demand_second_factor: impossibleTravel,
  }
}

async function report(ctx: Context, seen: SignInSeen, sighting: Sighting, unusual: Unusual): Promise<void> {
  const { user, ip } = seen
  const { device, country } = sighting
  const common = { user, ip, details: { device } }
  const once = (of: string) => ({ of: `${user.id} ${of}`, ms: DAY_MS })
  if (unusual.arrival !== undefined) {
    const { settings } = await tenantOf(ctx.table, user.tenant_id)
    const blocked = settings.block_impossible_travel
    const action_taken = blocked ? 'blocked' : 'second_factor_demanded'
    const finding = { ...common, type: 'impossible_travel', severity: 'high', notify: 'administrators' } as const
    await raise(ctx, { ...finding, action_taken, once: once(`travel ${country}`) })
    if (blocked) throw tooManyAttempts(unusual.arrival - sighting.at, ctx.now())
  }
  const finding = { ...common, severity: 'low', action_taken: 'notified', notify: 'account' } as const
  if (unusual.newCountry) await raise(ctx, { ...finding, type: 'new_country', once: once(`country ${country}`) })
  else if (unusual.newDevice) await raise(ctx, { ...finding, type: 'new_device', once: once(`device ${device}`) })
}

/** Stores a complete sign-in, with which later ones are compared. */
export async function rememberSignIn(ctx: Context, seen: SignInSeen & { country: string | null }): Promise<void> {
  const { user, ip, user_agent, country } = seen
  const of = { tenant_id: user.tenant_id, user_id: user.id }
  const before = await ctx.table.get(sightings, of)
  const next = withSighting(before, of, { country, device: familyOf(user_agent), at: ctx.now() })
  const { tenant_id, user_id, ...all } = next
  await ctx.table.commit([
    rememberNetwork({ address: addressOf(user), network: networkOf(ip) }, ctx.now()),
    sightings.update(of, { set: { ...all, tenant_id, user_id, _type: sightings.name } }),
  ])
}
