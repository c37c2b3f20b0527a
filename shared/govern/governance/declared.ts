// Floors that the manifest's author declares. They only raise the tier: a hint that an action is harmless is ignored.
import type { Endpoint } from './endpoint.ts'
import { KINDS, type Kind, maxTier, type Tier } from '../../base/catalog/kinds.ts'

/** One reason of a decision. `floor` is the tier that this signal alone asks for. */
export type Reason = { signal: string; value?: string; floor?: Tier }

/** A reason with the floor HARD, when it holds. */
export const hard = (signal: string, holds: boolean): Reason[] => (holds ? [{ signal, floor: 'HARD' }] : [])

/** The floors that a manifest declares, given the kind that its action was classified as. */
export function declaredFloors(endpoint: Endpoint, kind: Kind): Reason[] {
  const { approval_required, min_tier, annotations = {} } = endpoint
  const floors: Reason[] = []
  if (approval_required) floors.push({ signal: 'approval_required', floor: 'HARD' })
  if (min_tier) floors.push({ signal: 'min_tier', floor: min_tier })
  if (annotations.destructiveHint) floors.push({ signal: 'destructive_hint', floor: 'HARD' })
  if (annotations.openWorldHint && KINDS[kind].tier !== 'AUTO')
    floors.push({ signal: 'open_world_hint', floor: 'HARD' })
  if (annotations.readOnlyHint === false) floors.push({ signal: 'not_read_only', floor: 'SOFT' })
  return floors
}

/** The tier that the hints suggest; undefined without hints. It counts as an opinion, not as a floor. */
export function hintedTier({ annotations = {} }: Endpoint): Tier | undefined {
  const { readOnlyHint, destructiveHint } = annotations
  if (readOnlyHint === undefined && destructiveHint === undefined) return undefined
  return maxTier(destructiveHint ? 'HARD' : undefined, readOnlyHint === false ? 'SOFT' : undefined)
}
