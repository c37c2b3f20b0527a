// Sends each mail to each of its recipients once, however often the queue delivers its message. A sender claims the mail
// first. An abandoned claim is taken over.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { entity, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

/** Longer than the worker may run, shorter than the visibility timeout of the queue. */
const LEASE_MS = 60_000
/** Longer than the queue keeps a message. */
const KEPT_SECONDS = 15 * 86_400

type SendId = { tenant_id: string; mail_id: string; recipient: string }

const sends = entity({
  name: 'MAIL',
  schema: z.object({ state: z.enum(['sending', 'sent']), claimed_at: z.int() }),
  key: ({ tenant_id, mail_id, recipient }: SendId) => ({
    pk: spaceKey({ tenant_id, mode: 'live' }, 'MAIL', mail_id),
    sk: recipient,
  }),
})

/** False when the mail was sent or is being sent. */
export async function claim(table: Table, of: SendId): Promise<boolean> {
  const now = table.clock.now()
  const condition = {
    expression: 'attribute_not_exists(pk) OR #state = :begun AND #claimed_at < :stale',
    values: { ':begun': 'sending', ':stale': now - LEASE_MS },
  }
  const set = { state: 'sending', claimed_at: now, _type: sends.name, _ttl: Math.floor(now / 1_000) + KEPT_SECONDS }
  try {
    await table.update(sends.key(of), { set, condition })
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

export const markSent = (table: Table, of: SendId): Promise<void> =>
  table.update(sends.key(of), { set: { state: 'sent' } })
