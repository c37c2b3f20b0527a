// What an execution notes of the counters that may give it back, in one text, because each byte of an execution is paid for.
import type { Limit } from '../governance/rule-terms.ts'
import type { Added } from './item.ts'

/** One counter. `name`: the policy, with the version that its count began with. */
export type Counted = Added & { give_back: ReadonlySet<string> }

const LETTERS: Record<string, string> = { failed: 'f', undone: 'u' }

export function packCounted(all: readonly (Added & Pick<Limit, 'give_back'>)[]): string | undefined {
  if (all.length === 0) return undefined
  return all
    .map(({ name, hash, shard, n, bucket, give_back }) =>
      [
        name,
        Buffer.from(hash, 'hex').toString('base64url'),
        shard,
        bucket.toString(36),
        n.toString(36),
        give_back.map((outcome) => LETTERS[outcome]).join(''),
      ].join('/'),
    )
    .join(' ')
}

export const unpackCounted = (text: string | undefined): Counted[] =>
  (text ?? '')
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', hash = '', shard = '', bucket = '', n = '', letters = ''] = one.split('/')
      return {
        name,
        hash: Buffer.from(hash, 'base64url').toString('hex'),
        shard,
        bucket: Number.parseInt(bucket, 36),
        n: fromBase36(n),
        give_back: new Set(Object.keys(LETTERS).filter((outcome) => letters.includes(LETTERS[outcome] ?? '?'))),
      }
    })

/** Exact, where Number.parseInt is not. */
function fromBase36(text: string): bigint {
  let value = 0n
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}
