// A message of Nango: a connection that was made, refused or refreshed; a list that was copied; a message that is passed on. Each
// is carried out once, in a transaction that also notes the message as seen. The tenant comes from the stored connection or
// authorisation, never from the message.
import { type Context, openTable, type Space, systemContext } from '../../../base/context.ts'
import { sha256Hex } from '../../../base/lib/json.ts'
import { Failure } from '../../../base/lib/failure.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { auditEntries, newEntry } from '../../../ledger/audit/entry.ts'
import { type Connection, connections } from '../connection.ts'
import { openCredential } from '../credential.ts'
import { findConnector, type KnownConnector } from '../known-connector.ts'
import { needsReauth, REFRESH_FAILED } from '../needs-reauth.ts'
import { nangoConnected, noteRefusal } from '../complete-authorisation.ts'
import { authorisations, openAuthorisation, takeAuthorisation } from '../oauth/authorisation.ts'
import { storeConnection } from '../store-connection.ts'
import { enqueueNango } from '../sync/enqueue.ts'
import { forward } from './forward.ts'
import { nangoConnections, seenMessages } from './nango-connection.ts'
import * as z from 'zod'
import { freeForm } from '../../../base/wire/fields.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { newJob, openSyncs, syncedModels, type SyncJob, syncJobs, touched } from '../sync/job.ts'
import { runSync } from '../sync/run-sync.ts'

const SEEN_MS = 86_400_000
/** Until a message about a list is looked at again, when another run is under way. */
const BUSY_SECONDS = 60

type Auth = Extract<NangoMessage, { type: 'auth' }>

/** Drops a message that was seen or is malformed. Throws where it has to come again: the table or Nango does not answer. */
export async function takeMessage(body: string): Promise<void> {
  const message = NangoMessage.safeParse(parsed(body)).data
  if (!message || (await isSeen(body))) return
  try {
    if (message.type === 'auth' && message.operation === 'creation') await created(message, body)
    else await ofKnown(message, body)
  } catch (error) {
    // A repeat, or something that has changed by now.
    if (!(error instanceof ConditionFailed) && !(error instanceof Failure && error.kind !== 'unavailable')) throw error
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const isSeen = async (body: string): Promise<boolean> =>
  (await openTable().get(seenMessages, { sha256: sha256Hex(body) })) !== undefined

/** The first commit with a `ref` notes the message. */
function contextOf(space: Space, body: string): Context {
  const ctx = systemContext({ tenant_id: space.tenant_id, mode: space.mode })
  const seen = { sha256: sha256Hex(body), expires_at: ctx.now() + SEEN_MS }
  ctx.table.joining = () => [seenMessages.insert(seen)]
  return ctx
}

/** An authorisation of this service that is open makes a connection. People may try again, so a failure does not use it up. */
async function created({ tags, success, connectionId, providerConfigKey, error }: Auth, body: string): Promise<void> {
  const row = tags?.state_hash && (await openTable().get(authorisations, { state_hash: tags.state_hash }))
  if (!row) return
  const ctx = contextOf(row, body)
  const connector = await findConnector(ctx, providerConfigKey)
  const of = await openAuthorisation(ctx, connector, row)
  if (!of) return noteTooLate(ctx, connector)
  if (of.by !== 'nango') return
  if (!success) {
    await noteRefusal(ctx, connector, error?.type ?? 'refused')
    return
  }
  const [type = 'system', id = 'system'] = of.principal.split(':')
  await storeConnection(ctx, connector, {
    ...nangoConnected(connector, of, connectionId),
    by: { type, id },
    persons: of.persons,
    taking: takeAuthorisation(of),
  })
}

/** Nango holds a connection that nobody here asked for, or asks for any more. */
async function noteTooLate(ctx: Context, { id, name }: KnownConnector): Promise<void> {
  const subject = { type: 'connector', id, name }
  const entry = newEntry(ctx, { action: 'connection.refused', outcome: 'failure', reason: 'too late', subject })
  await ctx.table.commit([auditEntries.insert(entry)], id)
}

/** Somebody agreed again, as opposed to a refresh of tokens, which changes nothing here. */
const isAgreedAnew = ({ operation }: Auth): boolean => operation === 'override'

async function ofKnown(message: NangoMessage, body: string): Promise<void> {
  const known = await openTable().get(nangoConnections, { nango_id: message.connectionId })
  if (known?.connector_id !== message.providerConfigKey) return
  const ctx = contextOf(known, body)
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id: known.connector_id })
  if (!connection || connection.nango_id !== message.connectionId) return
  if (message.type === 'forward') return forward(ctx, connection, message.payload)
  if (message.type === 'sync') {
    if (!(await continueSync(ctx, connection, message))) await enqueueNango(body, BUSY_SECONDS)
    return
  }
  if (!message.success) {
    if (connection.status === 'active') await needsReauth(ctx, connection, REFRESH_FAILED)
    return
  }
  const isWanted = connection.status === 'needs_reauth' || (connection.status === 'active' && isAgreedAnew(message))
  if (!isWanted) return
  const connector = await findConnector(ctx, known.connector_id)
  const credential = await openCredential(connector, connection)
  if (!credential) return
  const { by, persons } = credential
  const { scopes_granted, account, nango_id } = connection
  await storeConnection(ctx, connector, { credential, scopes_granted, account, by, persons, nango_id })
}

