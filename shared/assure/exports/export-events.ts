// The events of an export, stamped with the artifact of its request.
import type { Context } from '../../base/context.ts'
import { type EventDraft, stamped } from '../../ledger/events/event.ts'
import { packEvents } from '../../ledger/events/outbox.ts'
import { outbox, outboxKey } from '../../ledger/events/outbox-item.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Export } from './export.ts'

/** The write that sends an event with a commit. */
export function eventWrite(ctx: Context, { requested_by, artifact }: Export, draft: EventDraft): Write {
  const occurrence = ctx.id('out').slice('out_'.length)
  const events = packEvents([stamped(draft, requested_by, artifact)])
  return outbox.insert({ ...outboxKey(ctx.space, occurrence), events, at: ctx.now() })
}

/** What webhooks call it. */
export const artifactTypeOf = ({ type }: Export['ask']) =>
  type === 'compliance' ? ('compliance_export' as const) : ('data_export' as const)

/** A file exists. */
export const createdEvent = ({ id, ask, file }: Export): EventDraft => ({
  type: 'artifact.created',
  subject: { id, version: 1 },
  data: {
    artifact_type: artifactTypeOf(ask),
    resource_id: id,
    name: file?.name ?? id,
    sha256: file?.sha256 ?? null,
    size_bytes: file?.size_bytes ?? null,
  },
})

/** A download URL (valid until `expires_at`) or the rows were given out. `occurrence` identifies this one time. */
export const sharedEvent = (resource_id: string, { occurrence, ...shared }: Shared): EventDraft => ({
  type: 'artifact.shared',
  subject: { id: `${resource_id}/${occurrence}`, version: 1 },
  data: { resource_id, ...shared },
})

export type Shared = {
  artifact_type: ReturnType<typeof artifactTypeOf>
  shared_with: string
  expires_at: string | null
  occurrence: string
}
