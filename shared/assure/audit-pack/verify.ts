// Verifies an archive of either format.
import { PACK } from '../exports/pack/pack.ts'
import { type PackFiles, readText } from '../exports/pack/reader.ts'
import { verifyPack, type VerifyOptions } from '../exports/verify/pack.ts'
import { isOfAudit } from './audit-shape.ts'
import { verifyAudit } from './verify-audit.ts'

export async function verifyArchive(files: PackFiles, options?: VerifyOptions) {
  const text = await readText(files, PACK.manifest)
  return isOfAudit(text) ? verifyAudit(files, options) : verifyPack(files, options)
}
