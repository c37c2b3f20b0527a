// Recovery codes for people who lost their factors: ten, each valid once. Stored as HMACs, because plain hashes of 50 random
// bits could be guessed from a copy of the table.
import { derivedKey, formerKey } from '../../base/aws/deployment-secret.ts'
import { hmacSha256, sameBytes } from '../../base/lib/hash.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import { readBase32, toBase32 } from './base32.ts'
import type { Person } from './factor.ts'

export const CODES = 10
const LENGTH = 10
/** 56 bits, of which the code keeps the first 50. */
const BYTES = 7

/** Ten codes of ten base32 characters. */
export const newCodes = ({ random }: { random: RandomBytes }): string[] =>
  Array.from({ length: CODES }, () => toBase32(random(BYTES)).slice(0, LENGTH))

const PURPOSE = 'recovery-codes/v1'

const hashOfCode = (secret: Uint8Array, { id }: Person, code: string) => hmacSha256(secret, `${id}\n${code}`)

/** The stored hashes of a person's codes, in order. */
export async function hashesOf(person: Person, codes: readonly string[]): Promise<string[]> {
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
