// The signatures of a pack: which keys count, and what each checkpoint of the range says.
import { sha256Hex } from '../lib/hash.ts'
import { noteKey, type NoteKey, openNote, parseCheckpoint, parseVerifierKey, verifierKey } from '../evidence/note.ts'
import { type OpenFile, readText } from './pack-reader.ts'
import type { PackKey, PackManifest } from './pack.ts'
import type { Report } from './verify-report.ts'

/** A signed statement about the first `size` artifacts. */
export type SignedRoot = { size: number; root: Uint8Array }

type KnownKey = { key: NoteKey; fromSize: number }

/** The name under which checkpoints of this chain are signed. */
export const originOf = ({ genesis, chain }: PackManifest): string => `${genesis.origin}/${chain}`

/** Checks every checkpoint's signature. Bad ones are reported and count as failed; only good ones are returned. */
export async function readCheckpoints(
  files: OpenFile,
  manifest: PackManifest,
  pinned: readonly string[],
  report: Report,
) {
  const own = ownKeys(manifest, report)
  const keys = pinned.length > 0 ? pinned.map((text) => ({ key: parseVerifierKey(text), fromSize: 0 })) : own
  const good: SignedRoot[] = []
  for (const { path, size } of manifest.checkpoints) {
    const signed = openCheckpoint(await readText(files, path), keysFor(keys, size))
    const { from, to } = manifest.range
    const fits = signed?.origin === originOf(manifest) && signed.size === size && size >= from && size <= to
    if (signed && fits) good.push(signed)
    else report.failCheckpoint(size, 'signature')
  }
  return good
}

const keysFor = (keys: readonly KnownKey[], size: number): NoteKey[] =>
  keys.filter(({ fromSize }) => fromSize <= size).map(({ key }) => key)

function openCheckpoint(note: string, keys: readonly NoteKey[]) {
  const text = openNote(note, keys)
  return text === undefined ? undefined : parseCheckpoint(text)
}

/** The keys that the pack brings along. The first of them is the one that the genesis commits to. */
function ownKeys(manifest: PackManifest, report: Report): KnownKey[] {
  const { genesis, verifier_keys } = manifest
  const keys = verifier_keys.flatMap((one) => readKey(one, originOf(manifest)) ?? [])
  const first = verifier_keys.find(({ from_size }) => from_size === 0)
  const committed = first && sha256Hex(Buffer.from(first.spki, 'base64')) === genesis.key_spki_sha256
  if (!committed || keys.length < verifier_keys.length) report.add(null, null, 'signature')
  return keys
}

/** Undefined when the two encodings are not those of one key of that name. */
function readKey({ verifier_key, spki, from_size }: PackKey, name: string): KnownKey | undefined {
  try {
    const key = noteKey(name, Buffer.from(spki, 'base64'))
    return verifierKey(key) === verifier_key ? { key, fromSize: from_size } : undefined
  } catch {
    return undefined
  }
}
