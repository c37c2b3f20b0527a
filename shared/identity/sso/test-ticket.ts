// Test tickets: with one, a browser can test a configuration for ten minutes, even if it is not enabled.
import * as z from 'zod'
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

const LIFE_MS = 600_000

const testTickets = entity({
  name: 'SSOTEST',
  unbound: 'bounded',
  schema: z.object({ hash: z.string(), tenant_id: z.string(), expires_at: z.int() }),
  key: ({ hash }: { hash: string }) => ({ pk: key('SSOTEST', hash), sk: 'SSOTEST' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

export async function createTestTicket(ctx: Context): Promise<string> {
  const ticket = newSecret(ctx.random)
  const { tenant_id } = ctx.space
  await ctx.table.commit([testTickets.insert({ hash: hashOf(ticket), tenant_id, expires_at: ctx.now() + LIFE_MS })])
  return ticket
}

/** The tenant of a ticket; undefined when the ticket does not exist or has expired. */
export async function testedTenant(table: Table, ticket: string, now: number): Promise<string | undefined> {
  const found = await table.get(testTickets, { hash: hashOf(ticket) })
  return found && found.expires_at > now ? found.tenant_id : undefined
}
