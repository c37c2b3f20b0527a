// What this service cannot see end is reported by whoever can know: once, within seven days.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { reset, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  acme = await governed(local, [
    { action_id: 'get_note' },
    { action_id: 'get_contact', target: { type: 'http', url: target.url } },
    { action_id: 'delete_note' },
  ])
})

const DAYS_MS = 86_400_000
const say = (request_id: string, outcome: string, by: object = {}, more: object = {}) =>
  acme.call(protocol.outcome, { ...by, params: { request_id }, body: { outcome, ...more } })
const brokered = async (): Promise<string> => bodyOf(await acme.execute('get_note'), 200).receipt.request_id
const proofs = async (request_id: string): Promise<string[]> =>
  (await acme.look(request_id)).evidence.map(({ type }: { type: string }) => type)
async function unknown(): Promise<string> {
  target.next(reset)
  return bodyOf(await acme.execute('get_contact'), 502).receipt.request_id
}
/** A signed-in approver who has nothing to do with the requests. */
async function approver() {
  const { access_token } = await personWith(local, await signIn(local, acme.owner), ['approver'])
  return { key: access_token }
}

describe('POST /api/v1/protocol/executions/{request_id}/outcome', () => {
  test('200: the requester says that a brokered action failed, with evidence and one event', async () => {
    const request_id = await brokered()
    let reply
    const events = await acme.told(async () => {
      reply = await say(request_id, 'failed', {}, { note: 'the disk was full' })
    })

    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'failed', report: { outcome: 'failed', by: { type: 'api_key' }, note: 'the disk was full' } },
    })
    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'protocol.executed'])
    expect(events[1]?.data).toMatchObject({ request_id, status: 'failed' })
    const now = await acme.look(request_id)
    expect(now).toMatchObject({ status: 'failed', report: { note: 'the disk was full' } })
    expect(now).not.toHaveProperty('contradicted')
    expect((await proofs(request_id)).at(-1)).toBe('execution.outcome_reported')
  })

  test('200: success stays executed; the same again changes nothing, another outcome is a 409', async () => {
    const request_id = await brokered()
    const first = await say(request_id, 'succeeded')
    expect(first).toMatchObject({ status: 200, body: { status: 'executed', report: { outcome: 'succeeded' } } })

    const events = await acme.told(async () =>
      expect(await say(request_id, 'succeeded', {}, { note: 'again' })).toMatchObject({
        status: 200,
        body: first.body,
      }),
    )
    expect(events).toEqual([])
    expect(await say(request_id, 'failed')).toMatchObject({
      status: 409,
      body: { detail: 'This outcome was already reported as succeeded.' },
    })
  })

  test('200: an approver finds out what became of a call without an answer, and not its requester', async () => {
    const request_id = await unknown()
    const refused = { status: 403, body: { detail: expect.stringContaining('for an approver to find out') } }
    expect(await say(request_id, 'failed')).toMatchObject(refused)
    expect(await say(request_id, 'failed', { key: (await signIn(local, acme.owner)).access_token })).toMatchObject(
      refused,
    )
    const agent = await makeKey(acme, { scopes: ['agent:execute'], created_by: 'usr_somebody' })
    expect(await say(request_id, 'failed', { key: agent })).toMatchObject(refused)

    const by = await approver()
    expect(await say(request_id, 'succeeded', by)).toMatchObject({ status: 200, body: { status: 'executed' } })
    expect(await acme.look(request_id)).toMatchObject({ status: 'executed', report: { by: { type: 'user' } } })
    await local.drain()
    expect(await acme.look(request_id)).not.toHaveProperty('contradicted')
    expect(await say(request_id, 'failed', by)).toMatchObject({ status: 409 })
  })

  test('403: nobody else speaks for the requester of a brokered action', async () => {
    expect(await say(await brokered(), 'failed', await approver())).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('You did not request this action.') },
    })
  })

  test('409: what this service ran itself, and what waits', async () => {
    const ran = bodyOf(await acme.execute('get_contact'), 200).receipt.request_id
    expect(await say(ran, 'failed')).toMatchObject({
      status: 409,
      body: { detail: 'This service ran the action itself, so its outcome is known.' },
    })
    const { receipt } = await acme.held('delete_note')
    expect(await say(receipt.request_id, 'failed')).toMatchObject({
      status: 409,
      body: { detail: 'An action that is pending_approval has no outcome to report.' },
    })
  })

  test('within seven days after it ran it can be reported, and later no more', async () => {
    const [early, late] = [await brokered(), await brokered()]
    const end = async (id: string) => Date.parse((await acme.look(id)).evidence.at(-1).at) + 7 * DAYS_MS
    const [first, second] = [await end(early), await end(late)]
    local.clock.moveTo(first - 1_000)
    expect(await say(early, 'succeeded')).toMatchObject({ status: 200 })
    local.clock.moveTo(second)

    expect(await say(late, 'succeeded')).toMatchObject({
      status: 409,
      body: { detail: 'An outcome can be reported for seven days only.' },
    })
  })

  test('the note is stored sealed, and goes with the payload when that is erased', async () => {
    const request_id = await brokered()
    await say(request_id, 'failed', {}, { note: 'Ada was not at home' })
    const { table, space } = acme.ctx
    const stored = await table.get(executions, { ...space, id: request_id })
    expect(Buffer.from(stored?.report_note ?? []).toString('latin1')).not.toContain('Ada')

    bodyOf(await acme.call(evidence.erase, { body: { request_id, reason: 'data_subject_request' } }), 200, 202)
    const { report } = await acme.look(request_id)
    expect(report).toMatchObject({ outcome: 'failed' })
    expect(report).not.toHaveProperty('note')
  })

  test('404: for another tenant, and in the other mode; 422: for another word', async () => {
    const request_id = await brokered()
    const other = await local.tenant()

    for (const key of [other.live_key, acme.test_key])
      expect(await say(request_id, 'failed', { key })).toMatchObject({ status: 404 })
    expect(await say(request_id, 'perhaps')).toMatchObject({ status: 422 })
  })
})
