// Checks of people, keys and sessions, and of secrets and transport.
import type { UserFact } from '../../../base/ports/check-facts.ts'
import { stateCheck } from '../check.ts'
import { days, evidence, hours, isBeyond, isWithin, population, setting } from './kinds.ts'

const KEY_DAYS = 90
const UNUSED_DAYS = 45
const IDLE_DAYS = 90
const IDLE_S_MAX = 1_800
/** Administrators that every tenant may have; beyond them, so many of a hundred. */
const ADMINISTRATORS_MIN = 3
const ADMINISTRATORS_PERCENT = 20
/** One for a directory and one to replace it. */
const ADMIN_KEYS_MAX = 2
const HANDLED = hours(72)

/** Measures of the service that stop the person who caused the event. An event with another word waits for people. */
const STOPPED: readonly string[] = ['blocked', 'source_blocked', 'delayed', 'session_revoked', 'second_factor_demanded']

const active = (users: readonly UserFact[]) => users.filter(({ status }) => status === 'active')
const idsOf = (all: readonly { id: string }[]) => all.map(({ id }) => id)

export const access = {
  'IAM-01': stateCheck(['users', 'settings'], ({ users, settings: { mfa_required } }) => {
    const people = active(users)
    const without = people.filter(({ has_factor, sso_only }) => !has_factor && !sso_only)
    const held = people.length - without.length
    const rule = mfa_required ? 'A second factor is required' : 'A second factor is not required'
    return setting({
      holds: mfa_required && people.length > 0 && without.length === 0,
      detail: `${rule}; ${held} of ${people.length} active people have one or can sign in through enforced SSO only.`,
      numerator: held,
      denominator: people.length,
      failing: idsOf(without),
    })
  }),

  'IAM-02': stateCheck(['users'], ({ users }) =>
    population({
      members: active(users).filter(({ privileged }) => privileged),
      who: 'active people with an administrative permission',
      what: 'have a TOTP or passkey factor of their own',
      holds: ({ has_factor }) => has_factor,
    }),
  ),

  'IAM-03': stateCheck(['keys'], ({ keys }, { now }) =>
    population({
      members: keys,
      who: 'active API keys',
      what: 'are at most 90 days old and end within 90 days of being made',
      holds: ({ created_at, expires_at }) =>
        isWithin(created_at, days(KEY_DAYS), now) && isWithin(created_at, days(KEY_DAYS), Date.parse(expires_at)),
    }),
  ),

  'IAM-04': stateCheck(['keys'], ({ keys }, { now }) =>
    population({
      members: keys,
      who: 'active API keys',
      what: 'were used or made within 45 days',
      holds: ({ last_used_at, created_at }) => isWithin(last_used_at ?? created_at, days(UNUSED_DAYS), now),
    }),
  ),

  'IAM-05': stateCheck(['users', 'keys'], ({ users, keys }) => {
    const people = active(users)
    const administrators = people.filter(({ privileged }) => privileged)
    const most = Math.max(ADMINISTRATORS_MIN, Math.ceil((people.length * ADMINISTRATORS_PERCENT) / 100))
    const adminKeys = keys.filter(({ scopes }) => scopes.includes('admin'))
    const tooMany = [
      ...(administrators.length > most ? administrators : []),
      ...(adminKeys.length > ADMIN_KEYS_MAX ? adminKeys : []),
    ]
    const all = administrators.length + adminKeys.length
    return setting({
      holds: tooMany.length === 0,
      detail:
        `${administrators.length} of ${people.length} active people have an administrative permission (at most ${most}); ` +
        `active API keys with the scope admin: ${adminKeys.length} (at most ${ADMIN_KEYS_MAX}).`,
      numerator: all - tooMany.length,
      denominator: all,
      failing: idsOf(tooMany),
    })
  }),

  'IAM-06': stateCheck(['leavers'], ({ leavers }) =>
    population({
      members: leavers,
      who: 'people who were suspended or deleted more than 24 h ago',
      what: 'hold no live session, active key, open request, open task or enabled webhook endpoint',
      holds: ({ holds }) => holds.length === 0,
      names: ({ holds }) => holds,
    }),
  ),

  'IAM-07': stateCheck(['users'], ({ users }, { now }) =>
    population({
      members: active(users).filter(({ created_at }) => isBeyond(created_at, days(IDLE_DAYS), now)),
      who: 'active people whose account is older than 90 days',
      what: 'signed in within 90 days',
      holds: ({ last_login_at }) => last_login_at !== null && isWithin(last_login_at, days(IDLE_DAYS), now),
    }),
  ),

  'IAM-08': evidence('access_review', 90),

  'IAM-09': stateCheck(['settings'], ({ settings: { sso } }) =>
    setting({
      offered: sso.offered,
      holds: sso.configured && sso.verified_domains > 0,
      detail: `Single sign-on is ${sso.configured ? 'configured' : 'not configured'}; ${sso.verified_domains} domains are verified.`,
    }),
  ),

  'IAM-11': stateCheck(['settings'], ({ settings: { idle_s } }) =>
    setting({
      holds: idle_s > 0 && idle_s <= IDLE_S_MAX,
      detail:
        idle_s === 0
          ? 'Sessions have no idle limit.'
          : `Sessions end after ${idle_s} seconds without a request (at most ${IDLE_S_MAX}); access tokens live 15 min.`,
    }),
  ),

  'IAM-12': stateCheck(['security_events', 'tasks'], ({ security_events, tasks }, { now }) => {
    const handled = tasks.filter(({ status }) => status === 'completed')
    return population({
      members: security_events.filter(({ at }) => isBeyond(at, HANDLED, now)),
      who: 'security events of severity high or critical older than 72 h',
      what: 'were stopped by the service or followed by a task that was completed within 72 h',
      holds: ({ id, at, action_taken }) =>
        STOPPED.includes(action_taken) ||
        handled.some(({ source_id, ended_at = '' }) => source_id === id && isWithin(at, HANDLED, Date.parse(ended_at))),
    })
  }),
}

