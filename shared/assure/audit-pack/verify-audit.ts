// The offline verifier of the archive for an audit (shared/ledger/evidence/FORMAT.md): every file is as the manifest says, the log
// holds the hash of the manifest, and the part of the chain inside verifies by itself.
import { canonicalJson } from '../../base/lib/json.ts'
import type { Log, Proof } from '../../ledger/evidence/checkpoint/proven.ts'
import { type PackFiles, readManifest, readText } from '../exports/pack/reader.ts'
import { checkFiles, checkSeal, logOf, readHeld, type VerifyOptions, verifyPack } from '../exports/verify/pack.ts'
import { type Broken, Report } from '../exports/verify/report.ts'
import { AUDIT, CHAIN_MANIFEST, claimsAuditFormat, readAuditManifest } from './manifest.ts'
import { PACK } from '../exports/pack/pack.ts'

type Manifest = ReturnType<typeof readAuditManifest>

/** Verifies an archive for an audit, or an evidence pack. Throws `Unreadable` when a part is missing or no verdict is possible. */
export async function verifyArchive(files: PackFiles, options?: VerifyOptions) {
  const text = await readText(files, PACK.manifest)
  return claimsAuditFormat(text) ? verifyAudit(files, options) : verifyPack(files, options)
}

async function verifyAudit(files: PackFiles, options: VerifyOptions = {}) {
  const text = await readText(files, AUDIT.manifest)
  const manifest = readAuditManifest(text)
  const report = new Report()
  const log = logOf(manifest, options.pinned ?? [], report)
  const seal = await checkSeal(files, sealOf(manifest, text, log), report)
  const holdsChain = manifest.files.some(({ path }) => path === CHAIN_MANIFEST)
  await checkFiles(files, manifest.files, (path) => isKnown(path, holdsChain), report)
  if (!holdsChain) compareHeld(options, { log, seal }, report)
  const chain = holdsChain ? await verifyPack(within(files), options) : undefined
  if (holdsChain && !(await isSameLog(files, manifest))) report.addFile(CHAIN_MANIFEST, 'other_chain')
  const { export_id, artifact_id, generated_at } = manifest
  const broken = [...report.broken, ...(chain?.broken ?? []).map(inFolder)]
  const verdict = verdictOf(broken, files.paths, chain?.verdict)
  return {
    verdict,
    valid: verdict === 'valid',
    anchored: seal !== undefined,
    export_id,
    artifact_id,
    ...(seal && { made: { at: generated_at, sequence: seal.sequence, checkpoint_size: seal.checkpoint.size } }),
    broken,
    chain,
    key_source: (options.pinned ?? []).length > 0 ? ('pinned' as const) : ('pack' as const),
  }
}

const sealOf = ({ generated_at, artifact_id, export_id, head }: Manifest, text: string, log: Log) => ({
  text,
  generated_at,
  log,
  type: 'compliance.exported' as const,
  fits: ({ facts, sequence }: Proof) =>
    facts.artifact_id === artifact_id && facts.data?.['export_id'] === export_id && sequence >= head.size,
})

/** The manifest itself, its proof, and the folder of the chain, which lists its own files. */
const isKnown = (path: string, holdsChain: boolean): boolean =>
  path === AUDIT.manifest || path === AUDIT.proof || (holdsChain && path.startsWith(AUDIT.chain))

const within = ({ paths, open }: PackFiles): PackFiles => ({
  paths: new Set([...paths].flatMap((path) => (path.startsWith(AUDIT.chain) ? path.slice(AUDIT.chain.length) : []))),
  open: (path) => open(`${AUDIT.chain}${path}`),
})

const inFolder = (one: Broken): Broken => ({ ...one, path: `${AUDIT.chain}${one.path ?? ''}` })

/** Only the checkpoint of the proof can be compared with the reader's checkpoints. */
function compareHeld(
  { held = [], minSize = 0 }: VerifyOptions,
  { log, seal }: { log: Log; seal: Proof | undefined },
  report: Report,
): void {
  readHeld({ notes: held, manifest: { range: { from: 1, to: 0 } }, newest: seal?.checkpoint, log }, report)
  if ((seal?.checkpoint.size ?? 0) < minSize) report.add(null, null, 'rollback')
}

async function isSameLog(files: PackFiles, manifest: Manifest): Promise<boolean> {
  const inside = readManifest(await readText(files, CHAIN_MANIFEST))
  const factsOf = ({ chain, genesis, generated_at }: Pick<Manifest, 'chain' | 'genesis' | 'generated_at'>) =>
    canonicalJson({ chain, genesis, generated_at })
  return factsOf(inside) === factsOf(manifest)
}

/**
 * An archive that was made while the log could not be signed has no proofs. Nothing in it need be wrong, but nothing is proven
 * either; with any other finding it is invalid all the same.
 */
function verdictOf(
  broken: readonly Broken[],
  paths: ReadonlySet<string>,
  chain = 'valid' as 'valid' | 'invalid' | 'valid_up_to',
) {
  const unproven = !paths.has(AUDIT.proof)
  const wrong = broken.filter(({ reason, path = '' }) => !(unproven && reason === 'seal' && !paths.has(path)))
  if (wrong.length > 0) return 'invalid' as const
  if (unproven) return 'unproven' as const
  return chain
}
