// Checks the signatures of a pack: which keys are trusted, and which checkpoints of the range they signed.
import { sha256Hex } from '../../base/lib/hash.ts'
import { type NoteKey, noteKey, parseVerifierKey, verifierKey } from '../../ledger/evidence/checkpoint/note.ts'
import { type Log, openCheckpoint } from '../../ledger/evidence/checkpoint/proven.ts'
import { believed, keysFor, sameKey, type Signer } from '../../ledger/evidence/checkpoint/succession.ts'
import { type PackFiles, readText } from './pack-reader.ts'
import type { PackKey, PackManifest } from './pack.ts'
import type { LogFacts } from './pack-log.ts'
import type { Report } from './verify-report.ts'

/** A signed statement about the first `size` artifacts. */
export type SignedRoot = { size: number; root: Uint8Array }

/**
 * The log of the pack. Trusted are the pinned keys, or else the key that the genesis commits to, and all keys that follow from
 * these by successions that both keys signed.
 */
export function logOf(manifest: LogFacts, pinned: readonly string[], report: Report): Log {
  const { genesis, chain, verifier_keys } = manifest
  const origin = `${genesis.origin}/${chain}`
  const listed = verifier_keys.flatMap((one) => readKey(one, origin) ?? [])
  const [first] = listed
  const committed = first?.fromSize === 0 && sha256Hex(first.spki) === genesis.key_spki_sha256
  const trusted = pinned.length > 0 ? pinned.map(parseVerifierKey) : first ? [first.key] : []
  const counting = believed(listed, trusted)
  const unproven = pinned.length === 0 && counting.length < listed.length
  if (!committed || listed.length < verifier_keys.length || unproven) report.add(null, null, 'signature')
  const unlisted = trusted.filter((key) => !listed.some((one) => sameKey(one.key, key)))
  return { chain, origin, keysFor: (size): NoteKey[] => [...keysFor(counting, size), ...unlisted] }
}

/** Undefined when the two encodings do not belong to one key of that name. */
function readKey({ verifier_key, spki: encoded, from_size, succession }: PackKey, name: string): Signer | undefined {
  try {
    const spki = Buffer.from(encoded, 'base64')
    const key = noteKey(name, spki)
    return verifierKey(key) === verifier_key ? { key, spki, fromSize: from_size, succession } : undefined
  } catch {
    return undefined
  }
}

/** Returns the checkpoints with a valid signature. Reports the others as failed. */
export async function readCheckpoints(files: PackFiles, manifest: PackManifest, log: Log, report: Report) {
  const { from, to } = manifest.range
  const good: SignedRoot[] = []
  for (const { path, size } of manifest.checkpoints) {
    const signed = openCheckpoint(await readText(files, path), log.keysFor)
    const fits = signed?.origin === log.origin && signed.size === size && size >= from && size <= to
    if (signed && fits) good.push(signed)
    else report.failCheckpoint(size, 'signature')
  }
  return good
}
