import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { connections } from '../../../shared/deliver/integrations/connection.ts'
import { openConnection } from '../../../shared/deliver/integrations/open-connection.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'
import { ODD_REFUSALS, REFUSED_REFRESHES } from '../../support/provider-refusals.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR_MS = 3_600_000
const process = faults()
const held = heldCommit()
const local = useLocalStack({ plugins: [process.plugin, held.plugin] })
const params = { id: 'notes' }
let acme: Governed
let provider: TestTarget
beforeEach(async () => {
  provider = await startTarget()
  acme = await governed(local)
  const at = (path: string) => new URL(path, provider.url).href
  const auth = {
    type: 'oauth2',
    authorization_url: at('/authorize'),
    token_url: at('/token'),
    revoke_url: at('/revoke'),
    client_id: 'ours',
    client_secret: 'canary-client-secret',
  }
  const openapi = '{"openapi":"3.1.0","paths":{"/notes":{"get":{}}}}'
  const body = { id: 'notes', name: 'Notes', base_url: at('/api'), auth, openapi }
  bodyOf(await acme.call(integrations.createConnector, { body }), 201)
  await connect()
})
afterEach(() => provider.stop())

const issued = (name: string) =>
  json(200, {
    access_token: `access-${name}`,
    refresh_token: `refresh-${name}`,
    token_type: 'Bearer',
    expires_in: 3_600,
  })
const start = async (): Promise<string> =>
  bodyOf(await acme.call(integrations.startAuth, { params, body: {} }), 200).state

async function connect() {
  const state = await start()
  provider.next(issued('first'))
  bodyOf(await acme.call(integrations.completeAuth, { params, body: { code: 'agreed', state } }), 200)
}

const carried = async () => (await openConnection(acme.ctx, 'notes'))?.headers.authorization
const stored = async () => {
  const found = await acme.ctx.table.get(connections, { ...acme.ctx.space, connector_id: 'notes' })
  if (!found) throw new Error('no connection')
  return found
}
const almostOver = () => local.clock.moveTo(local.clock.now() + HOUR_MS)
const refreshedWith = () =>
  provider.calls
    .map(({ text }) => new URLSearchParams(text))
    .filter((form) => form.get('grant_type') === 'refresh_token')
    .map((form) => form.get('refresh_token'))

describe('tokens', () => {
  test.for([
    ['a status of 503', json(503, {})],
    ['a status of 429', json(429, {}, { 'retry-after': '5' })],
    ['a closed connection', reset],
    ['an error of another kind', json(400, { error: 'temporarily_unavailable' })],
    ['what is no answer', json(200, [])],
  ] as const)('stay as they are when the provider answers %s', async ([, behaviour]) => {
    almostOver()
    provider.next(behaviour)
    await expect(carried()).rejects.toThrow('being renewed')
    expect(await stored()).toMatchObject({ status: 'active' })
    provider.next(issued('second'))
    expect(await carried()).toBe('Bearer access-second')
    expect(refreshedWith()).toEqual(['refresh-first', 'refresh-first'])
  })

  test.for(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token', 'token_revoked'])(
    'are deleted when the provider answers %s',
    async (error) => {
      almostOver()
      provider.next(json(400, { error }))
      expect(await carried()).toBeUndefined()
      expect(await stored()).toMatchObject({ status: 'needs_reauth', task_id: expect.stringMatching(/^tsk_/) })
      expect(await stored()).not.toHaveProperty('sealed')
    },
  )

  test.for([...Object.values(REFUSED_REFRESHES).flatMap((all) => all.slice(0, 1)), ...ODD_REFUSALS])(
    'are deleted when the provider answers $status $body, and the task quotes it',
    async ({ status, body, says }) => {
      almostOver()
      provider.next((answer) => answer.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)))
      expect(await carried()).toBeUndefined()
      const { task_id = '', ...lost } = await stored()
      expect(lost).toMatchObject({ status: 'needs_reauth' })
      expect(lost).not.toHaveProperty('sealed')
      const { description } = bodyOf(await acme.call(work.getTask, { params: { id: task_id } }), 200)
      for (const words of says) expect(description).toContain(words)
    },
  )

  test('that a refusal repeats are shown to nobody', async () => {
    almostOver()
    provider.next(json(401, { error: 'invalid_token', error_description: 'refresh-first of canary-client-secret' }))
    const told = await acme.told(carried)
    const { task_id = '' } = await stored()
    const task = bodyOf(await acme.call(work.getTask, { params: { id: task_id } }), 200)
    expect(task.description).toContain('invalid_token: … of …')
    expect(JSON.stringify([told, task, await stored()])).not.toMatch(/access-first|refresh-first|canary/)
  })

  test('that are issued while people begin another authorisation are kept', async () => {
    almostOver()
    provider.next(issued('second'))
    const { id } = await stored()
    const lease = held.hold(id)
    const carrying = carried()
    const leased = await lease
    const storing = held.hold(id)
    leased()
    const store = await storing
    await start()
    store()
    expect(await carrying).toBe('Bearer access-second')
    expect(await stored()).toMatchObject({ authorizing_until: expect.any(Number) })
    almostOver()
    provider.next(issued('third'))
    expect(await carried()).toBe('Bearer access-third')
    expect(refreshedWith()).toEqual(['refresh-first', 'refresh-second'])
  })

  test('that are issued to a process that dies are lost: after its lease people must connect again', async () => {
    almostOver()
    provider.next(issued('second'))
    process.die({ at: 2, command: 'TransactWriteItemsCommand' })
    await expect(carried()).rejects.toThrow()
    process.restart()
    local.clock.moveTo(local.clock.now() + 30_000)
    provider.next(json(400, { error: 'invalid_grant' }))
    expect(await carried()).toBeUndefined()
    expect(await stored()).toMatchObject({ status: 'needs_reauth' })
    await connect()
    expect(await carried()).toBe('Bearer access-first')
  })

  test('go with the connection, even when the provider does not revoke them', async () => {
    provider.next(json(503, {}))
    const told = await acme.told(async () => {
      const answer = await acme.call(integrations.disconnect, { params, body: {} })
      expect(bodyOf(answer, 200)).toEqual({ status: 'disconnected', revoked_at_provider: false })
    })
    expect(provider.calls.at(-1)).toMatchObject({ path: '/revoke' })
    expect(await stored()).not.toHaveProperty('sealed')
    expect(JSON.stringify([told, await stored()])).not.toMatch(/access-|refresh-|canary/)
  })
})