const SECRET_DAYS = 180

const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:'

export const security = {
  'SEC-01': stateCheck(['kms'], ({ kms: { managed_by, state, rotates } }) => {
    const isAlive = state === 'Enabled'
    const alive = `is ${isAlive ? 'enabled' : `in state ${state}`}`
    if (managed_by === 'customer')
      return setting({ holds: isAlive, detail: `The key of the tenant ${alive}; rotating it is up to its owner.` })
    const rotation = rotates ? 'rotates by itself' : 'does not rotate'
    return setting({
      holds: isAlive && rotates === true,
      detail: `The key of the service that wraps the tenant's data keys ${alive} and ${rotation}.`,
    })
  }),

  'SEC-02': stateCheck(['endpoints', 'actions', 'settings'], ({ endpoints, actions, settings }) =>
    population({
      members: [
        ...endpoints,
        ...actions.flatMap(({ id, target: url }) => (url === undefined ? [] : { id, url })),
        ...settings.sso.urls.map((url) => ({ id: 'sso', url })),
      ],
      who: 'addresses of webhooks, actions and single sign-on',
      what: 'are https',
      holds: ({ url }) => isHttps(url),
    }),
  ),

  'SEC-03': stateCheck(['settings'], ({ settings: { allowlist } }) =>
    setting({
      offered: allowlist.offered,
      holds: allowlist.rules > 0 && !allowlist.open,
      detail: allowlist.open
        ? `The IP allowlist has ${allowlist.rules} rules that together let every address in.`
        : `The IP allowlist has ${allowlist.rules} rules.`,
    }),
  ),

  'SEC-04': stateCheck(['endpoints'], ({ endpoints }, { now }) =>
    population({
      members: endpoints.filter(({ status }) => status !== 'disabled'),
      who: 'enabled webhook endpoints',
      what: 'have a secret of the last 180 days',
      holds: ({ secret_created_at }) => isWithin(secret_created_at, days(SECRET_DAYS), now),
    }),
  ),
}
