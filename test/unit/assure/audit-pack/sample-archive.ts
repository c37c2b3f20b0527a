// An archive for an audit made by hand, in memory, around a sample pack of the chain. Its maker can seal it again after any change.
import { AUDIT, AUDIT_FORMAT, type AuditManifest } from '../../../../shared/assure/audit-pack/manifest.ts'
import { sha256Hex } from '../../../../shared/base/lib/json.ts'
import { MADE_AT, manifestOf, type Pack, proven } from '../exports/sample-pack.ts'
import { AT, WINDOW } from './make.ts'

export type Archive = { files: Map<string, string>; pack: Pack }

const EXPORT_ID = 'exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C'
const ARTIFACT_ID = 'art_12'

export const archiveManifest = ({ files }: Archive): AuditManifest => JSON.parse(files.get(AUDIT.manifest) ?? '{}')

export type ArchiveOptions = { withChain?: boolean; facts?: object; edit?: (manifest: AuditManifest) => object }

/** `edit` changes the manifest before it is sealed, `facts` the artifact that seals it. */
export function archiveOf(
  pack: Pack,
  content: Record<string, string>,
  { withChain = true, facts = {}, edit = () => ({}) }: ArchiveOptions = {},
): Archive {
  const files = new Map(Object.entries(content))
  if (withChain) for (const [path, text] of pack) files.set(`${AUDIT.chain}${path}`, text)
  const listed = [...files].filter(
    ([path]) => !path.startsWith(AUDIT.chain) || path === `${AUDIT.chain}${AUDIT.manifest}`,
  )
  const { chain, genesis, verifier_keys, range } = manifestOf(pack)
  const manifest: AuditManifest = {
    format: AUDIT_FORMAT,
    export_id: EXPORT_ID,
    artifact_id: ARTIFACT_ID,
    tenant: { id: 'ten_01', name: 'Acme' },
    mode: 'live',
    framework: { id: 'soc2', name: 'SOC 2', version: '2017-rev-2022' },
    catalogue_hash: 'a'.repeat(64),
    scope: {},
    window: WINDOW,
    as_of: AT,
    run_id: 'run_01',
    generated_at: MADE_AT,
    generator: 'countersign 0.1.0',
    notice: '',
    chain,
    genesis,
    verifier_keys,
    head: { size: range.to, last: 'b'.repeat(64) },
    sample: { size: 25, seed: 'b'.repeat(64), seed_source: 'chain' },
    omissions: [],
    files: listed.map(([path, text]) => ({
      path,
      sha256: sha256Hex(text),
      bytes: Buffer.byteLength(text),
      rows: text.split('\n').length - 1,
    })),
  }
  const text = JSON.stringify({ ...manifest, ...edit(manifest) })
  files.set(AUDIT.manifest, text)
  const data = { export_id: EXPORT_ID, manifest_sha256: sha256Hex(text) }
  files.set(AUDIT.proof, proven(pack, { type: 'compliance.exported', artifact_id: ARTIFACT_ID, data, ...facts }))
  return { files, pack }
}
