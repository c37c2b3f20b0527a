// Whose connection an id of Nango is: the only way from a message to a tenant.
import * as z from 'zod'
import { entity, key } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'

const NangoConnection = z.object({ ...spaceMembers, nango_id: z.string(), connector_id: z.string() })

/** Ids of Nango hold any character. */
const safe = (id: string) => Buffer.from(id).toString('base64url')

export const nangoConnections = entity({
  name: 'NANGOCONN',
  unbound: 'bounded',
  schema: NangoConnection,
  key: ({ nango_id }: { nango_id: string }) => ({ pk: key('NANGOCONN', safe(nango_id)), sk: 'CONN' }),
})

const Seen = z.object({ sha256: z.string(), expires_at: z.int() })

/** A message that was carried out: Nango sends it again when it had no answer in time. */
export const seenMessages = entity({
  name: 'NANGOEVT',
  unbound: 'bounded',
  schema: Seen,
  key: ({ sha256 }: { sha256: string }) => ({ pk: key('NANGOEVT', sha256), sk: 'EVT' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})
