// The rules of a tenant as they are stored: policies with their versions, calendars, its own words (the lexicon), and the routing rules
// that were learnt. Also the version that names a whole set of them.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, padded, spaceKey, type Stored } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Calendars } from './conditions/hours.ts'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Range } from '../../base/table/item-reader.ts'
import { type Kind, TIERS } from '../../base/catalog/kinds.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import type { Policy } from './policy.ts'
import type { GovernanceSettings } from './settings.ts'

export const CALENDARS_MAX = 20
export const CALENDAR_NAME = /^[a-z0-9_-]{1,40}$/

export const isCalendarName = (name: unknown): boolean => typeof name === 'string' && CALENDAR_NAME.test(name)

export const CALENDAR_PREFIX = 'calendar#'

/** A named list of dates, such as holidays, that the working hours of policies name. */
export const StoredCalendar = z.object({
  ...spaceMembers,
  name: z.string(),
  version: z.int(),
  /** `yyyy-mm-dd`, in order. */
  dates: z.array(z.string()),
  note: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
})
export type StoredCalendar = z.output<typeof StoredCalendar>

/** In the partition of the policies, because they are read together. */
export const calendars = entity({
  name: 'CALENDAR',
  unbound: 'proven by itself',
  schema: StoredCalendar,
  key: (of: Space & { name: string }) => ({ pk: spaceKey(of, 'POLICY'), sk: `${CALENDAR_PREFIX}${of.name}` }),
})

/** The dates of each, for conditions. */
export const datesOf = (all: readonly StoredCalendar[]): Calendars =>
  new Map(all.map(({ name, dates }) => [name, new Set(dates)]))

/** The words of a tenant: its own verbs and nouns by kind. One item per mode. */
export const StoredLexicon = z.object({
  ...spaceMembers,
  version: z.int(),
  /** JSON of the words by kind. */
  body: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
})
export type StoredLexicon = z.output<typeof StoredLexicon>

/** In the partition of the policies, because they are read together. */
export const lexicons = entity({
  name: 'LEXICON',
  unbound: 'proven by itself',
  schema: StoredLexicon,
  key: (of: Space) => ({ pk: spaceKey(of, 'POLICY'), sk: 'lexicon' }),
})

export const wordsOf = ({ body }: StoredLexicon): LexiconWords => JSON.parse(body)

/** One version of a policy. */
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

/** All policies of a tenant and mode, without the calendars in the same partition. */
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

type ByKind = Partial<Record<Kind, string[]>>

/** A tenant's own words: verbs and nouns by kind, and nouns that name what is read. */
export type LexiconWords = { verbs: ByKind; nouns: ByKind; read_nouns: string[] }

const countWords = ({ verbs, nouns, read_nouns }: LexiconWords): number =>
  [...Object.values(verbs), ...Object.values(nouns), read_nouns].flat().length

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
const byId = (a: Policy, b: Policy) => (a.policy_id < b.policy_id ? -1 : 1)

/** Rules that tenants may have beside policies and settings. The version leaves out those that a tenant has not. */
export type MoreRules = {
  calendars?: readonly Pick<StoredCalendar, 'name' | 'dates'>[] | undefined
  lexicon?: LexiconWords | undefined
}

/** Identifies the rules of a decision: `sha256:<hex>` over the enabled policies, sorted by id, the settings, and the rest. */
export function policySetVersion(
  all: readonly Policy[],
  settings: GovernanceSettings,
  { calendars: named = [], lexicon }: MoreRules = {},
): string {
  const enabled = all.filter((policy) => policy.enabled).toSorted(byId)
  const dated = named.map(({ name, dates }) => ({ name, dates })).toSorted(byName)
  const more = {
    ...(dated.length > 0 && { calendars: dated }),
    ...(lexicon && countWords(lexicon) > 0 && { lexicon }),
  }
  return `sha256:${sha256Hex(canonicalJson({ policies: enabled, settings, ...more }))}`
}

/**
 * A rule that was learnt about one action and approved by people: a base tier, or the probability below which a model raises it. Only an
 * applied routing update writes one.
 */
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
  /** The hash of the endpoint that it was learnt on; see `endpointHash`. */
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

/** SHA-256 (hex) of the canonical JSON of everything that a rule says. Its artifact holds it. */
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
