// What somebody with access to the table, and to nothing else, makes nodes, conducts and personas say.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { personas, seedOf } from '../../../shared/govern/learned/persona.ts'
import { nodeHeads, nodeVersions } from '../../../shared/govern/manifests/node.ts'
import { toolNames } from '../../../shared/govern/manifests/tool-names.ts'
import { conducts } from '../../../shared/ledger/conduct/conduct.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { alarms, type Item, plant, steal, tamper } from '../../support/insider.ts'
import { makeKey } from '../../support/keys.ts'
import { legacy, useTool } from '../../support/mcp.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const ELSEWHERE = 'http://127.0.0.1:9/elsewhere'
let target: TestTarget
let acme: Governed
let raised: string[]
beforeEach(async () => {
  target = await startTarget()
  acme = await governed(local, [{ action_id: 'run_contact', kind: 'read' }])
  const to = { type: 'http', url: target.url }
  bodyOf(await acme.register([{ action_id: 'run_contact', target: to }], { version: '2.0.0' }), 201)
  raised = alarms()
})
afterEach(() => target.stop())

const head = () => nodeHeads.key({ ...acme.ctx.space, node_id: NODE_ID })
const version = (id = '2.0.0') => nodeVersions.key({ ...acme.ctx.space, node_id: NODE_ID, version: id })
const manifest = async (change: (text: string) => string) => ({
  manifest: change(String((await steal(version())).manifest)),
})
const laxer = async () => ({
  ...(await manifest((text) => text.replace('"action_id"', '"kind":"read","action_id"'))),
  trusted: true,
})

const FORGED: [string, () => Promise<unknown>][] = [
  ['a laxer kind', async () => tamper(version(), await laxer())],
  [
    'a target of their own',
    async () => tamper(version(), await manifest((text) => text.replace(target.url, ELSEWHERE))),
  ],
  ['the earlier version', async () => plant({ ...(await steal(version('1.0.0'))), ...version() })],
  ['the word of a person', () => tamper(version(), { trusted: true })],
  ['an earlier version as the latest', () => tamper(head(), { latest: '1.0.0' })],
  ['another environment', () => tamper(head(), { environment: 'development' })],
  [
    'a head of their own',
    async () => {
      const { _mac, ...was }: Item = await steal(head())
      await plant({ ...was, latest: '1.0.0' })
    },
  ],
]

describe('a node that was given in the table', () => {
  test.each(FORGED)('%s is as if there were none', async (_, forge) => {
    bodyOf(await acme.execute('run_contact'), 202)
    await forge()
    coldStart()

    expect(await acme.execute('run_contact')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(raised).toContain('row_forged')
  })

  test('another target gets nothing of what was approved before', async () => {
    const { approval } = await acme.held('run_contact')
    await tamper(version(), await manifest((text) => text.replace(target.url, ELSEWHERE)))
    coldStart()

    expect((await acme.approve(approval.id)).status).toBe(409)
    expect(target.calls).toEqual([])
    expect(raised).toContain('row_forged')
  })
})

test('a tool that was given another node in the table is one that nobody has', async () => {
  const other = { id: 'evil.contacts.editor', name: 'Other' }
  bodyOf(await acme.register([{ action_id: 'run_contact' }], other), 201)
  const { tools } = bodyOf(await legacy(acme, 'tools/list'), 200).result
  const name = 'editor_run_contact'
  expect(tools.map((tool: Item) => tool.name)).toContain(name)
  await tamper(toolNames.key({ ...acme.ctx.space, name }), { node_id: other.id })
  coldStart()

  await expect(useTool(acme, name)).rejects.toThrow('Unknown tool')
  const left = bodyOf(await legacy(acme, 'tools/list'), 200).result.tools
  expect(left.map((tool: Item) => tool.name)).not.toContain(name)
  expect(raised).toContain('row_forged')
})

test('an agent that was given a better conduct in the table is a stranger, and is counted anew', async () => {
  acme = await governed(local)
  const key = await makeKey(acme, { agent_id: 'agt_a' })
  const when = { field: 'agent.trust', op: 'gte', value: 90 }
  await acme.policy({ name: 'p', effect: 'relax_to', tier: 'AUTO', scope: { agents: ['agt_a'] }, when })
  const tier = async () => {
    const { receipt } = bodyOf(await acme.execute('update_contact', {}, { key }), 200)
    await local.drain()
    return receipt.routing_decision.tier
  }
  const of = { ...acme.ctx.space, actor: 'agent:agt_a' }
  expect(await tier()).toBe('SOFT')
  const { days } = await steal(conducts.key(of))
  await tamper(conducts.key(of), { days: (days as Item[]).map((day) => ({ ...day, ok: 10_000 })) })
  coldStart()

  expect(await tier()).toBe('SOFT')
  expect(raised).toContain('row_forged')
  expect(await acme.ctx.table.get(conducts, of)).toMatchObject({ executions: 1, _v: 1 })
})

test('a persona that was allowed more in the table refuses as before', async () => {
  acme = await governed(local)
  const of = { ...acme.ctx.space, persona_key: 'analyst' }
  await plant({ ...seedOf(of, 'analyst'), tier_ceiling: 'HARD', ...personas.key(of), _type: 'PERSONA', _v: 1 })

  const reply = await acme.execute('update_contact', { policy_context: { persona_key: 'analyst' } })
  expect(reply).toMatchObject({ status: 403, body: { code: 'policy_rejected' } })
  expect(raised).toContain('row_forged')
})
