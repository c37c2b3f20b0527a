import { describe, expect, test } from 'vitest'
import { KIND_NAMES, KINDS } from '../../../../shared/base/catalog/kinds.ts'
import { isSelf, mustBeOpen, personDecides, voteOf } from '../../../../shared/govern/approvals/votes/rules.ts'
import { APPROVAL_STATUSES } from '../../../../shared/govern/approvals/states.ts'
import { BEFORE, EXPIRES, keyOf, pending, stagesOf, STRICT, user, vote } from './make.ts'

const refused = (status: number, detail?: string) => expect.objectContaining({ status, ...(detail && { detail }) })
const HUMAN = { ...STRICT, require_human_approver: true }
const SELF = { ...STRICT, allow_self_approval: true }
const by = (at: string) => ({ decision: 'approve' as const, at })

describe('an approval is open', () => {
  test('until the millisecond in which it expires', () => {
    expect(() => mustBeOpen(pending(), by(BEFORE))).not.toThrow()
    expect(() => mustBeOpen(pending(), by(EXPIRES))).toThrow(
      refused(409, 'This approval has expired. Request the action again.'),
    )
    expect(() => mustBeOpen(pending(), by('2026-11-21T00:00:00.000Z'))).toThrow(refused(409))
  })

  test.each(APPROVAL_STATUSES.filter((status) => status !== 'pending'))('and no longer when it is %s', (status) => {
    expect(() => mustBeOpen(pending({ status }), by(BEFORE))).toThrow(
      refused(409, `You cannot change the status from ${status} to approved.`),
    )
  })

  test('for what the voter saw, and nothing else', () => {
    const { action_digest } = pending()

    expect(() => mustBeOpen(pending(), by(BEFORE), action_digest)).not.toThrow()
    expect(() => mustBeOpen(pending(), by(BEFORE), `sha256:${'c'.repeat(64)}`)).toThrow(refused(409))
  })

  test('under the id of its successor once it was superseded', () => {
    const dead = pending({ status: 'cancelled', superseded_by: 'apr_2' })

    expect(() => mustBeOpen(dead, by(BEFORE))).toThrow(
      refused(409, 'The action has changed. Decide approval apr_2 instead.'),
    )
  })
})

describe('group membership', () => {
  const asking = (...groups: string[]) => pending({ stages: stagesOf({ groups }) })

  test.each([
    ['any', user('anna')],
    ['any', keyOf('anna')],
    ['role:admin', user('anna', 'member', 'admin')],
    ['user:usr_anna', user('anna')],
    ['key:key_anna', keyOf('anna')],
  ])('%s takes its members', (group, voter) => {
    expect(vote(asking('role:nobody', group), voter).status).toBe('approved')
  })

  test.each([
    ['role:admin', user('anna', 'administrator')],
    ['role:admin', keyOf('anna')],
    ['role:', user('anna', 'owner')],
    ['user:usr_anna', user('ben')],
    ['user:usr_anna', keyOf('anna')],
    ['user:key_anna', keyOf('anna')],
    ['key:key_anna', keyOf('ben')],
    ['key:usr_anna', user('anna')],
    ['group:grp_1', user('anna', 'grp_1')],
    ['ANY', user('anna')],
    ['owner', user('anna', 'owner')],
  ])('%s does not take %j', (group, voter) => {
    expect(() => vote(asking(group), voter)).toThrow(
      refused(403, 'You are not among the approvers of this stage. Ask one of them.'),
    )
    expect(() => vote(asking(group), voter, 'reject')).toThrow(refused(403))
  })

  test('counts in the open stage, not in one that is still to come', () => {
    const staged = pending({ stages: stagesOf({ groups: ['role:admin'] }, { groups: ['user:usr_anna'] }) })

    expect(() => vote(staged, user('anna'))).toThrow(refused(403))
    expect(vote(vote(staged, user('ben', 'admin')), user('anna')).status).toBe('approved')
  })
})

describe('nobody decides what they asked for', () => {
  const requesters = [
    ['the key itself', keyOf('maker')],
    ['another key of the same person', keyOf('maker', 'key_other')],
    ['the person who made the key', user('maker', 'owner')],
    ['the same key in the name of another person', { ...keyOf('ben'), id: 'key_maker' }],
    ['an agent that the person owns', { ...keyOf('ben'), persons: ['usr_ben', 'usr_maker'] }],
  ] as const

  test.each(requesters)('%s cannot approve', (_, voter) => {
    expect(isSelf(pending(), voter)).toBe(true)
    expect(() => vote(pending(), voter)).toThrow(
      refused(403, 'You cannot approve an action that you requested. Ask another approver.'),
    )
    expect(() => vote(pending({ stages: stagesOf({ groups: [`key:${voter.id}`, 'any'] }) }), voter)).toThrow(
      refused(403),
    )
  })

  test.each(requesters)('%s may withdraw it, in any stage, and is marked', (_, voter) => {
    const elsewhere = pending({ stages: stagesOf({ groups: ['role:admin'] }) })

    expect(vote(elsewhere, voter, 'reject')).toMatchObject({ status: 'rejected', votes: [{ self: true, groups: [] }] })
  })

  test('people and keys of others can', () => {
    for (const voter of [user('anna'), keyOf('anna')]) {
      expect(isSelf(pending(), voter)).toBe(false)
      const { votes } = vote(pending(), voter)
      expect(votes[0]).not.toHaveProperty('self')
    }
  })

  test('a tenant of one person may allow it, unless a policy forbids', () => {
    const maker = user('maker', 'owner')

    expect(vote(pending({ allow_self: true }), maker, 'approve', SELF)).toMatchObject({
      status: 'approved',
      votes: [{ self: true }],
    })
    expect(() => vote(pending({ allow_self: false }), maker, 'approve', SELF)).toThrow(refused(403))
    expect(() => vote(pending({ allow_self: true }), maker, 'approve', STRICT)).toThrow(refused(403))
  })
})

