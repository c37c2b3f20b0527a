// A process may die at any of its calls of the database: before the call is made, or before its answer arrives. Whatever it
// leaves behind, the sweeper brings to an end: the action runs once, or it does not run.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { approvals } from '../../../functions/approvals/routes.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { runbooks } from '../../../functions/runbooks/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { workers } from '../../../functions/workers.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { type Behaviour, json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin, die, restart } = faults()
const local = useLocalStack({ plugins: [plugin] })
let target: TestTarget
let acme: Governed
beforeEach(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'get_contact', target: to },
    { action_id: 'get_deal', target: to, idempotency: true },
    { action_id: 'delete_contact', target: to },
    { action_id: 'delete_deal', target: to, idempotency: true },
    { action_id: 'delete_note' },
    { action_id: 'update_deal', target: to, undo_action_id: 'restore_deal' },
    { action_id: 'restore_deal', target: to, idempotency: true },
    {
      action_id: 'create_room',
      target: to,
      undo_action_id: 'delete_room',
      undo: { exact_inverse: true, id_from: '/id' },
    },
    { action_id: 'delete_room', target: to, idempotency: true },
  ])
  await acme.as('approver').call(approvals.list) // else the note of its key's first use is among the calls counted
})
afterEach(() => target.stop())

const sweep = () => local.invoke(workers.sweep, {})

/** Lets leases run out, and what follows from that, until nothing is left to do. */
async function recover(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    local.clock.moveTo(local.clock.now() + 31_000)
    await sweep()
  }
}

/**
 * Prepares, acts until it dies and checks what is left, for a death at each call, before and after it is carried out, up to
 * the first that does not happen. Answers the states in which they left it. `calls`: as far as it goes at most.
 */
async function dieEverywhere<T>(
  prepare: () => Promise<T>,
  act: (prepared: T) => Promise<unknown>,
  check: (prepared: T, where: string) => Promise<string>,
  { brief = false, calls = 100 }: { brief?: boolean; calls?: number } = {},
): Promise<Set<string>> {
  const states = new Set<string>()
  for (let n = 0; n < 2 * calls; n += 1) {
    const death = { at: Math.floor(n / 2) + 1, lost: n % 2 === 1 }
    const prepared = await prepare()
    target.calls.length = 0
    die({ ...death, brief })
    await act(prepared)
    if (!restart()) break
    states.add(await check(prepared, JSON.stringify(death)))
  }
  return states
}

const keysSent = () => target.calls.map(({ headers }) => headers['idempotency-key'])
const proofs = ({ evidence }: { evidence: { type: string }[] }) => evidence.map(({ type }) => type)

type Held = { approval: { id: string }; receipt: { request_id: string } }

describe('a process that dies while somebody completes a task with an action', () => {
  const step = { title: 'Mend', kind: 'action', node_id: NODE_ID, action_id: 'get_deal', payload_template: { deal: 1 } }
  const opened = async (): Promise<string> => {
    const runbook = bodyOf(await acme.call(runbooks.create, { body: { name: 'mend', steps: [step] } }), 201)
    const body = { title: 'Broken', severity: 'sev3', runbook_id: runbook.id }
    const incident = bodyOf(await acme.call(incidents.create, { body }), 201)
    await local.drain() // else the request itself gives the evidence its place in the chain, of all incidents so far
    return incident.step_task_ids[0]
  }

  test('leaves a task that is open, or done by one execution', async () => {
    const states = await dieEverywhere(
      opened,
      (id) => acme.call(work.updateTask, { params: { id }, body: { status: 'completed' } }),
      async (id, where) => {
        await recover()
        const { status, action } = bodyOf(await acme.call(work.getTask, { params: { id } }), 200)
        const ids = status === 'open' ? [] : [action.execution.id]
        expect([...new Set(keysSent())], where).toEqual(ids)
        if (status !== 'open') expect(await acme.look(action.execution.id), where).toMatchObject({ status: 'executed' })
        return status
      },
    )

    expect(states).toEqual(new Set(['open', 'completed']))
  })
})

describe('a process that dies while it approves', () => {
  test('an action whose target honours the key runs once', async () => {
    const states = await dieEverywhere<Held>(
      () => acme.held('delete_deal'),
      ({ approval }) => acme.approve(approval.id),
      async ({ approval, receipt }, where) => {
        await recover()
        const { status } = await acme.look(receipt.request_id)
        if (status === 'pending_approval') {
          expect(target.calls, where).toEqual([])
          expect(await acme.approve(approval.id), where).toMatchObject({ body: { execution: { status: 'executed' } } })
        }
        expect(new Set(keysSent()), where).toEqual(new Set([receipt.request_id]))
        const body = { approval: { id: approval.id }, payload: { contact: 'con_1' } }
        for (const call of target.calls) expect(call.body, where).toMatchObject(body)
        expect(proofs(await acme.look(receipt.request_id)), where).toEqual([
          'action.requested',
          'approval.approved',
          'execution.started',
          'protocol.executed',
        ])
        return status
      },
    )

    expect(states).toEqual(new Set(['pending_approval', 'executed']))
  })

  test('an action whose target does not is called at most once, and its outcome never guessed', async () => {
    const states = await dieEverywhere<Held>(
      () => acme.held('delete_contact'),
      ({ approval }) => acme.approve(approval.id),
      async ({ approval, receipt }, where) => {
        await recover()
        const { status } = await acme.look(receipt.request_id)
        if (status === 'executed') expect(target.calls, where).toHaveLength(1)
        expect(await acme.approve(approval.id), where).toMatchObject({ status: 200 }) // the first vote, or the same again
        await recover()
        expect(target.calls.length, where).toBeLessThanOrEqual(1)
        return status
      },
    )

    expect(states).toEqual(new Set(['pending_approval', 'executed', 'outcome_unknown']))
  })

  test('an action whose approval fails for a moment still waits, or runs once', async () => {
    const states = await dieEverywhere<Held>(
      () => acme.held('delete_deal'),
      ({ approval }) => acme.approve(approval.id),
      async ({ receipt }, where) => {
        await recover()
        const { status } = await acme.look(receipt.request_id)
        expect(new Set(keysSent()), where).toEqual(new Set(status === 'executed' ? [receipt.request_id] : []))
        return status
      },
      { brief: true },
    )

    expect(states).toEqual(new Set(['pending_approval', 'executed']))
  })

  test('a brokered action is approved and executed, or neither', async () => {
    const states = await dieEverywhere<Held>(
      () => acme.held('delete_note'),
      ({ approval }) => acme.approve(approval.id),
      async ({ approval, receipt }) => {
        const { status, evidence } = await acme.look(receipt.request_id)
        return `${status}, ${(await acme.approval(approval.id)).status}, ${evidence.length} artifacts`
      },
    )

    expect(states).toEqual(new Set(['pending_approval, pending, 1 artifacts', 'executed, approved, 3 artifacts']))
  })
})