// What Nango sends, as far as it is read here. Kinds that are not named are dropped.

/** Names of lists, which become parts of keys of the table. */
export const MODEL = /^[A-Za-z0-9_-]{1,64}$/

const NOTHING = { added: 0, updated: 0, deleted: 0 }
const count = z.int().min(0).default(0)
const ofConnection = { connectionId: z.string().min(1).max(256), providerConfigKey: z.string().max(64) }

const NangoMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('auth'),
    ...ofConnection,
    operation: z.enum(['creation', 'override', 'refresh']),
    success: z.boolean(),
    tags: z.object({ state_hash: z.string().max(64).optional() }).optional(),
    error: z.object({ type: z.string().max(128) }).optional(),
  }),
  z.object({ type: z.literal('forward'), ...ofConnection, payload: freeForm }),
  z.object({
    type: z.literal('sync'),
    ...ofConnection,
    syncName: z.string().regex(MODEL),
    model: z.string().regex(MODEL),
    syncType: z.string().max(64).optional(),
    success: z.boolean(),
    responseResults: z.object({ added: count, updated: count, deleted: count }).default(NOTHING),
    checkpoints: z.object({ from: z.unknown() }).nullish(),
    error: z.object({ type: z.string().max(128) }).optional(),
  }),
])
type NangoMessage = z.output<typeof NangoMessage>

// Nango has copied a list: the run that waits for it goes on, and a copy that nobody here asked for becomes a run of its own.

type Copied = Extract<NangoMessage, { type: 'sync' }>

/** False: another run of the connector is under way, so that the message has to wait. */
async function continueSync(ctx: Context, connection: Connection, copied: Copied): Promise<boolean> {
  const { connector_id } = connection
  const open = await ctx.table.get(openSyncs, { ...ctx.space, connector_id })
  const job = open && (await ctx.table.get(syncJobs, { ...ctx.space, id: open.job_id }))
  if (open && !(job && isFor(job, connection, copied))) return false
  try {
    await runSync(ctx, await (job ? noted(ctx, job, copied) : unasked(ctx, connection, copied)))
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

const isFor = ({ connection_id, nango }: SyncJob, { id }: Connection, { syncName }: Copied): boolean =>
  connection_id === id && nango?.sync === syncName && nango.model === undefined

async function noted(ctx: Context, job: Stored<SyncJob>, copied: Copied): Promise<string> {
  await ctx.table.commit([syncJobs.replace(touched(ctx, withCopy(job, copied)), job), listed(job, copied)], job.id)
  return job.id
}

async function unasked(ctx: Context, { id, connector_id }: Connection, copied: Copied): Promise<string> {
  const at = iso(ctx.now())
  const of = { connector_id, connection_id: id, models: [copied.syncName], sync_mode: modeOf(copied) }
  const job = touched(ctx, withCopy({ ...newJob(ctx, of), status: 'running', started_at: at }, copied))
  const open = openSyncs.insert({ ...ctx.space, connector_id, job_id: job.id })
  await ctx.table.commit([syncJobs.insert(job), open, listed(job, copied)], job.id)
  return job.id
}

/** The counts are those of Nango's own run. */
function withCopy<T extends SyncJob>(job: T, { syncName, model, success, error, responseResults }: Copied): T {
  const { added, updated, deleted } = responseResults
  const counts = { added: job.added + added, updated: job.updated + updated, deleted: job.deleted + deleted }
  const nango = { sync: syncName, model, ...(!success && { error_code: codeOf(error?.type) }) }
  return { ...job, ...counts, waits: 0, nango }
}

const CODE = /^[\w .-]{1,100}$/
const codeOf = (said: string | undefined): string => (said !== undefined && CODE.test(said) ? said : 'provider_error')

/** A run of Nango without a checkpoint has read the whole list; one that a webhook started never has. */
const modeOf = ({ checkpoints, syncType }: Copied): SyncJob['sync_mode'] =>
  syncType !== 'WEBHOOK' && (checkpoints?.from ?? undefined) === undefined ? 'full' : 'incremental'

/** Written before the first record, so that the list is known when the connection ends. */
function listed({ tenant_id, mode, connection_id }: SyncJob, { model }: Copied) {
  const of = { tenant_id, mode, connection_id, model }
  return syncedModels.update(of, { set: { ...of, _type: syncedModels.name } })
}
