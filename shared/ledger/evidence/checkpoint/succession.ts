// A change of signing key, signed by both keys: the former key names its successor, and the new key names its predecessor. A
// verifier that trusts one can trust the other. Keys that a table or pack only lists are not trusted.
import { sameBytes } from '../../../base/lib/json.ts'
import { type NoteKey, noteKey, openNote } from './note.ts'

/** A key of a chain. It signs checkpoints of more than `fromSize` artifacts; `succession` is absent on the first. */
export type Signer = { key: NoteKey; spki: Uint8Array; fromSize: number; succession?: string | undefined }

/** `name`: the key name of both. Keys are DER-encoded public keys. */
export type Succession = { name: string; fromSize: number; former: Uint8Array; next: Uint8Array }

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** The text that both keys sign. Its first line never occurs in a checkpoint, so neither can pass for the other. */
export const successionText = ({ name, fromSize, former, next }: Succession): string =>
  `gov.evidence/v1/succession\n${name}\n${fromSize}\n${base64(former)}\n${base64(next)}\n`

/** Undefined when the bytes are not a usable public key. */
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
 * The keys of a list (oldest first) that are trusted because a chain of successions, signed by both neighbours, connects
 * them to an already trusted key.
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

/** The keys that may sign a checkpoint of that size. A key is valid until its successor begins. */
export const keysFor = (keys: readonly Signer[], size: number): NoteKey[] =>
  keys
    .filter(({ fromSize }, index) => fromSize < size && size <= (keys[index + 1]?.fromSize ?? Number.MAX_SAFE_INTEGER))
    .map(({ key }) => key)
