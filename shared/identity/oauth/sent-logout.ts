// The outcome of a notice of logout: one item per logout and client, as the tenant sees it.
import * as z from 'zod'
import { entity, spaceKey } from '../../base/table/entity.ts'

const KEPT_SECONDS = 30 * 86_400

export const SentLogout = z.object({
  id: z.string().describe('The id, which never changes.'),
  tenant_id: z.string(),
  client_id: z.string(),
  user_id: z.string().describe('Whose access ended.'),
  /** `retrying`: it will be sent again. `failed`: it will not. */
  status: z
    .enum(['delivered', 'retrying', 'failed'])
    .describe('`retrying`: it is sent again. `failed`: it is not, after eight attempts.'),
  attempts: z.int().describe('How often it was sent.'),
  last_attempt_at: z.string().describe('When it was sent last.'),
  status_code: z.int().nullable().describe('What the client answered; null when it did not.'),
  error_class: z.string().nullable().describe('Why there was no answer; null when there was one.'),
})
export type SentLogout = z.output<typeof SentLogout>

type Of = Pick<SentLogout, 'tenant_id' | 'client_id'>

export const sentLogoutPartition = ({ tenant_id, client_id }: Of): string =>
  spaceKey({ tenant_id, mode: 'live' }, 'OAUTHLOGOUT', client_id)

export const sentLogouts = entity({
  name: 'OAUTHLOGOUT',
  unbound: 'bounded',
  schema: SentLogout,
  key: (of: Of & Pick<SentLogout, 'id'>) => ({ pk: sentLogoutPartition(of), sk: of.id }),
  ttl: ({ last_attempt_at }) => Math.floor(Date.parse(last_attempt_at) / 1_000) + KEPT_SECONDS,
})

export const SentLogoutView = SentLogout.omit({ tenant_id: true, client_id: true })
