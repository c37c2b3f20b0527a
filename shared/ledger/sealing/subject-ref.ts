import { derivedKey } from '../../base/aws/deployment-secret.ts'
import type { Space } from '../../base/context.ts'
import { hmacSha256 } from '../../base/lib/json.ts'
import { hex } from '../evidence/artifact/hashes.ts'

/** The pseudonym (32 hex digits) of a data subject of this tenant. The subject itself is never stored. */
export async function subjectRef({ tenant_id }: Space, dataSubject: string): Promise<string> {
  return hex(hmacSha256(await derivedKey(`subject-ref/v1/${tenant_id}`), dataSubject).subarray(0, 16))
}
