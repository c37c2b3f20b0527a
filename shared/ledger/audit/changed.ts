// Every change of rights or settings commits three records in its transaction: an artifact, an audit log entry and its
// events. Mails are sent after the commit.
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../events/event.ts'
import { newArtifacts } from '../evidence/artifact/artifact.ts'
import { commitWith, type RecordOptions, type Transition } from '../evidence/artifact/record.ts'
import type { Header } from '../evidence/artifact/header.ts'
import type { Write } from '../../base/table/entity.ts'
import type { AuditedType, SometimesAudited } from './audited.ts'
import { type AuditChange, auditEntries, newEntry } from './entry.ts'

export type Change = {
  /** `resource.verb`, as the audit log shows it. */
  action: string
  artifact: AuditedType | SometimesAudited
  /** Only where the committed state names it; default: a new id. */
  artifact_id?: string
  /** `name` is shown in the audit log only. */
  subject: { type: string; id: string; name?: string }
  /** The node, its version or its action that it is about. */
  of?: Pick<Header, 'node_id' | 'action_id' | 'version'>
  /** Data of the artifact: ids and figures, never an e-mail address or a secret. */
  data?: Header['data']
  changes?: readonly AuditChange[]
  reason?: string
  /** The country of a sign-in, if known. */
  country?: string | undefined
  events?: readonly EventDraft[]
}

/**
 * The writes of one or more changes: artifact, audit entry and events of each. Pass them once to one `ctx.table.commit`, which
 * stores all or none. Actor, request and address of the entries come from `ctx`, never from the change.
 */
export function changed(ctx: Context, changes: readonly [Change, ...Change[]], options: RecordOptions = {}): Write[] {
  const artifacts = newArtifacts(
    ctx,
    ...changes.map(({ artifact, artifact_id, subject: { type, id }, of, data }) => ({
      ...of,
      ...(artifact_id !== undefined && { artifact_id }),
      type: artifact,
      subject: { type, id },
      ...(data && { data }),
    })),
  )
  const transitions = artifacts.map((artifact, index): Transition => {
    const events = changes[index]?.events
    return { artifact, ...(events && { events }) }
  })
  const entries = changes.map((change, index) =>
    auditEntries.insert(
      newEntry(ctx, { ...change, outcome: 'success', evidence_artifact_id: artifacts[index]?.artifact_id }),
    ),
  )
  const [first, ...others] = transitions
  return first ? [...entries, ...commitWith(ctx, [first, ...others], options)] : []
}
