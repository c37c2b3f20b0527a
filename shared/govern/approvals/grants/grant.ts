// A grant: the approver permits further runs of the same action, with the same payload, until it expires. The artifact of the
// approval commits to its terms, so a grant that somebody wrote to the table lets nothing run. Which requests it serves is here, too.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../../base/lib/json.ts'
import { firstId } from '../../../base/lib/ids.ts'
import { bound } from '../../../base/table/bound.ts'
import { key, spaceKey } from '../../../base/table/entity.ts'
import { resourceMembers } from '../../../base/table/members.ts'
import { hex, payloadCommitment } from '../../../ledger/evidence/artifact/hashes.ts'
import type { Execution } from '../../executions/execution.ts'
import { ALLOW_MAX_S } from '../../governance/rule-terms.ts'
import { totalOf } from '../../governance/payload/amounts.ts'
import type { Inspection } from '../../governance/payload/signals.ts'

const Actor = z.object({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
  id: z.string().describe('Id of the caller.'),
})

/** The signals in the payload of the approved action. A repeat may have less of each, never more. */
const Ceiling = z.object({
  risk: z.number(),
  /** The amounts of a list together. */
  amount: z.number().optional(),
  currency: z.string().optional(),
  recipients: z.number(),
  bulk_count: z.number(),
  external_domains: z.array(z.string()),
  url_hosts: z.array(z.string()).default([]),
  pii: z.array(z.string()),
  /** Names of signals that were found or could not be read. */
  flags: z.array(z.string()),
})
type Ceiling = z.output<typeof Ceiling>

