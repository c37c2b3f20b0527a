// A call of a tool is decided exactly as the same request over REST. Both ways are followed from what the client sends to the
// decision; storing and answering come after it and are tested with single calls.
import { beforeAll, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { loadInputs } from '../../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../../shared/govern/executions/request.ts'
import { loadMcp } from '../../../shared/govern/mcp/load.ts'
import { Message } from '../../../shared/govern/mcp/message.ts'
import { decideOn } from '../../../shared/govern/protocol/decide.ts'
import { type Governed, governed, NODE_ID, requestOf } from '../../support/governed.ts'
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

const payload = fc.record(
  {
    amount: fc.integer({ min: 0, max: 200 }),
    to: fc.constantFrom('ann@example.com', 'bob@tenant-1.example', 'nobody'),
    query: fc.constantFrom('select 1', 'drop table users', 'delete from a; select 1'),
    text: fc.string(),
  },
  { requiredKeys: [] },
)

test('1,000 random calls come to the same decision both ways', async () => {
  const ctx = requestOf(it, 'usr_1', ['admin'])
  const { table, space } = ctx
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ACTIONS), payload, async (action_id, sent) => {
      const name = `editor_${action_id}`
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: sent } }
      const { called } = await loadMcp(table, space, { body: Message.parse(message), caller: ctx.principal })
      const body = ExecuteBody.parse({ node_id: NODE_ID, action_id, payload: sent })
      const inputs = await loadInputs(table, space, { body, caller: ctx.principal })
      if (!called) throw new Error(`no tool ${name}`)

      const [byTool, byRest] = await Promise.all([
        decideOn(ctx, called.inputs, { node_id: called.node_id, action_id: called.action_id, payload: sent }),
        decideOn(ctx, inputs, body),
      ])

      expect(byTool.decision).toEqual(byRest.decision)
      expect(byTool.payload).toEqual(byRest.payload)
    }),
    { numRuns: 1_000 },
  )
})
