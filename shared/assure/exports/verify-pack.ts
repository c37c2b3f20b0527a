// The offline verifier (shared/ledger/evidence/FORMAT.md): recomputes a part of the chain from the files of a pack and compares
// it with the signed checkpoints. It reads nothing else, and trusts only what it can recompute. Without a pinned key it also
// trusts the key in the pack.
import type { Proof } from '../../ledger/evidence/checkpoint/proven.ts'
import { PACK, type PackManifest } from './pack.ts'
import { type PackFiles, readText } from './pack-reader.ts'
import { readManifest, Unreadable } from './pack-shape.ts'
import { checkFiles } from './verify-files.ts'
import { walkArtifacts } from './verify-artifacts.ts'
import { readHeld } from './verify-held.ts'
import { Payloads } from './verify-payloads.ts'
import { Report } from './verify-report.ts'
import { checkSeal } from './verify-seal.ts'
import { logOf, readCheckpoints } from './verify-signatures.ts'

/** A chain that is signed in time has at most so many unsigned artifacts, and none older than this. */
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
