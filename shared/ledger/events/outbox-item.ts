// One item per commit with all of its events, written in the same transaction. So an event cannot be lost, and no event
// exists without its commit.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { Logout } from './logout.ts'
import { Mail } from './mail.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'

export const SHARDS = 8
const KEPT_SECONDS = 3 * 86_400

export const OutboxItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Packed events, see `unpackEvents`. */
  events: z.string(),
  /** Time of the commit: the timestamp of all its events. */
  at: z.int(),
  /** Mails of the commit; the relay enqueues them. */
  mails: z.array(Mail).optional(),
  /** OAuth clients to tell that a person has signed out; the relay enqueues them, too. */
  logouts: z.array(Logout).optional(),
})
export type OutboxItem = z.output<typeof OutboxItem>

export const outbox = entity({
  name: 'OUTBOX',
  unbound: 'proven by artifacts',
  schema: OutboxItem,
  key: ({ pk, sk }: Key) => ({ pk, sk }),
  ttl: ({ at }) => Math.floor(at / 1_000) + KEPT_SECONDS,
})

/** `ulid`: unique in the space. Its last, random character chooses the shard. */
export const outboxKey = (space: Space, ulid: string): Key => ({
  pk: spaceKey(space, 'OUT', String(ulid.charCodeAt(ulid.length - 1) % SHARDS)),
  sk: ulid,
})
