// Hashes of the addresses of deleted accounts: a sign-in through an identity provider must not recreate an account that the
// tenant has removed.
import * as z from 'zod'
import { entity, key, type Write } from '../../base/table/entity.ts'

export const formerAddresses = entity({
  name: 'FORMER',
  unbound: 'bounded',
  schema: z.object({ tenant_id: z.string(), email_hash: z.string() }),
  key: (of: { tenant_id: string; email_hash: string }) => ({
    pk: key('T', of.tenant_id, 'live', 'FORMER'),
    sk: of.email_hash,
  }),
})

/** Remembers the address. Repeating it changes nothing. */
export const addressLeft = (of: { tenant_id: string; email_hash: string }): Write =>
  formerAddresses.update(of, { set: { ...of, _type: formerAddresses.name } })
