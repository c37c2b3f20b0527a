// Stores passwords and limits guessing, with the lockout of Amazon Cognito (developer guide, "Lockout behavior for failed
// sign-in attempts").
import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const digest = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const SALT_BYTES = 16
const HASH_BYTES = 32

/** scrypt's N: about 30 ms of work for each password. */
let cost = 16_384

/** Lowers the cost for tests, which create hundreds of people. For tests only. */
export function setPasswordCost(next: number): void {
  cost = next
}

/** Cost, salt and scrypt hash, with dots between. */
export async function hashPassword(password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<string> {
  const hash = await digest(password, salt, HASH_BYTES, { cost })
  return [cost, salt.toString('base64url'), hash.toString('base64url')].join('.')
}

/** Takes the same time without a stored hash, so that timing does not reveal which accounts exist. */
export async function matches(password: string, stored: string | null | undefined): Promise<boolean> {
  const [used = '', salt = '', hash = ''] = (stored ?? `${cost}..`).split('.')
  const tried = await digest(password, Buffer.from(salt, 'base64url'), HASH_BYTES, { cost: Number(used) })
  const kept = Buffer.from(hash, 'base64url')
  return kept.length === tried.length && timingSafeEqual(kept, tried)
}

/** Instants in milliseconds; 0 for never. */
export type Attempts = { failures: number; locked_until: number; attempted_at: number }

const FREE_FAILURES = 5
const QUIET_MS = 900_000
const LOCK_MS_MAX = 900_000

export const isLocked = ({ locked_until }: Attempts, now: number): boolean => now < locked_until

/**
 * From the fifth on, the n-th consecutive failure locks for 2^(n-5) seconds. 15 minutes without attempts reset the count.
 */
export function afterFailure(before: Attempts, now: number): Attempts {
  const failures = (now - before.attempted_at >= QUIET_MS ? 0 : before.failures) + 1
  const lockMs = failures < FREE_FAILURES ? 0 : Math.min(LOCK_MS_MAX, 1_000 * 2 ** (failures - FREE_FAILURES))
  return { failures, locked_until: now + lockMs, attempted_at: now }
}
