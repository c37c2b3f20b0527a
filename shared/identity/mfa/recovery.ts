// Recovery codes for people who lost their factors: ten, each valid once. Stored as HMACs, because plain hashes of 50 random
// bits could be guessed from a copy of the table.
import { derivedKey, formerKey } from '../../base/aws/deployment-secret.ts'
import { hmacSha256, sameBytes } from '../../base/lib/json.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import { readBase32, toBase32 } from './totp.ts'
import { concurrentAttempt, type Person, recoveryCodes } from './factor.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { ownUser } from '../accounts/find.ts'
import type { Write } from '../../base/table/entity.ts'
import { type User, users } from '../accounts/user.ts'
import { mustHaveFreshSignIn } from '../access/assurance.ts'

const ENROLLED = { '#enrolled': 'mfa_enrolled' }

/**
 * Returns ten new codes, which are shown only here. Earlier codes become invalid. Throws 409 for a person without a factor.
 */
export async function createRecoveryCodes(ctx: Context): Promise<string[]> {
  mustHaveFreshSignIn(ctx)
  const user = await ownUser(ctx)
  const noFactor = conflict('You have no factor that recovery codes could replace. Add a factor first.')
  if (!user.mfa_enrolled) throw noFactor
  const { codes, writes } = await newRecoveryCodes(ctx, user)
  const mails = [newMail(ctx, 'mfa_changed', { user_id: user.id }, { change: 'new recovery codes were made' })]
  await ctx.table.commit(
    [
      // Otherwise codes made while the last factor is removed would be valid for the next one.
      users.check(user, { expression: '#enrolled = :yes', names: ENROLLED, values: { ':yes': true } }, noFactor),
      ...writes,
      ...changed(ctx, [codesCreated(user, codes)], { mails }),
    ],
    user.id,
  )
  return codes
}

/** The codes that come with a person's first factor, and what stores them; nothing for a person who has one already. */
export async function codesOfFirstFactor(ctx: Context, user: User): Promise<Partial<NewCodes> & { changes: Change[] }> {
  if (user.mfa_enrolled) return { changes: [] }
  const made = await newRecoveryCodes(ctx, user)
  return { ...made, changes: [codesCreated(user, made.codes)] }
}

type NewCodes = { codes: string[]; writes: Write[] }

async function newRecoveryCodes(ctx: Context, user: User): Promise<NewCodes> {
  const of = { tenant_id: user.tenant_id, user_id: user.id }
  const was = await ctx.table.get(recoveryCodes, of)
  const codes = newCodes(ctx)
  const next = { ...of, codes: await hashesOf(user, codes), created_at: iso(ctx.now()) }
  const write = was
    ? recoveryCodes.replace(next, was, concurrentAttempt())
    : recoveryCodes.insert(next, concurrentAttempt())
  return { codes, writes: [write] }
}

const codesCreated = (user: User, codes: readonly string[]): Change => ({
  action: 'mfa.recovery_codes_created',
  artifact: 'identity.mfa.recovery_codes_created',
  subject: { type: 'user', id: user.id, name: user.name },
  data: { count: codes.length },
})

export const CODES = 10
const LENGTH = 10
/** 56 bits, of which the code keeps the first 50. */
const BYTES = 7

/** Ten codes of ten base32 characters. */
const newCodes = ({ random }: { random: RandomBytes }): string[] =>
  Array.from({ length: CODES }, () => toBase32(random(BYTES)).slice(0, LENGTH))

const PURPOSE = 'recovery-codes/v1'

const hashOfCode = (secret: Uint8Array, { id }: Person, code: string) => hmacSha256(secret, `${id}\n${code}`)

/** The stored hashes of a person's codes, in order. */
async function hashesOf(person: Person, codes: readonly string[]): Promise<string[]> {
  const secret = await derivedKey(PURPOSE)
  return codes.map((code) => hashOfCode(secret, person, code).toString('base64url'))
}

/** The position of the stored hash that a typed code belongs to, or -1. All are compared, so that timing reveals nothing. */
export async function positionOf(person: Person, hashes: readonly string[], typed: string, now: number) {
  const secrets = [await derivedKey(PURPOSE), await formerKey(PURPOSE, now)].filter((each) => each !== undefined)
  const candidates = secrets.map((secret) => hashOfCode(secret, person, readBase32(typed)))
  const fits = hashes.map((hash) => {
    const stored = Buffer.from(hash, 'base64url')
    return candidates.map((each) => sameBytes(each, stored)).includes(true)
  })
  return fits.indexOf(true)
}
