import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { OAuthClient } from './client.ts'

export const ClientView = z.object({
  ...OAuthClient.omit({
    tenant_id: true,
    cap: true,
    seen_by: true,
    sealed_secret: true,
    sealed_logout_uri: true,
    previous_secret: true,
    registered: true,
    ends_tokens: true,
  }).shape,
  /** Until when the previous secret works, too. */
  previous_secret_until: z.string().nullable().describe('When the previous secret expires.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export function clientView(client: Stored<OAuthClient>, now: number): z.input<typeof ClientView> {
  const until = client.previous_secret?.until
  return {
    ...client,
    previous_secret_until: until !== undefined && until > iso(now) ? until : null,
    version: client._v,
  }
}
