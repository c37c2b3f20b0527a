// Carries out a message of Nango, once. The tenant comes from what is stored, never from the message alone.
import { openTable, type Space, systemContext, type Context } from '../../../base/context.ts'
import { sha256Hex } from '../../../base/lib/json.ts'
import { Failure } from '../../../base/lib/failure.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { auditEntries } from '../../../ledger/audit/entry.ts'
import { newEntry } from '../../../ledger/audit/new-entry.ts'
import { connections } from '../connection.ts'
import { openCredential } from '../credential.ts'
import { findConnector, type KnownConnector } from '../known-connector.ts'
import { needsReauth, REFRESH_FAILED } from '../needs-reauth.ts'
import { nangoConnected, noteRefusal } from '../complete-authorisation.ts'
import { authorisations, openAuthorisation, takeAuthorisation } from '../oauth/authorisation.ts'
import { storeConnection } from '../store-connection.ts'
import { enqueueNango } from '../sync/enqueue.ts'
import { forward } from './forward.ts'
import { NangoMessage } from './message.ts'
import { nangoConnections, seenMessages } from './nango-connection.ts'
import { tellSync } from './tell-sync.ts'

const SEEN_MS = 86_400_000
/** Until a word about a list is looked at again, when another run is under way. */
const BUSY_SECONDS = 60

type Auth = Extract<NangoMessage, { type: 'auth' }>

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

/** A refresh of what works changes nothing. */
const isAgreedAnew = ({ operation }: Auth): boolean => operation === 'override'

async function ofKnown(message: NangoMessage, body: string): Promise<void> {
  const known = await openTable().get(nangoConnections, { nango_id: message.connectionId })
  if (known?.connector_id !== message.providerConfigKey) return
  const ctx = contextOf(known, body)
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id: known.connector_id })
  if (!connection || connection.nango_id !== message.connectionId) return
  if (message.type === 'forward') return forward(ctx, connection, message.payload)
  if (message.type === 'sync') {
    if (!(await tellSync(ctx, connection, message))) await enqueueNango(body, BUSY_SECONDS)
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
