// Sends each mail to each of its recipients once, however often the queue delivers its message. A sender claims the mail
// first. An abandoned claim is taken over.
import * as z from 'zod'
import { takeUnread } from '../../base/kernel/lease.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

/** Longer than the worker may run, shorter than the visibility timeout of the queue. */
const LEASE_MS = 60_000
/** Longer than the queue keeps a message. */
const KEPT_SECONDS = 15 * 86_400

type SendId = { tenant_id: string; mail_id: string; recipient: string }

const sends = entity({
  name: 'MAIL',
  unbound: 'bounded',
  schema: z.object({ state: z.enum(['sending', 'sent']), claimed_at: z.int() }),
  key: ({ tenant_id, mail_id, recipient }: SendId) => ({
    pk: spaceKey({ tenant_id, mode: 'live' }, 'MAIL', mail_id),
    sk: recipient,
  }),
})

/** False when the mail was sent or is being sent. */
export async function claim(table: Table, of: SendId): Promise<boolean> {
  const now = table.clock.now()
  const set = { state: 'sending', claimed_at: now, _type: sends.name, _ttl: Math.floor(now / 1_000) + KEPT_SECONDS }
  return takeUnread(table, sends.key(of), {
    set,
    end: 'claimed_at',
    before: now - LEASE_MS, // the item stores when the lease began
    free: (ended) => `#state = :begun AND ${ended}`,
    values: { ':begun': 'sending' },
  })
}

export const markSent = (table: Table, of: SendId): Promise<void> =>
  table.update(sends.key(of), { set: { state: 'sent' } })
