import { ago, hoursAgo, key, settings, task, user } from './make.ts'
import type { Case } from './rules.test.ts'

const required = settings({ mfa_required: true })
const admin = (id: string) => user(id, { privileged: true })
const many = <T>(count: number, make: (id: string) => T) => Array.from({ length: count }, (_, i) => make(`u${i}`))
const event = (id: string, action_taken: string, hours = 100) => ({ id, action_taken, at: hoursAgo(hours) })

export const ACCESS: readonly Case[] = [
  {
    check: 'IAM-01',
    when: 'a factor is required, and everybody has one or can sign in through SSO only',
    facts: { settings: required, users: [user('a'), user('b', { has_factor: false, sso_only: true })] },
  },
  {
    check: 'IAM-01',
    when: 'people who cannot sign in need no factor',
    facts: { settings: required, users: [user('a'), user('b', { has_factor: false, status: 'suspended' })] },
  },
  {
    check: 'IAM-01',
    when: 'somebody has not enrolled yet',
    facts: { settings: required, users: [user('a'), user('b', { has_factor: false })] },
    failing: ['b'],
  },
  {
    check: 'IAM-01',
    when: 'everybody has a factor that nobody requires',
    facts: { settings: settings({}), users: [user('a')] },
    failing: [],
  },
  {
    check: 'IAM-02',
    when: 'administrators have a factor; others need none',
    facts: { users: [admin('a'), user('b', { has_factor: false })] },
  },
  {
    check: 'IAM-02',
    when: 'an administrator has no factor of their own, even under enforced SSO',
    facts: { users: [admin('a'), user('b', { privileged: true, has_factor: false, sso_only: true })] },
    failing: ['b'],
  },
  {
    check: 'IAM-03',
    when: 'a key lives for 90 days',
    facts: { keys: [key('k', { created_at: ago(90), expires_at: ago(0) })] },
  },
  {
    check: 'IAM-03',
    when: 'a key is older than 90 days, or ends later than 90 days after it was made',
    facts: {
      keys: [
        key('late', { expires_at: ago(-81) }),
        key('never', { expires_at: '' }),
        key('ok'),
        key('old', { created_at: ago(91), expires_at: ago(-1) }),
      ],
    },
    failing: ['late', 'never', 'old'],
  },
  {
    check: 'IAM-04',
    when: 'a key was used, or made, 45 days ago',
    facts: {
      keys: [
        key('a', { created_at: ago(80), last_used_at: ago(45) }),
        key('b', { created_at: ago(45), last_used_at: undefined }),
      ],
    },
  },
  {
    check: 'IAM-04',
    when: 'a key was last used, or made and never used, 46 days ago',
    facts: { keys: [key('a', { last_used_at: ago(46) }), key('b', { created_at: ago(46), last_used_at: undefined })] },
    failing: ['a', 'b'],
  },
  { check: 'IAM-05', when: 'a small tenant has three administrators', facts: { users: many(3, admin), keys: [] } },
  {
    check: 'IAM-05',
    when: 'a fifth of twenty people administer, with two keys of scope admin',
    facts: {
      users: [...many(4, admin), ...many(16, (id) => user(`x${id}`))],
      keys: [key('a', { scopes: ['admin'] }), key('b', { scopes: ['admin'] })],
    },
  },
  {
    check: 'IAM-05',
    when: 'four of five people administer',
    facts: { users: [...many(4, admin), user('x')], keys: [] },
    failing: ['u0', 'u1', 'u2', 'u3'],
  },
  {
    check: 'IAM-05',
    when: 'three keys have the scope admin',
    facts: { users: [admin('a')], keys: ['k1', 'k2', 'k3'].map((id) => key(id, { scopes: ['admin'] })) },
    failing: ['k1', 'k2', 'k3'],
  },
  { check: 'IAM-06', when: 'people who left hold nothing', facts: { leavers: [{ id: 'a', holds: [] }] } },
  {
    check: 'IAM-06',
    when: 'somebody who left holds a key and a session; both are named',
    facts: {
      leavers: [
        { id: 'a', holds: [] },
        { id: 'b', holds: ['ses', 'key'] },
      ],
    },
    failing: ['key', 'ses'],
  },
  {
    check: 'IAM-07',
    when: 'a young account has never signed in, an old one did',
    facts: { users: [user('a', { created_at: ago(89), last_login_at: null }), user('b', { last_login_at: ago(90) })] },
  },
  {
    check: 'IAM-07',
    when: 'an old account was idle for 91 days, or never used',
    facts: { users: [user('a', { last_login_at: ago(91) }), user('b', { last_login_at: null }), user('c')] },
    failing: ['a', 'b'],
  },
  {
    check: 'IAM-09',
    when: 'SSO is configured for a verified domain',
    facts: { settings: settings({ sso: { offered: true, configured: true, verified_domains: 1, urls: [] } }) },
  },
  {
    check: 'IAM-09',
    when: 'the domain has lapsed',
    facts: { settings: settings({ sso: { offered: true, configured: true, verified_domains: 0, urls: [] } }) },
    failing: [],
  },
  { check: 'IAM-11', when: 'sessions end after 30 idle minutes', facts: { settings: settings({ idle_s: 1_800 }) } },
  {
    check: 'IAM-11',
    when: 'sessions end after 31 idle minutes',
    facts: { settings: settings({ idle_s: 1_860 }) },
    failing: [],
  },
  {
    check: 'IAM-12',
    when: 'the service blocked it, or a task about it was completed in time, or it is younger than 72 hours',
    facts: {
      security_events: [event('s1', 'blocked'), event('s2', 'allowed'), event('s3', 'none', 71)],
      tasks: [task('t', { source_id: 's2', ended_at: hoursAgo(28) })],
    },
  },
  {
    check: 'IAM-12',
    when: 'its task was completed late or dropped, is open, or there is none',
    facts: {
      security_events: ['late', 'dropped', 'open', 'seen'].map((id) =>
        event(id, id === 'seen' ? 'notified' : 'allowed'),
      ),
      tasks: [
        task('t1', { source_id: 'late', ended_at: hoursAgo(27) }),
        task('t2', { source_id: 'dropped', status: 'cancelled', ended_at: hoursAgo(90) }),
        task('t3', { source_id: 'open', status: 'open', ended_at: undefined }),
      ],
    },
    failing: ['dropped', 'late', 'open', 'seen'],
  },
]
