// The hot paths whose cost is promised, each measured warm: its container has served such a request before.
import { agent } from '../../functions/agent/routes.ts'
import { approvals } from '../../functions/approvals/routes.ts'
import { protocol } from '../../functions/protocol/routes.ts'
import type { LocalStack } from '../support/local-stack.ts'
import { signIn } from '../support/sign-in.ts'
import { useTool } from '../support/mcp.ts'
import { type ACTIONS, executeBody, PAYLOAD, referenceTenant } from '../support/reference-action.ts'
import { measureLimited, measureSequenced } from './limited-paths.ts'
import { type Cost, measure } from './measure.ts'

const CLIENT = { name: 'x'.repeat(32), version: '1.0.0-preview.10' }

/** What each path may cost at most. */
export const LIMITS: Record<string, Pick<Cost, 'trips' | 'calls' | 'write_units' | 'read_units'>> = {
  'execute AUTO, brokered': { trips: 2, calls: 5, write_units: 13, read_units: 8 },
  // Beside it stands what was found: of what type, how often, never the value.
  'execute AUTO, with personal data': { trips: 2, calls: 5, write_units: 15, read_units: 8 },
  // Each counter costs two units in the transaction.
  'execute AUTO, one limit': { trips: 2, calls: 5, write_units: 15, read_units: 8 },
  'execute AUTO, eight limits': { trips: 2, calls: 5, write_units: 29, read_units: 8 },
  // Where others count in the same moment, each counter is written alone, and before the transaction.
  'execute AUTO, one contended limit': { trips: 3, calls: 6, write_units: 14, read_units: 8 },
  'execute AUTO, eight contended limits': { trips: 3, calls: 13, write_units: 21, read_units: 8 },
  // Reads what the agent and the person did before, with everything else.
  'execute AUTO, after others': { trips: 2, calls: 5, write_units: 13, read_units: 10 },
  'execute SOFT, brokered': { trips: 2, calls: 5, write_units: 13, read_units: 8 },
  // Its first transaction says which program asked.
  'tool AUTO, brokered': { trips: 2, calls: 6, write_units: 15, read_units: 9 },
  // Reads who has the name before it can read anything about the action.
  'tool AUTO, first call': { trips: 3, calls: 6, write_units: 15, read_units: 9 },
  // Looks for equal requests once it is known that people are asked.
  'execute HARD, held': { trips: 3, calls: 6, write_units: 15, read_units: 8.5 },
  // Its transaction also holds the task, which is done with it.
  'agent execute AUTO': { trips: 2, calls: 5, write_units: 15, read_units: 8 },
  // Its transaction also checks policies, the node's manifest and that the person is still there.
  'approve by a person, brokered': { trips: 4, calls: 8, write_units: 29, read_units: 11 },
}

export async function measurePaths(local: LocalStack): Promise<Record<string, Cost>> {
  const tenant = await referenceTenant(local, { require_human_approver: null })
  let asked = 0
  const execute = async (tier: keyof typeof ACTIONS, more: object = {}) => {
    asked += 1 // of the same length, and equal to no other
    const payload = { ...PAYLOAD, contact: `${PAYLOAD.contact.slice(0, -3)}${asked + 100}` }
    const reply = await tenant.call(protocol.execute, { body: { ...executeBody(tier), payload, ...more } })
    if (reply.status !== 200 && reply.status !== 202) throw new Error(`execute answered ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const command = async () => {
    const reply = await tenant.call(agent.execute, { body: { tier: 'AUTO', command: 'list open tickets' } })
    if (reply.status !== 200) throw new Error(`agent execute answered ${JSON.stringify(reply.body)}`)
  }
  const tool = async () => {
    const reply = await useTool(tenant, 'editor_get_contact', PAYLOAD, {
      meta: { 'io.modelcontextprotocol/clientInfo': CLIENT },
    })
    if (reply.isError) throw new Error(`the tool answered ${JSON.stringify(reply)}`)
  }
  const approver = await signIn(local, tenant.approver)
  const approve = async (id: string) => {
    const reply = await approver.call(approvals.approve, { params: { id }, body: {} })
    if (reply.status !== 200) throw new Error(`approve answered ${JSON.stringify(reply.body)}`)
  }
  const personal = { payload: { note: 'Ask ann@example.com, or bob@example.com.' } }
  await execute('AUTO', personal)
  for (const tier of ['AUTO', 'SOFT', 'HARD', 'HARD'] as const) await execute(tier)
  await approve((await execute('HARD')).approval.id)
  await command()
  const firstCall = await measure(tool) // the action is known from executing it, its name as a tool is not
  const waiting = await execute('HARD')
  return {
    'execute AUTO, brokered': await measure(() => execute('AUTO')),
    'execute AUTO, with personal data': await measure(() => execute('AUTO', personal)),
    ...(await measureLimited(local)),
    ...(await measureSequenced(local)),
    'execute SOFT, brokered': await measure(() => execute('SOFT')),
    'tool AUTO, brokered': await measure(tool),
    'tool AUTO, first call': firstCall,
    'execute HARD, held': await measure(() => execute('HARD')),
    'agent execute AUTO': await measure(command),
    'approve by a person, brokered': await measure(() => approve(waiting.approval.id)),
  }
}
