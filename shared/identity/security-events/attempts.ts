// Runs before and after every check of a password or a second factor: refuses blocked callers and counts failures. An address
// without an account takes the same calls, so that timing does not reveal which accounts exist.
import type { Context } from '../../base/context.ts'
import { emailHash, type User } from '../accounts/user.ts'
import {
  ACCOUNT_BLOCK_MS,
  ACCOUNTS_BLOCK,
  block,
  type BlockKey,
  blocks,
  CODES_BLOCK,
  FACTORS_BLOCK_MS,
  FAILURES_BLOCK,
  FAILURES_DELAY,
  hashOfKey,
  KNOWN_NETWORK_MS,
  noteOnAccount,
  remaining,
  SOURCE_BLOCK_MS,
  tooManyAttempts,
  waitUntil,
} from './block.ts'
import { raise } from './raise.ts'
import { count, recentOccurrences, SPANS, tallies, type TallyKey, windowsOf } from './tally.ts'
import * as z from 'zod'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { readCidr } from '../access/allowlist.ts'
import { conflict } from '../../base/lib/failure.ts'

export type Attempt = { email: string; ip: string }

const accountBlock = (address: string): BlockKey => ({ kind: 'account', hash: address })
const sourceBlock = (source: string): BlockKey => ({ kind: 'source', hash: hashOfKey(source) })

/** Throws 429 while the source or the account is blocked, or must wait. Call it before a password is checked. */
export async function mustNotBeBlocked(ctx: Context, { email, ip }: Attempt): Promise<void> {
  const address = emailHash(email)
  const network = networkOf(ip)
  const [byIp, byNetwork, account, spared, failures] = await Promise.all([
    remaining(ctx, sourceBlock(ip)),
    remaining(ctx, sourceBlock(network)),
    remaining(ctx, accountBlock(address)),
    isKnownNetwork(ctx, { address, network }),
    recentOccurrences(ctx.table, { counted: 'failures', of: address }),
  ])
  const wait = Math.max(byIp, byNetwork, spared ? 0 : account, waitUntil(failures) - ctx.now())
  if (wait > 0) throw tooManyAttempts(wait, ctx.now())
}

/** `user`: the account of the address, if there is one. */
export type FailedAttempt = Attempt & { user?: User | undefined }

/** Counts a wrong password. Too many raise a security event, then block. */
export async function noteFailure(ctx: Context, attempt: FailedAttempt): Promise<void> {
  const address = emailHash(attempt.email)
  const network = networkOf(attempt.ip)
  const accountsFrom = (of: string) => count(ctx.table, { counted: 'accounts', of }, address)
  const [failures, fromIp, fromNetwork] = await Promise.all([
    count(ctx.table, { counted: 'failures', of: address }, ctx.request.request_id),
    accountsFrom(attempt.ip),
    accountsFrom(network),
  ])
  if (failures.length >= FAILURES_DELAY) await bruteForce(ctx, attempt, failures.length)
  if (fromIp.length >= ACCOUNTS_BLOCK) await stuffing(ctx, attempt, attempt.ip, fromIp.length)
  else if (fromNetwork.length >= ACCOUNTS_BLOCK) await stuffing(ctx, attempt, network, fromNetwork.length)
}

function bruteForce(ctx: Context, { email, ip, user }: FailedAttempt, failures: number): Promise<boolean> {
  const address = emailHash(email)
  const blocked = failures >= FAILURES_BLOCK
  const until = ctx.now() + ACCOUNT_BLOCK_MS
  return raise(ctx, {
    type: 'brute_force',
    severity: blocked ? 'high' : 'medium',
    action_taken: blocked ? 'blocked' : 'delayed',
    ip,
    user,
    details: { count: failures, threshold: blocked ? FAILURES_BLOCK : FAILURES_DELAY },
    once: { of: address, ms: SPANS.failures },
    notify: 'administrators',
    writes: blocked ? [block(accountBlock(address), until), ...noteOnAccount(user, until)] : [],
  })
}

function stuffing(ctx: Context, { ip, user }: FailedAttempt, source: string, accounts: number): Promise<boolean> {
  return raise(ctx, {
    type: 'credential_stuffing',
    severity: 'high',
    action_taken: 'source_blocked',
    ip,
    user,
    details: { source, count: accounts, threshold: ACCOUNTS_BLOCK },
    once: { of: source, ms: SOURCE_BLOCK_MS },
    notify: 'administrators',
    writes: [block(sourceBlock(source), ctx.now() + SOURCE_BLOCK_MS)],
  })
}

