// The offline verifier (shared/ledger/evidence/FORMAT.md): recomputes a part of the chain from the files of a pack and compares
// it with the signed checkpoints. It reads nothing else, and trusts only what it can recompute. Without a pinned key it also
// trusts the key in the pack.
import { type Log, openCheckpoint, openProven, type Proof } from '../../../ledger/evidence/checkpoint/proven.ts'
import { PACK, type PackFile, type PackKey, type PackManifest } from '../pack/pack.ts'
import { measure, type PackFiles, readManifest, readProven, readText, Unreadable } from '../pack/reader.ts'
import { Payloads, walkArtifacts } from './artifacts.ts'
import { Report } from './report.ts'
import { sameBytes, sha256Hex } from '../../../base/lib/json.ts'
import type { ArtifactType } from '../../../base/catalog/artifact-types.ts'
import {
  believed,
  keysFor,
  type NoteKey,
  noteKey,
  parseVerifierKey,
  sameKey,
  type Signer,
  verifierKey,
} from '../../../ledger/evidence/checkpoint/note.ts'
import type { LogFacts } from '../pack/log.ts'

/** A chain that is signed in time has at most this number of unsigned artifacts, and none older than this. */
const BEHIND_MAX = 1_000
const BEHIND_MS = 300_000

export type VerifyOptions = {
  /** Verifier keys to trust instead of the pack's own. */
  pinned?: readonly string[] | undefined
  /** Also checks that every header is canonical, and refuses too many or too old unsigned artifacts. */
  strict?: boolean | undefined
  /** Signed checkpoints must cover at least this number of artifacts. */
  minSize?: number | undefined
  /** Checkpoints that the reader already holds. The pack must agree with them. */
  held?: readonly string[] | undefined
}

export type Verdict = Awaited<ReturnType<typeof verifyPack>>

/** Throws `Unreadable` when a part is missing or no verdict is possible. */
export async function verifyPack(files: PackFiles, options: VerifyOptions = {}) {
  const { pinned = [], strict = false, minSize = 0, held = [] } = options
  const text = await readText(files, PACK.manifest)
  const manifest = readManifest(text)
  const report = new Report()
  const log = logOf(manifest, pinned, report)
  const fits = ({ sequence }: Proof) => sequence >= manifest.range.to
  const of = { text, generated_at: manifest.generated_at, log, type: 'evidence.pack.made', fits } as const
  const seal = await checkSeal(files, of, report)
  const comparable = readHeld({ notes: held, manifest, newest: seal?.checkpoint, log }, report)
  const signed = [...(await readCheckpoints(files, manifest, log, report)), ...comparable]
  const payloads = files.paths.has(PACK.payloads) ? new Payloads() : undefined
  const see = payloads?.see ?? (() => undefined)
  const artifacts = await walkArtifacts(files, { manifest, signed, strict, see, report })
  await payloads?.check(files, log, report)
  await checkParts(files, manifest, report)
  const { range, chain } = manifest
  const unanchored = Math.max(0, range.to - Math.max(range.from, report.anchoredThrough))
  if (report.anchoredThrough < minSize) report.add(null, null, 'rollback')
  const late = unanchored > BEHIND_MAX || !(report.ageBehind(manifest.generated_at) <= BEHIND_MS)
  if (strict && unanchored > 0 && late) report.add(report.anchoredThrough, null, 'unanchored')
  const verdict = report.broken.length > 0 ? 'invalid' : unanchored > 0 ? 'valid_up_to' : 'valid'
  if (verdict !== 'invalid' && report.checkpoints.verified === 0 && range.to > 0)
    throw new Unreadable('no signed checkpoint covers this range')
  return {
    verdict,
    valid: verdict === 'valid',
    ...(verdict === 'valid_up_to' && { valid_up_to: report.anchoredThrough }),
    chain,
    ...range,
    artifacts,
    broken: report.broken,
    checkpoints: report.checkpoints,
    anchored_through: report.anchoredThrough,
    unanchored,
    payloads: report.payloads,
    ...(seal && {
      made: { at: manifest.generated_at, sequence: seal.sequence, checkpoint_size: seal.checkpoint.size },
    }),
    key_source: pinned.length > 0 ? ('pinned' as const) : ('pack' as const),
  } as const
}

