// An export that is made in the background: the request, its state, its file, and its events.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { moves } from '../../base/kernel/lifecycle.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import type { States } from '../../base/lib/states.ts'
import { type EventDraft, stamped } from '../../ledger/events/event.ts'
import { outbox, outboxKey, packEvents } from '../../ledger/events/outbox.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'

export const EXPORT_STATUSES = ['processing', 'ready', 'failed'] as const
export type ExportStatus = (typeof EXPORT_STATUSES)[number]

/** The states of an export. A file is withdrawn when a payload in it was erased. */
export const EXPORT_STATES: States<ExportStatus> = {
  processing: ['ready', 'failed'],
  ready: ['failed'],
  failed: [],
}

/** After this number of days the bucket deletes a file. */
export const FILE_DAYS = 7

/** Times are ISO 8601. Bounds that are left out are open; upper bounds are exclusive. */
export const PackAsk = z.object({
  type: z.literal('evidence'),
  start_at: z.string().optional(),
  end_at: z.string().optional(),
  from_sequence: z.int().optional(),
  to_sequence: z.int().optional(),
  include_payloads: z.boolean(),
})
export type PackAsk = z.output<typeof PackAsk>

/** The content of a pack as of `at` (ms): sequences from `from` up to and without `to`. */
export const PackPlan = z.object({ from: z.int(), to: z.int(), include_payloads: z.boolean(), at: z.int() })
export type PackPlan = z.output<typeof PackPlan>

export const ROW_EXPORTS = ['receipts', 'approvals', 'usage', 'training'] as const
export const FORMATS = ['json', 'ndjson', 'csv'] as const

export const RowsAsk = z.object({
  type: z.enum(ROW_EXPORTS),
  start_at: z.string(),
  end_at: z.string(),
  format: z.enum(FORMATS),
  /** Whether CSV begins with a byte order mark. */
  bom: z.literal(true).optional(),
})
export type RowsAsk = z.output<typeof RowsAsk>

/** The archive for an audit of one framework. */
export const AuditAsk = z.object({
  type: z.literal('compliance'),
  framework_id: z.string(),
  start_at: z.string(),
  end_at: z.string(),
  include_chain: z.boolean(),
  include_files: z.boolean(),
  /** `seed`: 64 hex digits. Without it, the chain gives one. */
  sample: z.object({ size: z.int(), seed: z.string().optional() }),
})
export type AuditAsk = z.output<typeof AuditAsk>

const Ask = z.discriminatedUnion('type', [PackAsk, RowsAsk, AuditAsk])
type Ask = z.output<typeof Ask>

export const Export = z.object({
  ...resourceMembers,
  status: z.enum(EXPORT_STATUSES),
  ask: Ask,
  requested_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
  requested_at: z.string(),
  /** The artifact of the request. */
  artifact: z.object({ id: z.string(), hash: z.string() }),
  /** The content of the pack, once the chain commits to it: `artifact_id` is the artifact with the hash of its manifest. */
  pack: PackPlan.extend({ artifact_id: z.string(), manifest_sha256: z.string() }).optional(),
  /**
   * The archive for an audit without its proofs, once the chain commits to it at `at` (ms): `artifact_id` is the artifact with the
   * hash of its manifest, `pack_artifact_id` the one of the pack inside.
   */
  draft: z
    .object({
      key: z.string(),
      at: z.int(),
      artifact_id: z.string(),
      pack_artifact_id: z.string().optional(),
      row_count: z.int(),
    })
    .optional(),
  /** How often a run was started. */
  attempt: z.int(),
  /** While processing: when the sweeper starts another run. */
  due_at: z.string().optional(),
  file: z
    .object({ key: z.string(), name: z.string(), sha256: z.string(), size_bytes: z.int(), row_count: z.int() })
    .optional(),
  error: z.string().optional(),
})
export type Export = z.output<typeof Export>

const isOf = <T extends Ask['type']>(ask: Ask, type: T): ask is Extract<Ask, { type: T }> => ask.type === type

/** The request of an export of this type. */
export function askOf<T extends Ask['type']>({ ask }: Pick<Export, 'ask'>, type: T): Extract<Ask, { type: T }> {
  if (isOf(ask, type)) return ask
  throw new Error(`an export of ${ask.type} is not one of ${type}`)
}

export const exports = entity({
  name: 'EXPORT',
  unbound: 'bounded',
  schema: Export,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'EXPORT', of.id), sk: 'EXPORT' }),
  index: (item) => ({ gsi1pk: exportsPartition(item), gsi1sk: item.id, ...dueAt(item.due_at, item.id) }),
  ttl: (item) => Math.floor(fileExpiry(item) / 1_000),
})

/** Only the request leaves evidence. A worker whose export another one has moved meanwhile gets `ConditionFailed`, and stops. */
export const { move: moveExport, touch: touchExport } = moves(exports, EXPORT_STATES, { lost: () => undefined })

export const exportsPartition = (space: Space): string => spaceKey(space, 'EXPORTS')

/** When (ms) file and item are deleted. */
export const fileExpiry = ({ requested_at }: Pick<Export, 'requested_at'>): number =>
  Date.parse(requested_at) + FILE_DAYS * 86_400_000

/** The write that sends an event of an export with a commit, stamped with the artifact of its request. */
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

/** A download URL (valid until `expires_at`) or the rows were returned. `occurrence` identifies this one time. */
export const sharedEvent = (resource_id: string, { occurrence, ...shared }: Shared): EventDraft => ({
  type: 'artifact.shared',
  subject: { id: `${resource_id}/${occurrence}`, version: 1 },
  data: { resource_id, ...shared },
})

type Shared = {
  artifact_type: ReturnType<typeof artifactTypeOf>
  shared_with: string
  expires_at: string | null
  occurrence: string
}

/** Records that content was returned at once, and to whom. `data` describes the content. */
export async function recordShared(
  ctx: Context,
  id: string,
  artifact_type: Shared['artifact_type'],
  data: Record<string, string | number>,
): Promise<void> {
  const artifact = newArtifact(ctx, { type: 'evidence.exported', subject: { type: 'export', id }, data })
  const occurrence = ctx.request.request_id
  const shared = { artifact_type, shared_with: ctx.principal.id, expires_at: null, occurrence }
  await ctx.table.commit(commitWith(ctx, [{ artifact, events: [sharedEvent(id, shared)] }]))
}

/** The key of the file of an export in the bucket of files. */
export const fileKey = (space: Space, id: string, extension: string): string =>
  `exports/${chainName(space)}/${id}.${extension}`

/** Whether a pack with payloads is being made. It fails when one of them is removed meanwhile. */
export async function makesPayloads(ctx: Context): Promise<boolean> {
  const all = await ctx.table.query(exports, { pk: exportsPartition(ctx.space), index: 'gsi1' })
  return all.some(({ status, ask }) => status === 'processing' && ask.type === 'evidence' && ask.include_payloads)
}
