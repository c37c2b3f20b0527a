// A change of signing key, stated and signed by both keys: the old one says who follows, the new one says whom it follows.
// Whoever trusts one of the two has reason to trust the other; what a table or a pack merely lists is believed by nobody.
import { sameBytes } from '../../../base/lib/hash.ts'
import { type NoteKey, noteKey, openNote } from './note.ts'

/** A key of a chain. It signs checkpoints of more than `fromSize` artifacts; `succession` is absent on the first. */
export type Signer = { key: NoteKey; spki: Uint8Array; fromSize: number; succession?: string | undefined }

/** `name`: the one under which both sign. Keys are DER-encoded public keys. */
export type Succession = { name: string; fromSize: number; former: Uint8Array; next: Uint8Array }

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** What both keys sign. Its first line is none of a checkpoint, so neither can pass for the other. */
export const successionText = ({ name, fromSize, former, next }: Succession): string =>
  `gov.evidence/v1/succession\n${name}\n${fromSize}\n${base64(former)}\n${base64(next)}\n`

/** Undefined when the bytes are no key that can sign. */
export function signerOf(name: string, spki: Uint8Array, fromSize: number, succession?: string): Signer | undefined {
  try {
    return { key: noteKey(name, spki), spki, fromSize, succession }
  } catch {
    return undefined
  }
}

export const sameKey = (one: NoteKey, other: NoteKey): boolean =>
  one.name === other.name && sameBytes(one.encoded, other.encoded)

/**
 * The keys, of those that are said to follow upon each other (oldest first), to which trust passes from one that is trusted
 * already: along statements that both neighbours signed, and no further.
 */
export function believed(keys: readonly Signer[], trusted: readonly NoteKey[]): Signer[] {
  const runs: Signer[][] = []
  for (const one of keys) {
    const run = runs.at(-1)
    const former = run?.at(-1)
    if (run && former && follows(former, one)) run.push(one)
    else runs.push([one])
  }
  return runs.filter((run) => run.some(({ key }) => trusted.some((one) => sameKey(one, key)))).flat()
}

function follows(former: Signer, { key, spki, fromSize, succession = '' }: Signer): boolean {
  const text = successionText({ name: key.name, fromSize, former: former.spki, next: spki })
  return [former.key, key].every((signer) => openNote(succession, [signer]) === text)
}

/** The keys that may have signed a checkpoint of that size: a key stops counting where its successor begins. */
export const keysFor = (keys: readonly Signer[], size: number): NoteKey[] =>
  keys
    .filter(({ fromSize }, index) => fromSize < size && size <= (keys[index + 1]?.fromSize ?? Number.MAX_SAFE_INTEGER))
    .map(({ key }) => key)