describe('a process that dies while it executes, asked again with the same Idempotency-Key', () => {
  let tries = 0
  const requestOf = (action_id: string) => {
    tries += 1
    const headers = { 'idempotency-key': `try-${tries}` }
    return { request: () => acme.execute(action_id, {}, { headers }) }
  }

  test.each([
    { action_id: 'get_deal', honours: true, ends: ['executed'] },
    { action_id: 'get_contact', honours: false, ends: ['executed', 'outcome_unknown'] },
  ])('has run $action_id once', async ({ action_id, honours, ends }) => {
    const states = await dieEverywhere(
      async () => requestOf(action_id),
      ({ request }) => request(),
      async ({ request }, where) => {
        const early = await request()
        expect([200, 409], where).toContain(early.status)
        if (early.status === 409) expect(early.headers, where).toMatchObject({ 'retry-after': '1' })
        await recover()
        const { body } = await request()
        expect(new Set(keysSent()).size, where).toBeLessThanOrEqual(1)
        if (body.status === 'executed') expect(keysSent(), where).toContain(body.receipt.request_id)
        if (!honours) expect(target.calls.length, where).toBeLessThanOrEqual(1)
        expect(await request(), where).toMatchObject({ body, headers: { 'idempotent-replayed': 'true' } })
        return body.status
      },
    )

    expect(states).toEqual(new Set(ends))
  })
})

test('all processes together make no more than three calls', async () => {
  const busy = json(503, {})
  target.next(
    busy,
    (response, request) => {
      die({ at: 1 }) // while the target answers
      busy(response, request)
    },
    busy,
    busy,
  )
  await acme.execute('get_deal')
  restart()
  await recover()
  const { items } = bodyOf(await acme.call(protocol.listExecutions), 200)

  expect(target.calls).toHaveLength(3)
  expect(new Set(keysSent()).size).toBe(1)
  expect(await acme.look(items[0].request_id)).toMatchObject({ status: 'failed', receipt: { retries: 2 } })
})

/** The target has done what it was asked for, and the process dies before it hears of it. */
const dieUnheard: Behaviour = (response) => {
  die({ at: 1 })
  response.writeHead(200).end()
}

test('a call that died is not repeated when it was forbidden since', async () => {
  target.next(dieUnheard)
  await acme.execute('get_deal')
  restart()
  await acme.policy({ name: 'stop', effect: 'forbid' })
  await recover()
  const { items } = bodyOf(await acme.call(protocol.listExecutions), 200)

  expect(target.calls).toHaveLength(1)
  expect(items[0].status).toBe('outcome_unknown')
})

test('an exact inverse that died is repeated on the evidence of its undo', async () => {
  target.next(json(201, { id: 'room_1' }), dieUnheard)
  const { request_id } = bodyOf(await acme.execute('create_room'), 200).receipt
  await acme.undo(request_id)
  restart()
  await recover()

  expect(target.calls.map(({ body }) => body.action_id)).toEqual(['create_room', 'delete_room', 'delete_room'])
  expect((await acme.look(request_id)).status).toBe('undone')
})

test('a process that dies while it undoes has run the undo action once, or the action stands', async () => {
  const states = await dieEverywhere(
    async () => bodyOf(await acme.execute('update_deal'), 200).receipt,
    ({ request_id }) => acme.undo(request_id),
    async ({ request_id }, where) => {
      await recover()
      const { status, undo } = await acme.look(request_id)
      if (status === 'undone') expect(undo.by, where).toMatch(/^key_/)
      expect(new Set(keysSent()), where).toEqual(new Set(status === 'undone' ? [undo.request_id] : []))
      return `${status}, ${undo?.state}`
    },
  )

  expect(states).toEqual(new Set(['executed, undefined', 'executed, failed', 'undone, done']))
})

test('a sweeper that dies leaves its work to the next one', async () => {
  const states = await dieEverywhere<Held>(
    async () => {
      const held = await acme.held('delete_deal')
      die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' }) // approved, and never claimed
      await acme.approve(held.approval.id)
      restart()
      local.clock.moveTo(local.clock.now() + 31_000)
      return held
    },
    () => sweep().catch(() => undefined),
    async ({ receipt }, where) => {
      await recover()
      const { status } = await acme.look(receipt.request_id)
      expect(new Set(keysSent()), where).toEqual(new Set([receipt.request_id]))
      return status
    },
    { calls: 12 }, // it makes some fifty, and works off one thing after the other
  )

  expect(states).toEqual(new Set(['executed']))
})
