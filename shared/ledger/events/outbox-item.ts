// One item per commit with all of its events. It is written in the commit's own transaction, so an event can neither be
// lost nor speak of something that did not happen.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { Mail } from './mail.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'

const SHARDS = 8
const KEPT_SECONDS = 3 * 86_400

export const OutboxItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** What `unpackEvents` reads. */
  events: z.string(),
  /** Time of the commit: the timestamp of all its events. */
  at: z.int(),
  /** Mails that the commit causes, to be handed to their worker. */
  mails: z.array(Mail).optional(),
})
export type OutboxItem = z.output<typeof OutboxItem>

export const outbox = entity({
  name: 'OUTBOX',
  schema: OutboxItem,
  key: ({ pk, sk }: Key) => ({ pk, sk }),
  ttl: ({ at }) => Math.floor(at / 1_000) + KEPT_SECONDS,
})

/** `ulid` is any that is unique in the space. Spread over shards by its last, random character. */
export const outboxKey = (space: Space, ulid: string): Key => ({
  pk: spaceKey(space, 'OUT', String(ulid.charCodeAt(ulid.length - 1) % SHARDS)),
  sk: ulid,
})