export const Grant = z.object({
  ...resourceMembers,
  approval_id: z.string().describe('Id of the approval.'),
  granted_by: z.array(Actor).describe('Who approved, and allowed the action for a while.'),
  requested_by: Actor.describe('The caller that requested it.'),
  /** The OAuth client through which a person requested the approved action. */
  client_id: z.string().optional().describe('Id of the OAuth client.'),
  /** The agent bound to the credential; absent when none is. */
  agent_id: z
    .string()
    .optional()
    .describe('Id of the agent, which is bound to the credential or stated in the request.'),
  node_id: z.string().describe('Id of the node.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  manifest_sha256: z.string().describe('SHA-256 of the canonical manifest, hex.'),
  policy_set_version: z.string().describe('The version of the policy set and settings that decided.'),
  /** The policies that asked for the approval. */
  policy_ids: z.array(z.string()).describe('Ids of the policies that fired.'),
  ceiling: Ceiling,
  /** HMAC of the payload without the members that may differ. */
  pinned: z.string(),
  free: z
    .array(z.string())
    .describe(
      'JSON pointers of the members of the payload that may differ. The rest is the same as what was approved.',
    ),
  /** The approved numbers that may be smaller, by JSON pointer. */
  at_most: z.record(z.string(), z.number()),
  max_uses: z.int().describe('How often the action may run under it.'),
  created_at: z.string().describe('When it was created.'),
  expires_at: z.string().describe('When it expires.'),
  /** Hex; keeps the terms in the artifact from being guessed. */
  salt: z.string(),
  /** Of the approval. */
  artifact_id: z.string(),
  uses: z.int().describe('How often the action ran under it.'),
  revoked_at: z.string().optional().describe('When somebody ended it.'),
  revoked_by: Actor.optional().describe('Who ended it.'),
})
export type Grant = z.output<typeof Grant>

/** A grant whose approval has no artifact yet. */
export type NewGrant = Omit<Grant, 'artifact_id'>

type Whose = Pick<Grant, 'requested_by' | 'client_id' | 'node_id' | 'action_id' | 'agent_id'>
type What = Whose & Pick<Grant, 'pinned'>

const partition = (of: Space & What): string => spaceKey(of, 'GRANT', of.requested_by.id)
const actionHash = ({ node_id, action_id, agent_id, client_id, pinned }: What): string =>
  sha256Hex(canonicalJson([node_id, action_id, agent_id ?? null, client_id ?? null, pinned])).slice(0, 32)

export const grants = bound({
  name: 'GRANT',
  schema: Grant,
  free: ['uses'],
  key: (of: Space & What & { id: string }) => ({ pk: partition(of), sk: key(actionHash(of), of.id) }),
  index: (item) => ({ gsi1pk: grantsKey(item), gsi1sk: item.id }),
})

/** The list of all grants. */
export const grantsKey = (space: Space): string => spaceKey(space, 'GRANTS')

/** Where the index lists one of them. */
export const grantById = (space: Space, id: string) =>
  ({ pk: grantsKey(space), index: 'gsi1', from: id, to: id, limit: 1 }) as const

/** The grants for one action of one requester with one payload that may be in force still. Those of other payloads hide none. */
export const grantsFor = (of: Space & What, now: number) => {
  const prefix = `${actionHash(of)}#`
  return { pk: partition(of), prefix, from: `${prefix}${firstId('grt', now - ALLOW_MAX_S * 1_000)}` }
}

/** Whether a grant is for the requester of an execution, and for its action. */
export const isGrantFor = (grant: Whose, { agent_bound, agent_id, ...execution }: Execution): boolean => {
  const asked = whose({ ...execution, agent_id: agent_bound && agent_id })
  return canonicalJson(whose(grant)) === canonicalJson(asked)
}

const whose = ({ requested_by, client_id, node_id, action_id, agent_id }: Whose) => [
  requested_by.type,
  requested_by.id,
  client_id ?? null,
  node_id,
  action_id,
  agent_id ?? null,
]

/** The id and the committed terms of a grant, for the artifact of its approval. */
export function proofOf({
  artifact_id: _a,
  uses: _u,
  revoked_at: _r,
  revoked_by: _b,
  ...terms
}: NewGrant & Partial<Grant>) {
  const { _v, ...fixed }: typeof terms & { _v?: number } = terms
  return { grant_id: fixed.id, grant_terms: hex(payloadCommitment(Buffer.from(fixed.salt, 'hex'), fixed)) }
}

export const GRANT_STATUSES = ['active', 'used_up', 'expired', 'revoked'] as const
export type GrantStatus = (typeof GRANT_STATUSES)[number]

export function grantStatus(
  { revoked_at, expires_at, uses, max_uses }: Pick<Grant, 'revoked_at' | 'expires_at' | 'uses' | 'max_uses'>,
  now: string,
): GrantStatus {
  if (revoked_at !== undefined) return 'revoked'
  if (now >= expires_at) return 'expired'
  return uses < max_uses ? 'active' : 'used_up'
}

export function ceilingOf({ signals, ...found }: Inspection, risk: number): Ceiling {
  const { amount, currency, recipients, bulk_count, external_domains, url_hosts, pii } = signals
  const flags = {
    wildcard: signals.wildcard,
    sql_write: signals.sql_write,
    shell: signals.shell,
    secrets: signals.secrets,
    external: found.external,
    unreadable_amount: found.unreadableAmount,
    request_writes: found.requestWrites,
    truncated: found.truncated,
    statement_missing: found.statementMissing,
    unreadable_recipient: external_domains === undefined,
    unreadable_link: url_hosts === undefined,
  }
  return {
    risk,
    ...(amount !== undefined && { amount: totalOf(found.amounts) }),
    ...(currency !== undefined && { currency }),
    recipients,
    bulk_count,
    external_domains: external_domains ?? [],
    url_hosts: url_hosts ?? [],
    pii,
    flags: Object.entries(flags).flatMap(([name, is]) => (is ? [name] : [])),
  }
}

const NUMBERS = ['risk', 'recipients', 'bulk_count'] as const
const LISTS = ['external_domains', 'url_hosts', 'pii', 'flags'] as const

/** Whether no signal of the payload is beyond the approved one. */
export const isWithin = (asked: Ceiling, approved: Ceiling): boolean =>
  NUMBERS.every((name) => asked[name] <= approved[name]) &&
  LISTS.every((name) => asked[name].every((one) => approved[name].includes(one))) &&
  (asked.currency === undefined || asked.currency === approved.currency) &&
  isAmountWithin(asked, approved)

/** Two amounts compare only in the same currency. */
const isAmountWithin = (asked: Ceiling, { amount = -1, currency }: Ceiling): boolean =>
  asked.amount === undefined || (asked.currency === currency && asked.amount <= amount)

export type Repeat = Pick<
  Grant,
  | 'requested_by'
  | 'client_id'
  | 'agent_id'
  | 'node_id'
  | 'action_id'
  | 'manifest_sha256'
  | 'policy_set_version'
  | 'policy_ids'
  | 'ceiling'
  | 'pinned'
  | 'at_most'
>

const SAME = [
  'client_id',
  'agent_id',
  'node_id',
  'action_id',
  'manifest_sha256',
  'policy_set_version',
  'pinned',
] as const

export const serves = (grant: Grant, asked: Repeat, now: string): boolean =>
  grantStatus(grant, now) === 'active' && isServed(grant, asked)

/** `asked.policy_ids`: the policies that ask for the approval of the request. */
export const isServed = (grant: Repeat, asked: Repeat): boolean =>
  grant.requested_by.type === asked.requested_by.type &&
  grant.requested_by.id === asked.requested_by.id &&
  SAME.every((name) => grant[name] === asked[name]) &&
  asked.policy_ids.every((id) => grant.policy_ids.includes(id)) &&
  Object.entries(asked.at_most).every(([pointer, value]) => value <= (grant.at_most[pointer] ?? -1)) &&
  isWithin(asked.ceiling, grant.ceiling)
