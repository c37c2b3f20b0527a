// The archive for the audit of one framework, format `countersign-compliance/1` (shared/ledger/evidence/FORMAT.md). The writer and
// the verifier share this file, so it depends on no library. The verifier checks the shape of the members that it uses, and of no
// others, because the log holds the hash of the whole manifest.
import { PACK, type PackFile, type PackManifest } from '../exports/pack/pack.ts'
import {
  type Check,
  count,
  hash,
  LOG_MEMBERS,
  namedFiles,
  parsed,
  shape,
  text,
  Unreadable,
} from '../exports/pack/reader.ts'

export const AUDIT_FORMAT = 'countersign-compliance/1'

export const AUDIT = {
  ...PACK,
  info: 'EXPORT_INFO.txt',
  html: 'report.html',
  pdf: 'report.pdf',
  controls: 'controls.csv',
  results: 'checks/results',
  days: 'checks/days.csv',
  periods: 'checks/periods.csv',
  evidence: 'evidence/index.csv',
  evidenceFile: (id: string, name: string) => `evidence/files/${id}/${name}`,
  population: (name: string) => `populations/${name}.csv`,
  populations: 'populations/index.csv',
  differences: 'populations/differences.csv',
  sample: (name: string) => `samples/${name}.csv`,
  samples: 'samples/plan.json',
  catalogue: 'catalogue.json',
  oscal: 'oscal/assessment-results.json',
  /** The folder of the evidence pack of the window. */
  chain: 'chain/',
} as const

/** `evidence_id` is null unless it is a file of evidence. */
export type Omission = { path: string; evidence_id: string | null; reason: string }

export type AuditManifest = Pick<PackManifest, 'chain' | 'genesis' | 'verifier_keys' | 'generated_at'> & {
  format: typeof AUDIT_FORMAT
  export_id: string
  /** The artifact with the hash of this manifest. */
  artifact_id: string
  tenant: { id: string; name: string }
  mode: string
  framework: { id: string; name: string; version: string }
  catalogue_hash: string
  scope: Record<string, boolean>
  window: { start_at: string; end_at: string }
  /** The end of the run whose results are shown. */
  as_of: string | null
  run_id: string | null
  generator: string
  notice: string
  /** The newest signed state of the chain when the content was fixed. `last` is the link of its last artifact. */
  head: { size: number; last: string }
  sample: { size: number; seed: string; seed_source: 'given' | 'chain' }
  omissions: Omission[]
  /** Every file but this one, its proof, and the folder of the chain, which lists its own; of that only the manifest. */
  files: PackFile[]
}

export const CHAIN_MANIFEST = `${AUDIT.chain}${AUDIT.manifest}`

type Verified = Pick<
  AuditManifest,
  'format' | 'export_id' | 'artifact_id' | 'chain' | 'genesis' | 'verifier_keys' | 'generated_at' | 'head' | 'files'
>

const isAuditManifest: Check<Verified> = shape<Verified>({
  ...LOG_MEMBERS,
  format: (value): value is typeof AUDIT_FORMAT => value === AUDIT_FORMAT,
  export_id: text,
  artifact_id: text,
  generated_at: text,
  head: shape({ size: count, last: hash }),
  files: namedFiles,
})

/** Whether a text claims to be such a manifest. */
export const claimsAuditFormat = (content: string): boolean => {
  const value = parsed(content)
  return typeof value === 'object' && value !== null && 'format' in value && value.format === AUDIT_FORMAT
}

/** Throws `Unreadable` for text of another shape. */
export function readAuditManifest(content: string): Verified {
  const manifest = parsed(content)
  if (!isAuditManifest(manifest)) throw new Unreadable(`manifest.json is not of format ${AUDIT_FORMAT}`)
  return manifest
}
