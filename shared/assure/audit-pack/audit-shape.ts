// Checks the shape of the manifest before the verifier uses it: only of what it uses, because the log holds the hash of all.
import {
  type Check,
  namedFiles,
  hash,
  count,
  LOG_MEMBERS,
  parsed,
  shape,
  text,
  Unreadable,
} from '../exports/pack/reader.ts'
import { AUDIT_FORMAT, type AuditManifest } from './audit-manifest.ts'

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
export const isOfAudit = (content: string): boolean => {
  const value = parsed(content)
  return typeof value === 'object' && value !== null && 'format' in value && value.format === AUDIT_FORMAT
}

/** Throws `Unreadable`. */
export function readAuditManifest(content: string): Verified {
  const manifest = parsed(content)
  if (!isAuditManifest(manifest)) throw new Unreadable(`manifest.json is not of format ${AUDIT_FORMAT}`)
  return manifest
}
