// A freeze as the API shows it: what it has stopped, what waits for its end, and which callers it stops besides.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Freeze } from './freeze.ts'
import { apiKeys, keysPartition, statusOf } from '../../identity/access/api-key.ts'
import { personsOf } from '../../identity/access/permissions.ts'
import {
  clientsPartition,
  documentClientsPartition,
  type OAuthClient,
  oauthClients,
} from '../../identity/oauth/clients/client.ts'
import { frozenBy, requesterOf, ruleOf } from '../governance/freeze.ts'
import { iso } from '../../base/lib/clock.ts'
import { countedUntil } from '../../ledger/fold/fold.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { HITS_FOLDER, newestRows, readSums } from '../../ledger/hits/hit.ts'
import { KIND_NAMES } from '../../base/catalog/kinds.ts'
import { type Approval, approvals, statusPartition } from '../approvals/approval.ts'
import { readTargetText } from '../governance/decide/policy-facts.ts'

export const FreezeView = Freeze.omit({ tenant_id: true, mode: true }).extend({
  stopped: z
    .object({
      executions: z.int().describe('Requests that it refused.'),
      undos: z.int().describe('Requests to undo something that it refused.'),
      complete_until: z.string().describe('Everything before this time is counted.'),
    })
    .describe('What it has refused, as counted by `complete_until`.'),
  waiting: z.int().describe('Approved actions that begin only when it is lifted.'),
  waiting_is_lower_bound: z.literal(true).optional().describe('There are more than were counted.'),
  also_stops: z
    .array(
      z.object({
        type: z.enum(['api_key', 'client']).describe('Whether it is an API key or an OAuth client.'),
        id: z.string().describe('The id, which never changes.'),
        name: z.string().describe('A name for people.'),
      }),
    )
    .describe(
      'Keys and clients that it stops without naming them: they are bound to no agent and may say any name, or somebody stands behind them who is frozen.',
    ),
})

type View = z.input<typeof FreezeView>

/** Freezes as the API shows them, with what waits for their end and the callers that they stop besides. */
export async function freezeViews(ctx: Context, freezes: readonly Freeze[]): Promise<View[]> {
  const active = freezes.filter(({ status }) => status === 'active')
  const byCaller = active.some(({ scope }) => scope.agents ?? scope.principals)
  const [unstarted, callers] = await Promise.all([
    active.length > 0 ? readUnstarted(ctx) : NOTHING,
    byCaller ? readCallers(ctx) : [],
  ])
  return Promise.all(freezes.map((freeze) => view(ctx, freeze, unstarted, callers)))
}

export async function freezeView(ctx: Context, freeze: Freeze): Promise<View> {
  const [one] = await freezeViews(ctx, [freeze])
  if (!one) throw new Error('a view was asked for and none was made')
  return one
}

const NOTHING: Unstarted = { waiting: [], complete: true }

async function view(ctx: Context, freeze: Freeze, { waiting, complete }: Unstarted, callers: readonly Caller[]) {
  const isActive = freeze.status === 'active'
  return {
    ...freeze,
    stopped: await stoppedBy(ctx, freeze),
    waiting: isActive ? waiting.filter((approval) => isWaitingFor(freeze, approval)).length : 0,
    ...(isActive && !complete && { waiting_is_lower_bound: true as const }),
    also_stops: isActive ? alsoStopped(freeze, callers) : [],
  }
}

/**
 * A key or client that a freeze may stop without naming it. A key that is bound to no agent may state any name, and so may every client
 * that acts for people. A key or client that acts for a frozen person is frozen with that person.
 */
type Caller = {
  type: 'api_key' | 'client'
  id: string
  name: string
  persons: readonly string[]
  agent_id?: string | undefined
  /** A client that acts for people, for which no agent is proven. */
  for_people?: boolean
}

