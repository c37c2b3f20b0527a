// Compares a sign-in with the person's earlier ones, after a correct password or an answer of an identity provider: is the device
// new, or the country, or can the person not have travelled there in the time?
import { DAY_MS, HOUR_MS } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { emailHash, type User } from '../accounts/user.ts'
import { FORGOTTEN_AFTER_MS, scoreOf, tooManyAttempts } from './block.ts'
import { countryOf } from './country.ts'
import { networkOf, rememberNetwork } from './attempts.ts'
import { raise } from './raise.ts'
import { recentOccurrences } from './tally.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import * as z from 'zod'
import { entity, key, type Stored } from '../../base/table/entity.ts'
import { CENTROIDS } from './centroids.ts'

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

/** In the order of matching: most browsers also name the browsers they descend from. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b|\biPod\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const FAMILY_MAX = 60
/** Names end up as members of objects, so none begins like `__proto__`. */
const PRODUCT = /^([A-Za-z0-9.-][A-Za-z0-9._-]*)/

const nameOf = (table: readonly (readonly [RegExp, string])[], agent: string) =>
  table.find(([pattern]) => pattern.test(agent))?.[1]

/**
 * The family of a client: `Chrome on Windows`, `curl`, `unknown`. It has no version, so that an update is no new device. It is for
 * display, never a secret and never trusted.
 */
export function familyOf(userAgent: string): string {
  const program = nameOf(PROGRAMS, userAgent) ?? PRODUCT.exec(userAgent)?.[1] ?? 'unknown'
  const system = nameOf(SYSTEMS, userAgent)
  return (system ? `${program} on ${system}` : program).slice(0, FAMILY_MAX)
}

/**
 * Countries and devices of a person's recent sign-ins, with which a new one is compared: instants (ms) of the last time, by country
 * code and by family of user agent.
 */
export const Sightings = z.object({
  tenant_id: z.string(),
  user_id: z.string(),
  countries: z.record(z.string(), z.int()),
  devices: z.record(z.string(), z.int()),
  /** The last sign-in from a country that is known. */
  last: z.object({ country: z.string(), at: z.int() }).optional(),
})
export type Sightings = z.output<typeof Sightings>

const sightings = entity({
  name: 'SIGHTINGS',
  unbound: 'bounded',
  schema: Sightings,
  key: (of: { tenant_id: string; user_id: string }) => ({
    pk: key('T', of.tenant_id, 'live', 'USER', of.user_id),
    sk: 'SIGHTINGS',
  }),
})

type Sighting = { country: string | null; device: string; at: number }

const isFresh = (at: number | undefined, now: number) => at !== undefined && at > now - FORGOTTEN_AFTER_MS
const anyFresh = (seen: Record<string, number>, now: number) => Object.values(seen).some((at) => isFresh(at, now))

/** `arrival`: for impossible travel, the earliest instant (ms) at which the person could have been here. */
type Unusual = { newDevice: boolean; newCountry: boolean; arrival: number | undefined }

/** Without earlier sign-ins nothing is unusual. */
export function compare(seen: Sightings | undefined, { country, device, at }: Sighting): Unusual {
  const { countries = {}, devices = {}, last } = seen ?? {}
  const arrival = last && country ? arrivalAfter(last, country) : undefined
  return {
    newDevice: anyFresh(devices, at) && !isFresh(devices[device], at),
    newCountry: country !== null && anyFresh(countries, at) && !isFresh(countries[country], at),
    arrival: arrival !== undefined && arrival > at ? arrival : undefined,
  }
}

/** The stored sightings with this one added and outdated ones left out. */
function withSighting(
  seen: Stored<Sightings> | undefined,
  of: { tenant_id: string; user_id: string },
  { country, device, at }: Sighting,
): Sightings {
  const fresh = (all: Record<string, number> = {}) =>
    Object.fromEntries(Object.entries(all).filter(([, when]) => isFresh(when, at)))
  const last = country === null ? seen?.last : { country, at }
  return {
    ...of,
    countries: { ...fresh(seen?.countries), ...(country !== null && { [country]: at }) },
    devices: { ...fresh(seen?.devices), [device]: at },
    ...(last && { last }),
  }
}

const EARTH_KM = 6_371
/** Up to this distance travel is never impossible, because borders are closer than centres. */
const DISTANCE_KM_MIN = 500
/** About as fast as an airliner. */
const SPEED_KMH_MAX = 900

/** Between the centres of two countries by the great circle (km); undefined when one of them is not known. */
export function distanceKm(one: string, other: string): number | undefined {
  const [from, to] = [CENTROIDS[one], CENTROIDS[other]]
  if (!from || !to) return undefined
  const [lat1, lon1, lat2, lon2] = [...from, ...to].map((degrees) => (degrees * Math.PI) / 180) as Degrees
  const half = Math.sin((lat2 - lat1) / 2) ** 2 + Math.cos(lat1) * Math.cos(lat2) * Math.sin((lon2 - lon1) / 2) ** 2
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(half)))
}

/** Latitude and longitude of two points. */
type Degrees = [number, number, number, number]

export type Seen = { country: string; at: number }

/**
 * The first instant (ms) at which a person can have travelled from the last sign-in to a country; undefined when they can have been
 * there at once. Countries count as points, so only large distances are judged.
 */
export function arrivalAfter(last: Seen, country: string): number | undefined {
  const distance = distanceKm(last.country, country)
  if (distance === undefined || distance <= DISTANCE_KM_MIN) return undefined
  return last.at + Math.ceil((distance / SPEED_KMH_MAX) * HOUR_MS)
}
