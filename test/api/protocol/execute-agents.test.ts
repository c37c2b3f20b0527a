import { beforeEach, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { artifactKey, artifacts } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let bound: string
beforeEach(async () => {
  acme = await governed(local, [{ action_id: 'get_contact' }, { action_id: 'restart_server' }])
  bound = await makeKey(acme, { agent_id: 'agt_a' })
})

type Asked = { key?: string | undefined; agent_id?: string | undefined }

/** The three ways to have an action decided. */
const ways = {
  execute: ({ key, agent_id }: Asked, action_id: string) =>
    acme.execute(action_id, { policy_context: { agent_id } }, { key }),
  evaluate: ({ key, agent_id }: Asked, action_id: string) =>
    acme.call(protocol.evaluate, {
      key,
      body: { node_id: NODE_ID, action_id, payload: {}, policy_context: { agent_id } },
    }),
  'agent/execute': ({ key, agent_id }: Asked, action_id: string) =>
    acme.call(agent.execute, { key, body: { tier: 'AUTO', command: action_id.replace('_', ' the '), agent_id } }),
}
const tierBy = async (way: keyof typeof ways, asked: Asked, action_id: string) => {
  const { body } = await ways[way](asked, action_id)
  const { outcome, routing_decision, receipt = { routing_decision } } = body
  return outcome === 'reject' || body.status === 'rejected' ? 'REJECT' : receipt.routing_decision.tier
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('%s', (way) => {
  test('an agent loosens only what is asked with a credential that it is bound to', async () => {
    const when = { field: 'action.kind', op: 'eq', value: 'destructive' }
    await acme.policy({ name: 'scope', effect: 'relax_to', tier: 'AUTO', scope: { agents: ['agt_a'] }, when })
    const leaf = { all: [when, { field: 'agent.id', op: 'eq', value: 'agt_a' }] }
    await acme.policy({ name: 'leaf', effect: 'relax_to', tier: 'AUTO', when: leaf })
    const person = (await signIn(local, acme.owner)).access_token
    const tier = (asked: Asked) => tierBy(way, asked, 'restart_server')

    expect(await tier({ key: bound })).toBe('AUTO')
    expect(await tier({ agent_id: 'agt_a' })).toBe('HARD')
    expect(await tier({ key: person, agent_id: 'agt_a' })).toBe('HARD')
    expect(await tier({})).toBe('HARD')
  })

  test('no unbound key escapes what is forbidden to an agent', async () => {
    await acme.policy({ name: 'stop', effect: 'forbid', scope: { agents: ['agt_a'] } })
    const tier = (asked: Asked) => tierBy(way, asked, 'get_contact')

    for (const agent_id of ['agt_a', 'agt_b', undefined]) expect(await tier({ agent_id })).toBe('REJECT')
    expect(await tier({ key: bound })).toBe('REJECT')
    expect(await tier({ key: await makeKey(acme, { agent_id: 'agt_b' }) })).toBe('AUTO')
    expect(await tier({ key: (await signIn(local, acme.owner)).access_token })).toBe('AUTO')
  })

  test('a person who names an agent comes under its policies', async () => {
    await acme.policy({ name: 'stop', effect: 'forbid', scope: { agents: ['agt_a'] } })
    const key = (await signIn(local, acme.owner)).access_token

    expect(await tierBy(way, { key, agent_id: 'agt_a' }, 'get_contact')).toBe('REJECT')
  })
})

test('receipt, forecast, list, approval and evidence say whether the agent is bound', async () => {
  const artifactOf = async ({ receipt }: { receipt: { evidence_artifact_id: string } }) => {
    const stored = await acme.ctx.table.get(artifacts, artifactKey(acme.ctx.space, receipt.evidence_artifact_id))
    return JSON.parse(stored?.header ?? '{}')
  }
  for (const [asked, is] of [
    [{ key: bound }, true],
    [{ agent_id: 'agt_a' }, false],
  ] as const) {
    const ran = bodyOf(await ways.execute(asked, 'get_contact'), 200)
    const held = bodyOf(await ways.execute(asked, 'restart_server'), 202)
    const [listed] = (await acme.call(protocol.listExecutions, { query: { agent_id: 'agt_a' } })).body.items
    const approval = await acme.approval(held.approval.id)

    expect([ran.receipt.agent_bound, held.receipt.agent_bound]).toEqual([is, is])
    expect((await ways.evaluate(asked, 'get_contact')).body.agent_bound).toBe(is)
    expect([listed.agent_bound ?? false, approval.agent_bound ?? false]).toEqual([is, is])
    expect(await artifactOf(ran)).toMatchObject({ agent_id: 'agt_a', data: { agent_bound: is } })
  }
  const silent = bodyOf(await ways.execute({}, 'get_contact'), 200)
  expect(silent.receipt.agent_bound).toBe(false)
  expect(await artifactOf(silent)).not.toHaveProperty('data')
})

test('a replay of past requests takes a stated agent for what it was', async () => {
  await ways.execute({ agent_id: 'agt_a' }, 'restart_server')
  await ways.execute({ key: bound }, 'restart_server')
  const when = { field: 'action.kind', op: 'eq', value: 'destructive' }
  const body = { name: 'p', effect: 'relax_to', tier: 'AUTO', scope: { agents: ['agt_a'] }, when }
  const query = { dry_run: true, replay: 10 }
  const { replay } = (await acme.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, query, body })).body

  expect(replay).toMatchObject({ evaluated: 2, changed: 1, by_change: { 'HARD->AUTO': 1 } })
})

test('a held action is decided again with the agent that was bound, not the one that was stated', async () => {
  const { approval } = bodyOf(await ways.execute({ agent_id: 'agt_b' }, 'restart_server'), 202)
  await acme.policy({ name: 'stop', effect: 'forbid', scope: { agents: ['agt_a'] } })

  expect((await acme.approve(approval.id)).status).toBe(409)
  expect((await acme.approval(approval.id)).status).toBe('rejected')
})

test.each(['key:key_1', 'client:cli_1', 'user:usr_1', 'agent:agt_1', 'connector:github'])(
  '422: no agent is named like an actor, whose limits it would share: %s',
  async (agent_id) => {
    const { call } = await signIn(local, acme.owner)
    const body = { name: 'k', kind: 'live', scopes: ['agent:execute'], agent_id }

    expect(await call(keys.create, { body })).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'agent_id'], msg: 'must not begin like the name of a credential or a person' }],
      },
    })
  },
)

test('422: no agent takes the id of a credential', async () => {
  const { call } = await signIn(local, acme.owner)
  const body = { name: 'k', kind: 'live', scopes: ['agent:execute'], agent_id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM' }

  expect(await call(keys.create, { body })).toMatchObject({
    status: 422,
    body: {
      detail: [
        { loc: ['body', 'agent_id'], msg: 'An agent cannot have the id of a key or client. Choose another id.' },
      ],
    },
  })
})