/** The active keys and clients of the mode. */
async function readCallers(ctx: Context): Promise<Caller[]> {
  const { table, space } = ctx
  const { tenant_id, mode } = space
  const [keys, ...clients] = await Promise.all([
    table.query(apiKeys, { pk: keysPartition(tenant_id), index: 'gsi1' }),
    table.query(oauthClients, { pk: clientsPartition(tenant_id), index: 'gsi1' }),
    table.query(oauthClients, { pk: documentClientsPartition(tenant_id), index: 'gsi1' }),
  ])
  const at = ctx.now()
  return [
    ...keys
      .filter((key) => key.kind === mode && statusOf(key, at) === 'active')
      .map((key): Caller => ({ ...key, type: 'api_key', persons: personsOf(key) })),
    ...clients
      .flat()
      .filter((client) => client.status === 'active' && client.mode === mode)
      .map(callerOf),
  ]
}

const callerOf = (client: OAuthClient): Caller => ({
  ...client,
  id: client.client_id,
  type: 'client',
  persons: personsOf(client),
  for_people: client.grant_types.some((one) => one !== 'client_credentials'),
})

/** Freezes of a tenant, node or kind are about actions and name no caller, so they stop none besides. */
function alsoStopped(freeze: Freeze, callers: readonly Caller[]) {
  const { agents, principals } = freeze.scope
  if (!agents && !principals) return []
  return callers.filter((caller) => isStopped(freeze, caller)).map(({ type, id, name }) => ({ type, id, name }))
}

function isStopped(freeze: Freeze, { type, id, persons, agent_id, for_people }: Caller): boolean {
  const { agents = [], principals = [] } = freeze.scope
  if (principals.includes(id) || (agent_id !== undefined && agents.includes(agent_id))) return false
  const bound = agent_id === undefined || for_people ? {} : { agent_id, agent_bound: true as const }
  const action = { node_id: '', kind: 'unknown' as const, requester: { type, id, persons }, ...bound }
  return frozenBy([freeze], action).length > 0
}

/** The number of the newest rows among which undos are distinguished. */
const ROWS_MAX = 1_000

/** How many requests a freeze has refused, and how many of them were to undo something: as counted by `complete_until`. */
async function stoppedBy(ctx: Context, freeze: Freeze) {
  const from = Date.parse(freeze.set_at)
  const until = await countedUntil(ctx, await positionOf(ctx, HITS_FOLDER))
  const [{ sums }, rows] = await Promise.all([
    readSums(ctx, ruleOf(freeze), { period: 'days', from }),
    newestRows(ctx, ruleOf(freeze), { from, limit: ROWS_MAX }),
  ])
  const undos = rows.filter(({ undo }) => undo === 1).length
  const all = sums.reduce((sum, { n }) => sum + n, 0)
  return { executions: Math.max(0, all - undos), undos, complete_until: iso(until) }
}

/** Approved actions that have not begun, because a freeze stops them. */
type Unstarted = { waiting: Approval[]; complete: boolean }

/** No approval lives longer, extensions included. */
const LIFE_MS = 15 * 86_400_000
const READ_MAX = 2_000

async function readUnstarted(ctx: Context): Promise<Unstarted> {
  const { table, space } = ctx
  const pk = statusPartition(space, 'approved')
  const from = iso(ctx.now() - LIFE_MS)
  const read = await table.query(approvals, { pk, index: 'gsi1', from, descending: true, limit: READ_MAX + 1 })
  const waiting = read.filter(({ status, consumed_at }) => status === 'approved' && consumed_at === undefined)
  return { waiting, complete: read.length <= READ_MAX }
}

const isWaitingFor = (freeze: Freeze, approval: Approval): boolean =>
  frozenBy([freeze], {
    ...approval,
    kind: KIND_NAMES.find((kind) => kind === approval.kind) ?? 'unknown',
    requester: requesterOf(approval),
    called: approval.target === undefined ? undefined : readTargetText(approval.target),
  }).length > 0
