// Stored policies: the current version of each, all versions, and the active pointer.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, padded, spaceKey, type Stored } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Range } from '../../base/table/range.ts'
import { type StoredCalendar, calendars } from './stored-calendar.ts'
import { lexicons, type StoredLexicon } from './stored-lexicon.ts'

export const StoredPolicy = z.object({
  ...spaceMembers,
  policy_id: z.string(),
  version: z.int(),
  name: z.string(),
  enabled: z.boolean(),
  /** The canonical JSON of the policy. */
  body: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
})
export type StoredPolicy = z.output<typeof StoredPolicy>

const policiesPartition = (space: Space): string => spaceKey(space, 'POLICY')

export const POLICY_PREFIX = 'pol_'

/** All policies of a tenant and mode, without the calendars that stand beside them. */
export const policiesOf = (space: Space): Range => ({ pk: policiesPartition(space), prefix: POLICY_PREFIX })

/** The current version of each policy. One partition holds all of a tenant and mode, because they are read together. */
export const policies = entity({
  name: 'POLICY',
  unbound: 'proven by itself',
  schema: StoredPolicy,
  key: (of: Space & { policy_id: string }) => ({ pk: policiesPartition(of), sk: of.policy_id }),
})

type Rule = { policy: Stored<StoredPolicy> } | { calendar: Stored<StoredCalendar> } | { lexicon: Stored<StoredLexicon> }

/** Everything in the partition of the policies, which is read at once. */
export const rules = {
  key: policies.key,
  decode(attributes: Record<string, AttributeValue>): Rule {
    const type = attributes._type?.S
    if (type === calendars.name) return { calendar: calendars.decode(attributes) }
    return type === lexicons.name ? { lexicon: lexicons.decode(attributes) } : { policy: policies.decode(attributes) }
  },
}

export const rulesOf = (space: Space): Range => ({ pk: policiesPartition(space) })

/** Every version of each policy. A version never changes. */
export const policyVersions = entity({
  name: 'POLICYVERSION',
  unbound: 'proven by itself',
  schema: StoredPolicy,
  key: (of: Space & { policy_id: string; version: number }) => ({
    pk: spaceKey(of, 'POLICYVERSIONS', of.policy_id),
    sk: padded(of.version),
  }),
})
