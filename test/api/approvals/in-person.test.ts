// A person decides on what is hard to take back, whatever way a key or a client takes to the decision.
import { beforeEach, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { approvals } from '../../../functions/approvals/routes.ts'
import { learning } from '../../../functions/learning/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { approvalLink } from '../../../shared/govern/approvals/votes/rules.ts'
import { approvals as storedApprovals } from '../../../shared/govern/approvals/approval.ts'
import { tamper } from '../../support/insider.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { type Person, personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { trainedModel } from '../training/deployed-model.ts'

const local = useLocalStack()
const ACTIONS = [{ action_id: 'delete_contact' }, { action_id: 'run_job', kind: 'execute' }]
const REFUSED = { status: 403, body: { code: 'person_required' } }

let acme: Governed
beforeEach(async () => {
  acme = await governed(local, ACTIONS, { require_human_approver: null })
})

const person = async (): Promise<Person> => personWith(local, await signIn(local, acme.owner), ['approver'])
const by = ({ access_token: key }: { access_token: string }) => ({ key })

describe('without a setting', () => {
  test('403: no key approves or rejects; the answer leads to the page where people do', async () => {
    const { id } = (await acme.held()).approval
    const approval_url = approvalLink(acme.tenant_id, id)
    const body = { code: 'person_required', detail: expect.stringContaining(approval_url), approval_url }

    expect(await acme.approve(id)).toMatchObject({ status: 403, body })
    expect(await acme.reject(id)).toMatchObject({ status: 403, body })
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
  })

  test('200: a person in a session approves, and it runs', async () => {
    const { id } = (await acme.held()).approval
    const approver = await signIn(local, acme.approver)

    expect(await acme.approve(id, {}, by(approver))).toMatchObject({
      status: 200,
      body: { status: 'approved', method: 'manual', execution: { status: 'executed' } },
    })
  })

  test('200: the requester’s key withdraws', async () => {
    const { id } = (await acme.held()).approval

    expect(await acme.reject(id, {}, { key: acme.live_key })).toMatchObject({
      status: 200,
      body: { status: 'rejected', votes: [{ self: true }] },
    })
  })

  test('200: a key decides on other kinds', async () => {
    const { id } = (await acme.held('run_job')).approval

    expect(await acme.approve(id)).toMatchObject({ status: 200, body: { status: 'approved' } })
  })

  test('200: a key decides on everything in test mode', async () => {
    const sandbox = await governed(local, ACTIONS, { mode: 'test', require_human_approver: null })
    const key = await makeKey(sandbox, { kind: 'test', created_by: sandbox.approver.id, scopes: ['governance:write'] })
    const { id } = (await sandbox.held()).approval

    expect(await sandbox.approve(id, {}, { key })).toMatchObject({ status: 200, body: { status: 'approved' } })
  })

  test('403: no key gives it more time', async () => {
    const { id } = (await acme.held()).approval
    const extend = (key: string) => acme.call(approvals.extend, { key, params: { id }, body: { seconds: 60 } })

    expect(await extend(acme.approver_key)).toMatchObject(REFUSED)
    expect((await extend((await signIn(local, acme.approver)).access_token)).status).toBe(200)
  })

  test('403: no key approves a command by its task', async () => {
    const command = 'delete the old contacts'
    const { task_id } = bodyOf(await acme.call(agent.execute, { body: { tier: 'AUTO', command } }), 202)
    const approve = (key: string) =>
      acme.call(agent.approve, { key, params: { task_id }, body: { reason: 'reviewed' } })

    expect(await approve(acme.approver_key)).toMatchObject(REFUSED)
    expect((await approve((await signIn(local, acme.approver)).access_token)).status).toBe(200)
  })

  test('a batch by a key says so of each', async () => {
    const ids = [(await acme.held('run_job')).approval.id, (await acme.held()).approval.id]
    const { body } = await acme.call(approvals.batch, { key: acme.approver_key, body: { decision: 'reject', ids } })

    expect(body.results).toMatchObject([
      { http_status: 200, status: 'rejected' },
      { http_status: 403, code: 'person_required' },
    ])
  })

  test('the list of what waits for a key leaves it out', async () => {
    await acme.held()
    const { id } = (await acme.held('run_job')).approval
    const mine = async (key: string) =>
      bodyOf(await acme.call(approvals.list, { key, query: { assignee: 'me' } }), 200).items

    expect(await mine(acme.approver_key)).toMatchObject([{ id }])
    expect(await mine((await signIn(local, acme.approver)).access_token)).toHaveLength(2)
  })

  test('403: no key deploys a model, or changes by a routing update which one stands in a slot', async () => {
    const [former, next] = [(await trainedModel(acme)).id, (await trainedModel(acme, {}, -4)).id]
    const approver = await signIn(local, acme.approver)
    const deploy = await acme.call(training.deployModel, { params: { model_id: former }, body: {} })
    const { approval_id: deployment } = bodyOf(deploy, 202)

    expect(await acme.approve(deployment)).toMatchObject(REFUSED)
    bodyOf(await acme.approve(deployment, {}, by(approver)), 200)
    await local.advance(61_000)
    await local.sweep()
    const body = { type: 'model_change', slot: 'approval-scorer', to: next, rationale: 'It knows more.' }
    const update = bodyOf(await acme.call(learning.proposeRoutingUpdate, { body }), 201)
    expect(await acme.approve(update.approval_id)).toMatchObject(REFUSED)
  })

  test.each([{ kind: 'execute' }, { kind: 'read', node_id: 'crm.contacts.reader' }, { mode: 'test' }])(
    '403: no key, also where somebody wrote %j into the table',
    async (forged) => {
      const { id } = (await acme.held()).approval
      await tamper(storedApprovals.key({ ...acme.ctx.space, id }), forged)

      expect(await acme.approve(id)).toMatchObject(REFUSED)
    },
  )
})

const twoMustVote = () => {
  const stages = [{ groups: ['any'], min_approvals: 2 }]
  return acme.policy({ name: 'two', effect: 'require_approval', approval: { stages } })
}

describe('a setting that changes while votes come in', () => {
  test('the earlier vote of a key does not count once people decide', async () => {
    await twoMustVote()
    const { id } = (await acme.held()).approval
    await acme.change({ require_human_approver: false })
    expect(await acme.approve(id)).toMatchObject({ status: 200, body: { status: 'pending' } })
    await acme.change({ require_human_approver: null })

    const [ada, ben] = [await person(), await person()]
    const { body } = await acme.approve(id, {}, by(ada))
    expect(body).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, { by: { id: ada.user_id } }] })
    expect(await acme.approve(id, {}, by(ben))).toMatchObject({ status: 200, body: { status: 'approved' } })
  })
})
