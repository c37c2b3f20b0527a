import { beforeEach, describe, expect, test } from 'vitest'
import { decideEvidence } from '../../../../shared/assure/decisions/decide.ts'
import { linksNow } from '../../../../shared/assure/submissions/link.ts'
import { reviewTaskId } from '../../../../shared/assure/submissions/submit.ts'
import { submissions } from '../../../../shared/assure/submissions/submission.ts'
import { tasks } from '../../../../shared/govern/tasks/task.ts'
import { auditEntries } from '../../../../shared/ledger/audit/entry.ts'
import { personIn } from '../../../support/person.ts'
import { SPACE, TABLE, type World } from '../../ledger/evidence/world.ts'
import { auditor, BAD, GOOD, govern, headersOf, keyOf, officeWorld, owner, stored, submit } from './make.ts'

let it: World
beforeEach(async () => {
  it = await officeWorld()
})

const taskOf = (id: string) => it.ctx.table.get(tasks, { ...SPACE, id: reviewTaskId(id) })
const links = () => linksNow(it.ctx, it.clock.now())

describe('submitted evidence', () => {
  test('opens a task to decide on it, which its submitter does not get', async () => {
    const { id } = await submit()

    expect(await taskOf(id)).toMatchObject({
      kind: 'evidence_review',
      status: 'open',
      assignee: null,
      source: { type: 'submitted_evidence', id },
    })
  })

  test('counts for no control before somebody accepts it', async () => {
    await submit()

    expect(await links()).toEqual([])
  })

  test('is refused when it claims to come from the future', async () => {
    const collected_at = new Date(it.clock.now() + 60_000).toISOString()

    await expect(submit({ collected_at })).rejects.toMatchObject({ kind: 'invalid' })
    it.clock.moveTo(Date.parse(collected_at))
    expect(await submit({ collected_at })).toMatchObject({ status: 'submitted' })
  })

  test.each(['CC6.9', 'A.5.1'])('is refused for %s, which its framework does not have', async (control) => {
    await expect(submit({}, { controls: ['CC6.3', control] })).rejects.toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['body', 'control_refs', 1, 'control_id'] }],
    })
  })
})

describe('a decision', () => {
  test('that accepts fixes its end and counts at each control that is named, however often', async () => {
    const collected_at = '2026-11-20T08:00:00.000Z'
    const { id } = await submit({ collected_at }, { controls: ['CC6.3', 'CC6.2', 'CC6.3'] })
    const { status, decision } = await decideEvidence(auditor(), id, GOOD)

    expect(status).toBe('accepted')
    expect(decision).toEqual({
      ...GOOD,
      by: { type: 'user', id: 'usr_auditor' },
      at: expect.stringMatching(/^2026-11-20T10:00:/),
      valid_until: '2027-05-19T08:00:00.000Z',
    })
    expect((await links()).map(({ control_key, status: now }) => [control_key, now])).toEqual([
      ['cc6.2', 'current'],
      ['cc6.3', 'current'],
    ])
  })

  test('that rejects counts nowhere', async () => {
    const { id } = await submit()

    expect(await decideEvidence(auditor(), id, BAD)).toMatchObject({ status: 'rejected', decision: BAD })
    expect(await links()).toEqual([])
  })

  test('leaves an artifact without a word of what people wrote, and an audit entry with the reason', async () => {
    const { id } = await submit({ valid_until: '2027-05-19T10:00:00.000Z' })
    const { evidence_artifact_id } = await decideEvidence(auditor(), id, GOOD)
    const header = headersOf(it, id).at(-1)
    const entries = it.table.items(TABLE).filter((item) => item._type?.S === auditEntries.name)

    expect(header).toMatchObject({
      artifact_id: evidence_artifact_id,
      type: 'compliance.evidence.accepted',
      actor: { kind: 'user', id: 'usr_auditor' },
      data: { kind: 'access_review', valid_until: '2027-05-19T10:00:00.000Z' },
    })
    expect(JSON.stringify(header)).not.toContain('accounts')
    expect(entries.map(({ action, reason, evidence_artifact_id: of }) => [action?.S, reason?.S, of?.S])).toEqual([
      ['evidence.accepted', GOOD.reason, evidence_artifact_id],
    ])
  })

  test('completes the task of the review', async () => {
    const { id } = await submit()
    await decideEvidence(auditor(), id, BAD)

    expect(await taskOf(id)).toMatchObject({ status: 'completed', resolution: 'rejected' })
  })

  test('is made once: a second one is a conflict and changes nothing', async () => {
    const { id } = await submit()
    await decideEvidence(auditor(), id, GOOD)

    await expect(decideEvidence(auditor(), id, BAD)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await stored(it, id)).toMatchObject({ status: 'accepted' })
  })

  test('on an older version than the present one is a conflict', async () => {
    const { id } = await submit()

    await expect(decideEvidence(auditor(), id, { ...GOOD, version: 2 })).rejects.toMatchObject({
      options: { code: 'version_conflict' },
    })
    expect(await decideEvidence(auditor(), id, { ...GOOD, version: 1 })).toMatchObject({ status: 'accepted' })
  })

  test('of two people at once is that of one of them', async () => {
    const { id } = await submit()
    const both = await Promise.allSettled([
      decideEvidence(auditor(), id, GOOD),
      decideEvidence(personIn(SPACE, ['admin']), id, BAD),
    ])
    const failed = both.filter((one) => one.status === 'rejected')

    expect(failed).toMatchObject([{ reason: { kind: 'conflict' } }])
    expect(headersOf(it, id)).toHaveLength(2)
  })
})

