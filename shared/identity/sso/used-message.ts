// Remembers used assertions and logout messages, because each is accepted once.
import * as z from 'zod'
import { hashOf } from '../access/one-time.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { invalidMessage } from './refusal.ts'

/** How long a used message is remembered after its end; longer than the accepted clock skew. */
const REMEMBERED_MS = 120_000

const UsedAssertion = z.object({ tenant_id: z.string(), id_hash: z.string(), expires_at: z.int() })

const usedAssertions = entity({
  name: 'ASSERT',
  unbound: 'bounded',
  schema: UsedAssertion,
  key: (of: { tenant_id: string; id_hash: string }) => ({
    pk: spaceKey({ tenant_id: of.tenant_id, mode: 'live' }, 'ASSERT', of.id_hash),
    sk: 'A',
  }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

export type Message = { issuer: string; id: string; until: number }

/** A write that fails when the message was used before. `until`: the end of the message, ms. */
export const usedOnce = (tenant_id: string, { issuer, id, until }: Message): Write =>
  usedAssertions.insert(
    { tenant_id, id_hash: hashOf(JSON.stringify([issuer, id])), expires_at: until + REMEMBERED_MS },
    invalidMessage('replay', 'This message was used before.'),
  )
