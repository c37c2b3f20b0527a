import { derivedKey } from '../access/deployment-secret.ts'
import type { Space } from '../context.ts'
import { hmacSha256 } from '../lib/hash.ts'
import { hex } from './hashes.ts'

/** The pseudonym (32 hex digits) under which a data subject of this tenant is known; the subject itself is never stored. */
export async function subjectRef({ tenant_id }: Space, dataSubject: string): Promise<string> {
  return hex(hmacSha256(await derivedKey(`subject-ref/v1/${tenant_id}`), dataSubject).subarray(0, 16))
}
