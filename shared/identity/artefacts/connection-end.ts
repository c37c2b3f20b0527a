// When the access of an application to a person's account was last ended. A grant leaves nothing behind, so without this nobody
// could tell what the application asked for before.
import * as z from 'zod'
import { DAY_MS } from '../../base/lib/clock.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'

type Of = { tenant_id: string; user_id: string; client_id: string }

export const connectionEnds = entity({
  name: 'OAUTHEND',
  unbound: 'bounded',
  schema: z.object({
    tenant_id: z.string(),
    user_id: z.string(),
    client_id: z.string(),
    /** Milliseconds. */
    at: z.int(),
  }),
  key: ({ tenant_id, user_id, client_id }: Of) => ({
    pk: key('T', tenant_id, 'live', 'OAUTHEND', user_id, client_id),
    sk: 'END',
  }),
})

/** Longer than anything waits for an approval. */
const KEPT_MS = 30 * DAY_MS

/** `client_id` as the tenant stores it. A later end replaces an earlier one. */
export const connectionEnded = (of: Of, at: number): Write =>
  connectionEnds.update(of, {
    set: { ...of, at, _type: connectionEnds.name, _ttl: Math.ceil((at + KEPT_MS) / 1_000) },
  })
