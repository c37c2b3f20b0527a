import type { Change } from '../../ledger/audit/changed.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { type ApiKey, apiKeys, keyRefs } from './api-key.ts'

/** The key stops working with this commit, because it is read at every request. It stays stored for the audit trail. */
export function revocation(key: ApiKey, at: number): Write[] {
  const { tenant_id, id, digest } = key
  const revoked_at = iso(at)
  return [
    apiKeys.update(
      key,
      {
        set: { revoked_at },
        remove: ['gsi2pk', 'gsi2sk'],
        condition: { expression: 'attribute_not_exists(#revoked_at)' },
      },
      conflict('The API key was already revoked by another request. Read it again.'),
    ),
    keyRefs.update({ tenant_id, id }, { set: { tenant_id, id, digest, revoked_at, _type: keyRefs.name } }),
  ]
}

export const revokedChange = ({ id, name }: ApiKey, reason?: string): Change => ({
  action: 'api_key.revoked',
  artifact: 'identity.api_key.revoked',
  subject: { type: 'api_key', id, name },
  changes: [{ path: 'status', before: 'active', after: 'revoked' }],
  ...(reason && { data: { reason }, reason }),
})
