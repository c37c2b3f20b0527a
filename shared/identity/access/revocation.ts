import type { Change } from '../../ledger/audit/changed.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { type ApiKey, apiKeys } from './api-key.ts'

/** The key stops working with this commit, because it is read at every request. It stays stored for the audit trail. */
export const revocation = (key: ApiKey, at: number): Write =>
  apiKeys.update(
    key,
    {
      set: { revoked_at: iso(at) },
      remove: ['gsi2pk', 'gsi2sk'],
      condition: { expression: 'attribute_not_exists(#revoked_at)' },
    },
    conflict('The API key was already revoked by another request. Read it again.'),
  )

export const revokedChange = ({ id, name }: ApiKey, reason?: string): Change => ({
  action: 'api_key.revoked',
  artifact: 'identity.api_key.revoked',
  subject: { type: 'api_key', id, name },
  changes: [{ path: 'status', before: 'active', after: 'revoked' }],
  ...(reason && { data: { reason }, reason }),
})
