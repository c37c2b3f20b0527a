// A record of a provider as it was copied. Its content is sealed.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { entity, key, spaceKey } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'

export const SyncedRecord = z.object({
  ...spaceMembers,
  connection_id: z.string(),
  model: z.string(),
  external_id: z.string(),
  /** Of the content as the provider sent it. */
  sha256: z.string(),
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  /** The latest run that saw it: a page that runs twice counts once. */
  job_id: z.string(),
  /** So long after a run has seen it last a copy is kept, by the plan of that time. */
  kept_until: z.string().optional(),
})
export type SyncedRecord = z.output<typeof SyncedRecord>

type Of = Space & { connection_id: string; model: string }

export const recordsPartition = (of: Of): string => spaceKey(of, 'REC', of.connection_id, of.model)

/** The copies of all connections, in the order in which they go. */
export const keptPartition = (space: Space): string => spaceKey(space, 'RECORDS')

/** Ids of providers hold any character. */
const sortOf = (external_id: string): string => Buffer.from(external_id).toString('base64url')

export const syncedRecords = entity({
  name: 'RECORD',
  unbound: 'bounded',
  schema: SyncedRecord,
  key: (of: Of & { external_id: string }) => ({ pk: recordsPartition(of), sk: sortOf(of.external_id) }),
  index: (of) =>
    of.kept_until === undefined
      ? {}
      : { gsi1pk: keptPartition(of), gsi1sk: key(of.kept_until, of.connection_id, of.model, sortOf(of.external_id)) },
})