/** The manifest lists all required parts, and every file is as it says. */
async function checkParts(files: PackFiles, manifest: PackManifest, report: Report): Promise<void> {
  const listed = new Set(manifest.files.map(({ path }) => path))
  const parts = [PACK.artifacts, ...manifest.checkpoints.map(({ path }) => path)]
  for (const path of parts) if (!listed.has(path) && !files.paths.has(path)) report.addFile(path, 'unlisted')
  await checkFiles(files, manifest.files, (path) => path === PACK.manifest || path === PACK.proof, report)
}

/**
 * Compares the files of an archive with its manifest. Reports files that differ from the list, and files that are neither
 * listed nor `known`.
 */
export async function checkFiles(
  files: PackFiles,
  listed: readonly PackFile[],
  known: (path: string) => boolean,
  report: Report,
): Promise<void> {
  const names = new Set(listed.map(({ path }) => path))
  for (const path of files.paths) if (!names.has(path) && !known(path)) report.addFile(path, 'unlisted')
  for (const { path, sha256, bytes, rows } of listed) {
    const found = await measure(files, path)
    if (found.sha256 !== sha256 || found.bytes !== bytes || found.rows !== rows) report.addFile(path, 'file_hash')
  }
}

export type Held = {
  notes: readonly string[]
  manifest: Pick<PackManifest, 'range'>
  newest: SignedRoot | undefined
  log: Log
}

/**
 * Compares a pack with checkpoints that its reader already holds: a log only grows, and has one root for each size. Returns those
 * within the range, to be compared later. `newest`: the checkpoint that covers the manifest.
 */
export function readHeld({ notes, manifest, newest, log }: Held, report: Report): SignedRoot[] {
  const { from, to } = manifest.range
  return notes.flatMap((note) => {
    const held = openCheckpoint(note, log.keysFor)
    if (held?.origin !== log.origin) {
      report.failCheckpoint(held?.size ?? 0, 'signature')
      return []
    }
    if (held.size >= from && held.size <= to) return [held]
    if (newest && held.size > newest.size) report.failCheckpoint(held.size, 'rollback')
    else if (newest?.size !== held.size) throw incomparable(held.size)
    else if (!sameBytes(held.root, newest.root)) report.failCheckpoint(held.size, 'root')
    return []
  })
}

const incomparable = (size: number) =>
  new Unreadable(`the range of the pack does not include the given checkpoint of size ${size}; use a pack that does`)

export type Sealed = {
  /** The exact text of the manifest, and when it says that it was made. */
  text: string
  generated_at: string
  log: Log
  /** The type of the artifact that holds the hash. */
  type: ArtifactType
  /** Further conditions on that artifact. */
  fits: (proof: Proof) => boolean
}

/**
 * Checks the proof of a manifest: an artifact of the log, under a signed checkpoint, holds its hash. So nobody can later replace or
 * remove a file of the pack, or change the time or size that it states. Reports a missing or wrong proof and returns undefined.
 */
export async function checkSeal(files: PackFiles, sealed: Sealed, report: Report): Promise<Proof | undefined> {
  const read = files.paths.has(PACK.proof) ? readProven(await readText(files, PACK.proof)) : undefined
  const proof = read && openProven(read, sealed.log)
  const { type, data, occurred_at } = proof?.facts ?? {}
  const names = type === sealed.type && data?.['manifest_sha256'] === sha256Hex(sealed.text)
  if (proof && names && occurred_at === sealed.generated_at && sealed.fits(proof)) return proof
  report.addFile(PACK.proof, 'seal')
  return undefined
}

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
async function readCheckpoints(files: PackFiles, manifest: PackManifest, log: Log, report: Report) {
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
