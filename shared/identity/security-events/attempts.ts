// Runs before and after every password check: refuses blocked callers and counts failures. An address without an account
// takes the same calls, so that timing does not reveal which accounts exist.
import type { Context } from '../../base/context.ts'
import { emailHash, type User } from '../accounts/user.ts'
import { block, type BlockKey, hashOfKey, remaining, noteOnAccount, tooManyAttempts } from './block.ts'
import { isKnownNetwork } from './known-networks.ts'
import { networkOf } from './network.ts'
import { raise } from './raise.ts'
import {
  ACCOUNT_BLOCK_MS,
  ACCOUNTS_BLOCK,
  FAILURES_BLOCK,
  FAILURES_DELAY,
  SOURCE_BLOCK_MS,
  waitUntil,
} from './rules.ts'
import { count, recentOccurrences, SPANS } from './tally.ts'

export type Attempt = { email: string; ip: string }

export const accountBlock = (address: string): BlockKey => ({ kind: 'account', hash: address })
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
