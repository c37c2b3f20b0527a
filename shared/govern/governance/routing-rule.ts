// What was learnt about one action and approved by people: a base tier, or the probability below which a model raises it. Only an
// applied routing update writes one.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const RoutingRule = z.object({
  ...spaceMembers,
  node_id: z.string(),
  action_id: z.string(),
  /** Of the rule; grows with each update that is applied. */
  version: z.int(),
  base_tier: z.enum(TIERS).optional(),
  /** Below which probability of an approval the model raises. */
  raise_below: z.number().optional(),
  /** The update that wrote this version. */
  update_id: z.string(),
  /** Of the endpoint that it was learnt on; see `endpointHash`. */
  endpoint_sha256: z.string(),
  /** From then on it no longer loosens, swept or not. Absent where it loosens nothing. */
  valid_until: z.string().optional(),
  /** The artifact of its application, which holds the digest of all of the above. */
  artifact_id: z.string(),
})
export type RoutingRule = z.output<typeof RoutingRule>

/** A request names an action before anybody knows it, so any text of an action must make a key. */
export const routingRules = entity({
  name: 'ROUTINGRULE',
  unbound: 'proven by artifacts',
  schema: RoutingRule,
  key: (of: Space & { node_id: string; action_id: string }) => ({
    pk: spaceKey(of, 'ROUTING'),
    sk: `${of.node_id}#${of.action_id}`,
  }),
})

/** Of all that a rule says: SHA-256 (hex) of its canonical JSON. */
export function ruleDigest(rule: RoutingRule): string {
  const { tenant_id, mode, node_id, action_id, version, base_tier } = rule
  const { raise_below, update_id, endpoint_sha256, valid_until } = rule
  const said = { tenant_id, mode, node_id, action_id, version, base_tier, raise_below, update_id }
  return sha256Hex(canonicalJson({ ...said, endpoint_sha256, valid_until }))
}

/** Whether it was learnt on this very endpoint and its time is not over. */
export const isCurrent = (
  { endpoint_sha256, valid_until }: RoutingRule,
  now: { endpoint_sha256: string; at: number },
): boolean => endpoint_sha256 === now.endpoint_sha256 && (valid_until === undefined || now.at < Date.parse(valid_until))
