// Countries and devices of a person's recent sign-ins, with which a new one is compared.
import * as z from 'zod'
import { entity, key, type Stored } from '../../base/table/entity.ts'
import { FORGOTTEN_AFTER_MS } from './rules.ts'
import { arrivalAfter } from './travel.ts'

/** Instants (ms) of the last time, by country code and by family of user agent. */
export const Sightings = z.object({
  tenant_id: z.string(),
  user_id: z.string(),
  countries: z.record(z.string(), z.int()),
  devices: z.record(z.string(), z.int()),
  /** The last sign-in from a country that is known. */
  last: z.object({ country: z.string(), at: z.int() }).optional(),
})
export type Sightings = z.output<typeof Sightings>

export const sightings = entity({
  name: 'SIGHTINGS',
  unbound: 'bounded',
  schema: Sightings,
  key: (of: { tenant_id: string; user_id: string }) => ({
    pk: key('T', of.tenant_id, 'live', 'USER', of.user_id),
    sk: 'SIGHTINGS',
  }),
})

export type Sighting = { country: string | null; device: string; at: number }

const isFresh = (at: number | undefined, now: number) => at !== undefined && at > now - FORGOTTEN_AFTER_MS
const anyFresh = (seen: Record<string, number>, now: number) => Object.values(seen).some((at) => isFresh(at, now))

/** `arrival`: for impossible travel, the earliest instant (ms) at which the person could have been here. */
export type Unusual = { newDevice: boolean; newCountry: boolean; arrival: number | undefined }

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
export function withSighting(
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
