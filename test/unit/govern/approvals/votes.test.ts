import { describe, expect, test } from 'vitest'
import { actionDigest, type BoundAction } from '../../../../shared/govern/approvals/hold.ts'
import { BEFORE, keyOf, pending, stagesOf, user, vote } from './make.ts'

describe('a deciding vote', () => {
  test('approves, and says who decided, when and why', () => {
    expect(vote(pending(), user('anna'))).toMatchObject({
      status: 'approved',
      decided_by: { type: 'user', id: 'usr_anna' },
      decided_at: BEFORE,
      reason: 'usr_anna says approve',
      method: 'manual',
      stage: 0,
      stages: [{ status: 'done' }],
      votes: [{ by: { type: 'user', id: 'usr_anna' }, decision: 'approve', at: BEFORE, stage: 0, groups: ['any'] }],
    })
    expect(vote(pending(), keyOf('anna'))).toMatchObject({ status: 'approved', method: 'api_key' })
  })

  test('leaves what it was given as it was', () => {
    const before = pending()
    const copy = structuredClone(before)
    vote(before, user('anna'))

    expect(before).toEqual(copy)
  })

  test('rejects at once, in any stage and against any number of approvals', () => {
    const staged = pending({
      stages: stagesOf({ groups: ['any'], min_approvals: 3 }, { groups: ['any'], min_approvals: 2 }),
    })
    const late = ['anna', 'ben', 'cleo', 'dan'].reduce((approval, name) => vote(approval, user(name)), staged)

    expect(late).toMatchObject({ status: 'pending', stage: 1 })
    for (const approval of [staged, vote(staged, user('anna')), late]) {
      expect(vote(approval, user('eve'), 'reject')).toMatchObject({ status: 'rejected', decided_by: { id: 'usr_eve' } })
    }
  })

  test.each(['approved', 'rejected', 'expired', 'cancelled'] as const)('has no effect on what is %s', (status) => {
    const refusal = expect.objectContaining({ status: 409 })

    expect(() => vote(pending({ status }), user('anna'), 'reject')).toThrow(refusal)
    expect(() => vote(pending({ status }), user('anna'), 'approve')).toThrow(refusal)
  })
})

describe('a quorum of any', () => {
  test('is so many different people of all groups together', () => {
    const two = pending({ stages: stagesOf({ groups: ['role:admin', 'role:legal'], min_approvals: 2 }) })
    const once = vote(two, user('anna', 'admin'))

    expect(once).toMatchObject({ status: 'pending', stage: 0, stages: [{ status: 'open' }] })
    expect(once).not.toHaveProperty('decided_by')
    expect(vote(once, user('ben', 'admin')).status).toBe('approved')
    expect(vote(once, user('cleo', 'legal')).status).toBe('approved')
    expect(() => vote(once, user('dan', 'sales'))).toThrow(expect.objectContaining({ status: 403 }))
  })

  test('of ten needs ten', () => {
    let approval = pending({ stages: stagesOf({ groups: ['any'], min_approvals: 10 }) })
    for (let n = 1; n <= 10; n += 1) {
      expect(approval.status).toBe('pending')
      approval = vote(approval, user(`p${n}`))
    }
    expect(approval.status).toBe('approved')
  })
})

describe('a quorum of each', () => {
  const each = (min_approvals: number) =>
    pending({ stages: stagesOf({ groups: ['role:admin', 'role:legal'], min_approvals, mode: 'each' }) })

  test('is so many from every group', () => {
    const admins = vote(vote(each(1), user('anna', 'admin')), user('ben', 'admin'))

    expect(admins.status).toBe('pending')
    expect(vote(admins, user('cleo', 'legal')).status).toBe('approved')
    const two = ['anna admin', 'ben admin', 'cleo legal'].reduce((approval, text) => {
      const [name = '', role = ''] = text.split(' ')
      return vote(approval, user(name, role))
    }, each(2))
    expect(two.status).toBe('pending')
    expect(vote(two, user('dan', 'legal')).status).toBe('approved')
  })

  test('counts one person in every group they belong to', () => {
    expect(vote(each(1), user('anna', 'admin', 'legal')).status).toBe('approved')
  })
})

describe('stages', () => {
  const three = pending({
    stages: stagesOf({ groups: ['role:a'] }, { groups: ['role:b'], min_approvals: 2 }, { groups: ['role:c'] }),
  })
  const statuses = (approval: typeof three) => approval.stages.map(({ status }) => status)

  test('run in order, and the last one decides', () => {
    const first = vote(three, user('anna', 'a'))
    const second = vote(vote(first, user('ben', 'b')), user('cleo', 'b'))
    const last = vote(second, user('dan', 'c'))

    expect([first, second, last].map(({ status, stage }) => [status, stage])).toEqual([
      ['pending', 1],
      ['pending', 2],
      ['approved', 2],
    ])
    expect([three, first, second, last].map(statuses)).toEqual([
      ['open', 'waiting', 'waiting'],
      ['done', 'open', 'waiting'],
      ['done', 'done', 'open'],
      ['done', 'done', 'done'],
    ])
    expect(last.votes.map(({ stage }) => stage)).toEqual([0, 1, 1, 2])
  })

  test('count only their own votes', () => {
    const both = pending({
      stages: stagesOf({ groups: ['any'], min_approvals: 2 }, { groups: ['any'], min_approvals: 2 }),
    })
    const done = ['anna', 'ben', 'cleo'].reduce((approval, name) => vote(approval, user(name)), both)

    expect(done).toMatchObject({ status: 'pending', stage: 1 })
  })
})

describe('the digest of an action', () => {
  const action: BoundAction = {
    v: 1,
    tenant_id: 'ten_1',
    mode: 'live',
    request_id: 'exe_1',
    node_id: 'crm.contacts.editor',
    version: '1.0.0',
    manifest_sha256: 'a'.repeat(64),
    action_id: 'delete_contact',
    requested_by: { type: 'api_key', id: 'key_1' },
    agent_id: null,
    payload_commitment: 'b'.repeat(64),
    policy_set_version: `sha256:${'c'.repeat(64)}`,
  }
  const called: BoundAction = { ...action, v: 2, target: { method: 'DELETE', host: 'crm.example', path: '/contacts' } }

  test('is the hash of its canonical JSON, with null for no agent', () => {
    expect(actionDigest(action)).toBe('sha256:a4be16a90144b7c3b9e4667d568b3363fd25b2e62f6e719d06ab95acd807ac8d')
    expect(actionDigest({ ...action })).toBe(actionDigest(action))
    expect(actionDigest(called)).toBe('sha256:be04c73edb4b1a96fa94b100b0b058731a81701f58ed18acc3ae454ea52f02fd')
  })

  test.each(['method', 'host', 'path'])('is another one when the %s of the target changes', (name) => {
    const target = { method: 'DELETE', host: 'crm.example', path: '/contacts', [name]: 'other' }

    expect(actionDigest({ ...called, target })).not.toBe(actionDigest(called))
  })

  test.each(Object.keys(action) as (keyof BoundAction)[])('is another one when %s changes', (name) => {
    const change = name === 'requested_by' ? { type: 'user', id: 'key_1' } : 'other'

    expect(actionDigest({ ...action, [name]: change })).not.toBe(actionDigest(action))
  })
})
