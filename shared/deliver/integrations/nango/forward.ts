// A message of a provider, handed on: the first rule that fits requests its action under governance, as any agent would.
import type { Context, Principal } from '../../../base/context.ts'
import { type JsonObject, parseExact } from '../../../base/wire/parse-body.ts'
import { loadInputs } from '../../../govern/executions/inputs.ts'
import type { ExecuteBody } from '../../../govern/executions/request.ts'
import { decideOn } from '../../../govern/protocol/decide.ts'
import { submit } from '../../../govern/protocol/submit.ts'
import { valueAt } from '../account.ts'
import type { Connection } from '../connection.ts'
import { openCredential } from '../credential.ts'
import { rulesOf } from '../inbound-rules.ts'
import { findConnector } from '../known-connector.ts'
import { openConnection } from '../open-connection.ts'
import { canonicalJson, type Json, sha256Hex } from '../../../base/lib/json.ts'
import { iso } from '../../../base/lib/clock.ts'
import { storedTextsUnder } from '../../../govern/governance/pii/stored-text.ts'
import { findPointer, readSettings } from '../../../govern/governance/settings.ts'
import { payloadBytes, sealPayload } from '../../../ledger/sealing/seal.ts'
import { storageChange } from '../../../ledger/usage/usage-item.ts'
import { syncedModels } from '../sync/job.ts'
import { syncedRecords } from '../sync/record.ts'

const PAYLOAD_BYTES_MAX = 65_536

export async function forward(ctx: Context, connection: Connection, payload: JsonObject): Promise<void> {
  if (connection.status !== 'active' || Buffer.byteLength(JSON.stringify(payload)) > PAYLOAD_BYTES_MAX) return
  const connector = await findConnector(ctx, connection.connector_id)
  const credential = await openCredential(connector, connection)
  // What the table names as the tenant's connection may have been rewritten, so Nango is asked whose it is.
  if (!credential || !(await openConnection(ctx, connector.id))) return
  const { rules, persons } = await rulesOf(ctx, connector)
  const rule = rules.find(({ path, equals }) => textOf(valueAt(payload, path)) === equals)
  if (!rule) return keep(ctx, connection, payload)
  const { node_id, action_id } = rule
  const unsaid = { decision_contract_id: undefined, routing_hints: undefined, policy_context: undefined }
  const body: ExecuteBody = { node_id, action_id, payload, ...unsaid }
  const acting: Context = { ...ctx, principal: agentOf(connector.id, [...credential.persons, ...persons]) }
  await submit(
    acting,
    await decideOn(acting, await loadInputs(ctx.table, ctx.space, { body, caller: acting.principal }), body),
  )
}

async function keep(ctx: Context, connection: Connection, payload: JsonObject): Promise<void> {
  const exact = parseExact(Buffer.from(JSON.stringify(payload)))
  if (exact !== undefined) await keepForwarded(ctx, connection, exact)
}

/** Texts, numbers and booleans can be compared. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

/** The people who connected the account or wrote the rule could have made the message, so they cannot approve its request. */
const agentOf = (connector_id: string, persons: readonly string[]): Principal => ({
  kind: 'agent',
  id: `connector:${connector_id}`,
  credential: 'system',
  permissions: new Set(['protocol:execute']),
  roles: [],
  persons: [...new Set(persons)],
  agent_id: `connector:${connector_id}`,
})

/** Messages that no rule asks for are kept for a while, as records of this list. */
export const FORWARDED = '_forwarded'
const KEPT_MS = 7 * 86_400_000

/** Redacted first where the tenant asks for that, as copied records are. */
async function keepForwarded(ctx: Context, { id }: Connection, payload: Json): Promise<void> {
  const of = { ...ctx.space, connection_id: id, model: FORWARDED }
  const record = { ...of, external_id: ctx.id('fwd') }
  const { content } = await storedTextsUnder(readSettings(await findPointer(ctx.table, ctx.space)), {
    content: payload,
  })
  const { sealed } = await sealPayload(ctx.space, syncedRecords.key(record), 'sealed', content)
  const kept_until = iso(ctx.now() + KEPT_MS)
  await ctx.table.commit(
    [
      syncedRecords.insert({
        ...record,
        sha256: sha256Hex(canonicalJson(payload)),
        sealed,
        job_id: FORWARDED,
        kept_until,
      }),
      syncedModels.update(of, { set: { ...of, _type: syncedModels.name } }),
      ...storageChange(ctx, payloadBytes(sealed)),
    ],
    record.external_id,
  )
}
