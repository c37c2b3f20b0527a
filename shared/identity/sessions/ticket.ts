// A ticket lets one account sign in to the pool once, within a minute, without its password. It serves people whom an
// identity provider has verified. The pool's trigger function uses it up.
import * as z from 'zod'
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { entity, key } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { isFirst } from '../../base/kernel/retry.ts'

const LIFE_MS = 60_000

const tickets = entity({
  name: 'TICKET',
  unbound: 'bounded',
  schema: z.object({ hash: z.string(), tenant_id: z.string(), user_id: z.string(), expires_at: z.string() }),
  key: ({ hash }: { hash: string }) => ({ pk: key('TICKET', hash), sk: 'TICKET' }),
  ttl: ({ expires_at }) => Math.ceil(Date.parse(expires_at) / 1_000),
})

/** Stores the hash of a new ticket and returns the ticket. */
export async function createTicket(ctx: Context, user_id: string): Promise<string> {
  const ticket = newSecret(ctx.random)
  const { tenant_id } = ctx.space
  const expires_at = iso(ctx.now() + LIFE_MS)
  await ctx.table.commit([tickets.insert({ hash: hashOf(ticket), tenant_id, user_id, expires_at })])
  return ticket
}

/** Uses up the ticket. False when it is not a valid ticket of that account. */
export async function takeTicket(table: Table, { ticket, user_id }: { ticket: string; user_id: string }) {
  const condition = {
    expression: '#user_id = :user_id AND #expires_at > :now',
    names: { '#user_id': 'user_id', '#expires_at': 'expires_at' },
    values: { ':user_id': user_id, ':now': iso(table.clock.now()) },
  }
  return isFirst(table.commit([tickets.remove({ hash: hashOf(ticket) }, condition)]))
}