type KnownKey = { address: string; network: string }

/**
 * The networks from which an e-mail address signed in. Stored by address and not by account, so that a look-up costs the same
 * whether or not there is an account.
 */
const knownNetworks = entity({
  name: 'KNOWNNETWORK',
  unbound: 'bounded',
  schema: z.object({
    /** ms. */
    at: z.int(),
  }),
  key: ({ address, network }: KnownKey) => ({
    pk: key('COUNTER', 'known-network', address, hashOfKey(network)),
    sk: 'C',
  }),
})

/** Whether somebody signed in with this address (its hash) from this network lately. */
async function isKnownNetwork(ctx: Context, of: KnownKey): Promise<boolean> {
  const found = await ctx.table.get(knownNetworks, of)
  return found !== undefined && found.at > ctx.now() - KNOWN_NETWORK_MS
}

export const rememberNetwork = (of: KnownKey, now: number): Write =>
  knownNetworks.update(of, {
    set: { at: now, _type: knownNetworks.name, _ttl: Math.ceil((now + KNOWN_NETWORK_MS) / 1_000) },
  })

/**
 * The network under which the rules about sign-ins count an address: `203.0.113.7` → `203.0.113.0/24`, `2001:db8:1:2::3` →
 * `2001:db8:1::/48`. Other text is its own network.
 */
export function networkOf(ip: string): string {
  const host = readCidr(ip)
  if (!host) return ip
  if (host.family === 4) return `${host.address.split('.').slice(0, 3).join('.')}.0/24`
  const [head = [], tail] = host.address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: tail ? 8 - head.length - tail.length : 0 }, () => '0')
  return `${[...head, ...zeros, ...(tail ?? [])].slice(0, 3).join(':')}::/48`
}

const factorsBlock = (user_id: string): BlockKey => ({ kind: 'factors', hash: hashOfKey(user_id) })

/**
 * Throws 429 while the second factors of an account are blocked. The caller already knows the password, so known networks are not
 * exempt.
 */
export async function mustHaveOpenFactors(ctx: Context, user_id: string): Promise<void> {
  const wait = await remaining(ctx, factorsBlock(user_id))
  if (wait > 0) throw tooManyAttempts(wait, ctx.now())
}

/** Counts a wrong code. Too many block the factors of the account and raise a security event. */
export async function noteWrongCode(ctx: Context, user: User): Promise<void> {
  const wrong = await count(ctx.table, { counted: 'codes', of: user.id }, ctx.request.request_id)
  if (wrong.length < CODES_BLOCK) return
  const until = ctx.now() + FACTORS_BLOCK_MS
  await raise(ctx, {
    type: 'mfa_flood',
    severity: 'high',
    action_taken: 'blocked',
    ip: ctx.request.ip,
    user,
    details: { count: wrong.length, threshold: CODES_BLOCK },
    once: { of: user.id, ms: SPANS.codes },
    notify: 'administrators',
    writes: [block(factorsBlock(user.id), until), ...noteOnAccount(user, until)],
  })
}

/**
 * Most lifts for one address in 24 hours. A block covers an address with its accounts in all tenants, so lifting is limited:
 * otherwise an administrator of one tenant could help to guess a password of another.
 */
export const LIFTS_MAX = 5

/**
 * The writes that end the blocks of an account and reset its counters, for the transaction that clears `locked_until`. Throws
 * 409 when its address was unblocked too often.
 */
export async function liftBlocks(ctx: Context, user: User): Promise<Write[]> {
  const address = emailHash(user.email ?? user.id)
  const lifts = await count(ctx.table, { counted: 'lifts', of: address }, ctx.request.request_id)
  if (lifts.length > LIFTS_MAX) throw conflict('You cannot unlock this account again today. Wait until its block ends.')
  const counters: TallyKey[] = [
    { counted: 'failures', of: address },
    { counted: 'codes', of: user.id },
  ]
  return [
    blocks.remove(accountBlock(address)),
    blocks.remove(factorsBlock(user.id)),
    ...counters.flatMap((of) => windowsOf(of, ctx.now())).map((window) => tallies.remove(window)),
  ]
}