describe('without a setting', () => {
  const DEFAULT = { ...STRICT, require_human_approver: null }
  const FOR_PEOPLE = ['destructive', 'permission', 'email', 'message_external', 'deploy', 'delete', 'payment']

  test.each([...KIND_NAMES, 'nobody_knows'])('a key decides on %s only where no person must', (kind) => {
    const held = pending({ kind })
    const isForPeople = FOR_PEOPLE.includes(kind) || kind === 'nobody_knows'

    for (const decision of ['approve', 'reject'] as const) {
      const byKey = () => vote(held, keyOf('anna'), decision, DEFAULT)
      if (isForPeople) expect(byKey).toThrow(refused(403))
      else expect(byKey).not.toThrow()
      expect(() => vote(held, user('anna'), decision, DEFAULT)).not.toThrow()
    }
  })

  test('what has a class floor is for people', () => {
    const floored = KIND_NAMES.filter((kind) => KINDS[kind].classFloor === 'HARD')

    expect(floored.filter((kind) => !personDecides(pending({ kind }), DEFAULT))).toEqual([])
  })

  test('what changes the service itself is for people, of any kind', () => {
    const held = pending({ node_id: 'platform.routing.rules', kind: 'update' })

    expect(() => vote(held, keyOf('anna'), 'approve', DEFAULT)).toThrow(refused(403))
    expect(vote(held, user('anna'), 'approve', DEFAULT).status).toBe('approved')
  })

  test('a key decides on everything in test mode', () => {
    expect(vote(pending({ mode: 'test' }), keyOf('anna'), 'approve', DEFAULT).status).toBe('approved')
  })

  test('a person who votes through a client is none', () => {
    const through = { ...user('anna'), client_id: 'cli_1' }

    expect(() => vote(pending(), through, 'approve', DEFAULT)).toThrow(refused(403))
    expect(vote(pending(), through, 'approve', STRICT).status).toBe('approved')
  })

  test('a key withdraws what it requested', () => {
    expect(vote(pending(), keyOf('maker'), 'reject', DEFAULT).status).toBe('rejected')
  })
})

describe('a tenant that requires a person', () => {
  test('takes no vote of a key or client, not even a named one', () => {
    const named = pending({ stages: stagesOf({ groups: ['key:key_anna', 'any'] }) })
    const others = [
      keyOf('anna'),
      { ...keyOf('anna'), type: 'client' as const },
      { ...keyOf('anna'), type: 'agent' as const },
    ]

    for (const voter of others) {
      for (const decision of ['approve', 'reject'] as const) {
        expect(() => vote(named, voter, decision, HUMAN)).toThrow(
          refused(403, 'Only a person decides on this action, not a key or a client. Sign in to vote.'),
        )
      }
    }
    expect(vote(named, user('anna'), 'approve', HUMAN).status).toBe('approved')
  })
})

describe('one vote per person', () => {
  const two = pending({ stages: stagesOf({ groups: ['any'], min_approvals: 2 }, { groups: ['any'] }) })

  test('with any of their credentials, over all stages', () => {
    const once = vote(two, user('anna'))
    const next = vote(once, user('ben'))

    for (const approval of [once, next]) {
      for (const voter of [user('anna'), keyOf('anna'), keyOf('anna', 'key_second')]) {
        expect(voteOf(approval, voter)).toBeDefined()
        expect(() => vote(approval, voter)).toThrow(
          refused(403, 'You have already voted on this approval. It waits for other approvers.'),
        )
        expect(() => vote(approval, voter, 'reject')).toThrow(refused(403))
      }
    }
  })

  test('nor twice by a client for which nobody is accountable', () => {
    const client = { type: 'client' as const, id: 'cli_1', persons: [], roles: [] }

    expect(() => vote(vote(two, client), client)).toThrow(
      refused(403, 'You have already voted on this approval. It waits for other approvers.'),
    )
    expect(vote(vote(two, client), { ...client, id: 'cli_2' })).toMatchObject({ stage: 1 })
  })

  test('and somebody else has not voted', () => {
    expect(voteOf(vote(two, user('anna')), user('ben'))).toBeUndefined()
    expect(voteOf(two, { ...user('anna'), persons: [] })).toBeUndefined()
  })
})