describe('whoever could have submitted the evidence', () => {
  test.each([
    ['its submitter', owner],
    ['a key that its submitter made', () => keyOf('usr_owner')],
    [
      'somebody who has seen the secret of a key of theirs',
      () => keyOf('usr_admin', { persons: ['usr_admin', 'usr_owner'] }),
    ],
  ])('does not decide on it: %s', async (_, decider) => {
    const { id } = await submit()

    await expect(decideEvidence(decider(), id, GOOD)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(decideEvidence(decider(), id, BAD)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await stored(it, id)).toMatchObject({ status: 'submitted' })
  })

  test.each([
    ['the person who made the key that submitted it', owner],
    ['the key itself', () => keyOf('usr_owner')],
  ])('does not decide on it: %s', async (_, decider) => {
    const { id } = await submit({}, { by: keyOf('usr_owner', { agent_id: 'agent-7' }) })

    await expect(decideEvidence(decider(), id, GOOD)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await decideEvidence(auditor(), id, GOOD)).not.toHaveProperty('decision.self')
  })

  test('shows where who could have submitted it stands behind who decides', async () => {
    const { id } = await submit()
    const raised = personIn(SPACE, ['admin'], { raised_by: ['usr_owner', 'usr_other'] })

    expect(await decideEvidence(raised, id, GOOD)).toMatchObject({ decision: { raised_by: ['usr_owner'] } })
    expect(headersOf(it, id).at(-1)).toMatchObject({ data: { raised_by: ['usr_owner'] } })
  })

  test('decides where the tenant allows it, and it is recorded', async () => {
    await govern(it, { allow_self_approval: true })
    const { id } = await submit()

    expect(await decideEvidence(owner(), id, GOOD)).toMatchObject({ decision: { self: true } })
    expect(headersOf(it, id).at(-1)).toMatchObject({ data: { self: true } })
    expect(await links()).toMatchObject([{ self: true }])
  })
})

describe('nobody decides', () => {
  test('without the permission to write compliance data', async () => {
    const { id } = await submit()

    await expect(decideEvidence(personIn(SPACE, ['approver']), id, GOOD)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('through an agent', async () => {
    const { id } = await submit()
    const agent = keyOf('usr_admin', { agent_id: 'agent-7' })

    await expect(decideEvidence(agent, id, GOOD)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('by a key where the tenant requires a person, but not where it has said nothing', async () => {
    const { id: other } = await submit()
    expect(await decideEvidence(keyOf('usr_admin'), other, GOOD)).toMatchObject({ status: 'accepted' })
    const { id } = await submit()
    await govern(it, { require_human_approver: true })

    await expect(decideEvidence(keyOf('usr_admin'), id, GOOD)).rejects.toMatchObject({
      kind: 'forbidden',
      options: { code: 'person_required' },
    })
    expect(await decideEvidence(auditor(), id, GOOD)).toMatchObject({ status: 'accepted' })
  })

  test('after their account has ended', async () => {
    const { id } = await submit()

    await expect(
      decideEvidence(auditor({ id: 'usr_gone', user_id: 'usr_gone', persons: ['usr_gone'] }), id, GOOD),
    ).rejects.toMatchObject({ kind: 'conflict' })
  })
})

describe('evidence that was changed in the table', () => {
  test.each([
    ['its statement', { statement: 'No account was reviewed.' }],
    ['who could have submitted it', { persons: [] }],
  ])('cannot be accepted: %s', async (_, change) => {
    const was = await submit()
    await it.ctx.table.commit([submissions.replace({ ...was, ...change }, was)])

    await expect(decideEvidence(auditor(), was.id, GOOD)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await decideEvidence(auditor(), was.id, BAD)).toMatchObject({ status: 'rejected' })
  })
})
