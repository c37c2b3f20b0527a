// A call of a tool is decided exactly as the same request over REST. Both ways are followed from what the client sends to the
// decision; storing and answering come after it and are tested with single calls.
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import * as fc from 'fast-check'
import type { Context } from '../../../shared/base/context.ts'
import { type Inputs, loadInputs } from '../../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../../shared/govern/executions/request.ts'
import { type Loaded, loadMcp } from '../../../shared/govern/mcp/load.ts'
import { Message } from '../../../shared/govern/mcp/message.ts'
import { decideOn } from '../../../shared/govern/protocol/decide.ts'
import { type Governed, governed, NODE_ID, requestOf } from '../../support/governed.ts'
import { runs } from '../../support/runs.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const ACTIONS = ['get_contact', 'update_contact', 'delete_contact', 'send_mail', 'frobnicate', 'run_query']
let it: Governed
beforeAll(async () => {
  it = await governed(
    local,
    ACTIONS.map((action_id) => ({ action_id })),
  )
  await it.policy({
    name: 'large',
    effect: 'require_approval',
    when: { field: 'payload./amount', op: 'gt', value: 100 },
  })
})

const payloads = fc.record(
  {
    amount: fc.integer({ min: 0, max: 200 }),
    to: fc.constantFrom('ann@example.com', 'bob@tenant-1.example', 'nobody'),
    query: fc.constantFrom('select 1', 'drop table users', 'delete from a; select 1'),
    text: fc.string(),
  },
  { requiredKeys: [] },
)

type Ways = { byTool: NonNullable<Loaded['called']>; byRest: Inputs }

/** What each way has read before it decides. */
async function waysTo(ctx: Context, action_id: string): Promise<Ways> {
  const { table, space, principal: caller } = ctx
  const params = { name: `editor_${action_id}`, arguments: {} }
  const message = Message.parse({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const { called } = await loadMcp(table, space, { body: message, caller })
  if (!called) throw new Error(`no tool ${params.name}`)
  const body = ExecuteBody.parse({ node_id: NODE_ID, action_id, payload: {} })
  return { byTool: called, byRest: await loadInputs(table, space, { body, caller }) }
}

test('random calls come to the same decision both ways', async () => {
  const ctx = requestOf(it, 'usr_1', ['admin'])
  const ways = new Map(await Promise.all(ACTIONS.map(async (id) => [id, await waysTo(ctx, id)] as const)))
  const decided = new Set<string>()

  for (const [action_id, payload] of fc.sample(fc.tuple(fc.constantFrom(...ACTIONS), payloads), runs(1_000))) {
    const { byTool, byRest } = ways.get(action_id) as Ways
    const { inputs, ...named } = byTool
    const [tool, rest] = await Promise.all([
      decideOn(ctx, inputs, { ...named, payload }),
      decideOn(ctx, byRest, ExecuteBody.parse({ node_id: NODE_ID, action_id, payload })),
    ])

    const same = isDeepStrictEqual([tool.decision, tool.payload], [rest.decision, rest.payload])
    expect(same, JSON.stringify({ action_id, payload })).toBe(true)
    decided.add(rest.decision.routing_decision.tier)
  }
  expect(decided.size).toBe(3) // of each tier, or the calls say nothing
})
