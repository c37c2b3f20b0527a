import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { artifactKey, artifacts } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { bodyOf, type Governed, governed, manifestOf } from '../../support/governed.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { stillClock } from '../../support/still-clock.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const clock = stillClock()
const local = useLocalStack({ clock })
let target: TestTarget
let acme: Governed
afterEach(() => target.stop())

const exact = (id_from: string) => ({ undo: { exact_inverse: true, id_from } })
const inverses = (url: string) =>
  [
    { action_id: 'create_user', target: { type: 'http', url }, undo_action_id: 'delete_user', ...exact('/id') },
    { action_id: 'delete_user', target: { type: 'http', url } },
  ] as const

beforeEach(async () => {
  clock.moveTo(clock.now() + 1_000) // out of the rate window of the test before
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    ...inverses(target.url),
    { action_id: 'create_room', target: to, undo_action_id: 'delete_room', ...exact('/room/0/id') },
    { action_id: 'delete_room', target: to, approval_required: true },
  ])
})

const executed = async (action_id: string, body: object = {}): Promise<string> =>
  bodyOf(await acme.execute(action_id, body), 200).receipt.request_id
/** The actions that the target was asked for. */
const called = () => target.calls.map(({ body }) => body.action_id)
const headerOf = async (artifact_id: string) =>
  JSON.parse((await acme.ctx.table.get(artifacts, artifactKey(acme.ctx.space, artifact_id)))?.header ?? '{}')

describe('undo of an exact inverse', () => {
  test('200: the target is given the id that it returned, whatever the agent had sent', async () => {
    target.next(json(201, { id: 'usr_made' }))
    const id = await executed('create_user', { payload: { id: 'usr_boss', contact: 'usr_boss' } })
    const reply = await acme.undo(id)
    const { receipt } = await acme.look(reply.body.undo.request_id)

    expect(reply).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(target.calls[1]?.body).toMatchObject({ action_id: 'delete_user', tier: 'HARD', undo_of: id })
    expect(target.calls[1]?.body.payload).toEqual({ request_id: id, id: 'usr_made', output: { id: 'usr_made' } })
    expect(receipt.routing_decision).toMatchObject({
      strategy: 'undo',
      tier: 'HARD',
      kind: 'delete',
      reasons: [{ signal: 'verb', value: 'delete', floor: 'HARD' }, { signal: 'exact_inverse' }],
    })
    const [first] = (await acme.look(reply.body.undo.request_id)).evidence
    expect((await headerOf(first.artifact_id)).decision).toMatchObject({
      tier: 'HARD',
      kind: 'delete',
      strategy: 'undo',
    })
  })

  test.each([[{}], [{ id: '' }], [{ id: { a: 1 } }], [{ id: null }], ['usr_1']])(
    '409: an output %j names nothing to undo',
    async (output) => {
      target.next(json(201, output))
      const id = await executed('create_user', { payload: { id: 'usr_boss' } })

      expect(await acme.undo(id)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('has no id at /id') },
      })
      expect(called()).toEqual(['create_user'])
      expect(await acme.look(id)).not.toHaveProperty('undo')
    },
  )

  test('202: approval_required holds, whatever the pair is', async () => {
    target.next(json(201, { room: [{ id: 7 }] }))
    const { body } = await acme.undo(await executed('create_room'))

    expect(body.undo.state).toBe('held')
    bodyOf(await acme.approve(body.approval.id), 200)
    expect(target.calls[1]?.body.payload).toMatchObject({ id: 7 })
  })

  test('202: an id that means everything is held', async () => {
    target.next(json(201, { id: '*' }))

    expect(await acme.undo(await executed('create_user'))).toMatchObject({ status: 202 })
    expect(called()).toEqual(['create_user'])
  })

  test('202: what the target does not say that it made may be somebody else’s, so a person decides', async () => {
    target.next(json(200, { id: 'usr_boss' }))
    const { body } = await acme.undo(await executed('create_user', { payload: { id: 'usr_boss' } }))

    expect(body.undo.state).toBe('held')
    expect(called()).toEqual(['create_user'])
    bodyOf(await acme.approve(body.approval.id), 200)
    expect(called()).toEqual(['create_user', 'delete_user'])
  })

  test('202: a row that says so without evidence counts for nothing', async () => {
    target.next(json(200, { id: 'usr_boss' }))
    const id = await executed('create_user')
    const { table, space } = acme.ctx
    await table.update(executions.key({ ...space, id }), { set: { created: true } })

    expect(await acme.undo(id)).toMatchObject({ status: 202, body: { undo: { state: 'held' } } })
    expect(called()).toEqual(['create_user'])
  })

  test('202: another server did not make it', async () => {
    const other = await startTarget()
    const [create] = inverses(target.url)
    const [, remove] = inverses(other.url)
    const { call } = await ownerInPerson(local, acme)
    const body = manifestOf([create, remove], { version: '1.1.0' })
    bodyOf(await call(protocol.registerManifest, { body }), 201)
    target.next(json(201, { id: 'usr_made' }))
    const { status } = await acme.undo(await executed('create_user'))
    await other.stop()

    expect({ status, calls: other.calls }).toEqual({ status: 202, calls: [] })
  })

  test('200: the undo may be called by another path and with DELETE', async () => {
    const [create, remove] = inverses(target.url)
    const to = { ...remove.target, url: `${target.url}/users`, method: 'DELETE' }
    await acme.register([create, { ...remove, target: to }], { version: '1.1.0' })
    target.next(json(201, { id: 'usr_made' }))

    expect(await acme.undo(await executed('create_user'))).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(target.calls[1]).toMatchObject({ method: 'DELETE', path: '/run/users' })
  })

  test('403: a forbid holds', async () => {
    target.next(json(201, { id: 'usr_made' }))
    const id = await executed('create_user')
    await acme.policy({ name: 'stop', effect: 'forbid', scope: { action_ids: ['delete_user'] } })

    expect(await acme.undo(id)).toMatchObject({ status: 403 })
    expect(called()).toEqual(['create_user'])
  })
})
