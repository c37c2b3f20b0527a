// Checks whether a person can have travelled between two countries since their last sign-in. Countries count as points, so
// only large distances are judged.
import { HOUR_MS } from '../../base/lib/clock.ts'
import { CENTROIDS } from './centroids.ts'

const EARTH_KM = 6_371
/** Up to this distance travel is never impossible, because borders are closer than centres. */
const DISTANCE_KM_MIN = 500
/** About as fast as an airliner. */
const SPEED_KMH_MAX = 900

/** Between the centres of two countries by the great circle (km); undefined when one of them is not known. */
export function distanceKm(one: string, other: string): number | undefined {
  const [from, to] = [CENTROIDS[one], CENTROIDS[other]]
  if (!from || !to) return undefined
  const [lat1, lon1, lat2, lon2] = [...from, ...to].map((degrees) => (degrees * Math.PI) / 180) as Point2
  const half = Math.sin((lat2 - lat1) / 2) ** 2 + Math.cos(lat1) * Math.cos(lat2) * Math.sin((lon2 - lon1) / 2) ** 2
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(half)))
}

type Point2 = [number, number, number, number]

export type Seen = { country: string; at: number }

/** The first instant (ms) at which the way between two sightings is no longer impossible; undefined when it never was. */
export function arrivalAfter(last: Seen, country: string): number | undefined {
  const distance = distanceKm(last.country, country)
  if (distance === undefined || distance <= DISTANCE_KM_MIN) return undefined
  return last.at + Math.ceil((distance / SPEED_KMH_MAX) * HOUR_MS)
}
