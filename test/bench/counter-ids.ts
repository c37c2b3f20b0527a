// Ids that hold a counter where others are random, so that what they name can be made again or found without an index.
import type { RandomBytes } from '../../shared/base/lib/ids.ts'

const DIGITS = 8
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** For `ulid`: one character of it is five bits of a byte. */
export const counterBytes =
  (counter: number): RandomBytes =>
  (size) =>
    Uint8Array.from({ length: size }, (_, at) => Math.floor(counter / 32 ** (size - 1 - at)) % 32)

export function counterOf(id: string): number {
  let counter = 0
  for (const character of id.slice(-DIGITS)) counter = counter * 32 + CROCKFORD.indexOf(character)
  return counter
}
