// Which requests a grant serves. Pure.
import { totalOf } from '../governance/payload/amounts.ts'
import type { Inspection } from '../governance/payload/signals.ts'
import type { Ceiling, Grant } from './grant.ts'

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

/** Whether nothing of the payload goes beyond what was approved. */
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
