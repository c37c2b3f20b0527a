import { beforeAll, describe, expect, test } from 'vitest'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { users } from '../../../shared/identity/accounts/user.ts'
import { sessions } from '../../../shared/identity/sessions/session.ts'
import { faultyPool } from '../../support/faulty-pool.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { claimsOf, logIn, type SignedIn, signedIn, signIn } from '../../support/sign-in.ts'
import { stillClock } from '../../support/still-clock.ts'
import { rewrite } from '../../support/rewrite.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000
const pool = faultyPool()
const clock = stillClock()

const local = useLocalStack({ clock, plugins: [pool.plugin] })
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

const refresh = (refresh_token: string) => local.call(auth.refresh, { body: { refresh_token } })
const me = ({ call }: Pick<SignedIn, 'call'>) => call(auth.me)
const begin = () => signIn(local, acme.approver)
const later = (ms: number) => clock.moveTo(clock.now() + ms)
const gone = {
  status: 401,
  body: { detail: 'Your credentials are invalid or expired. Sign in again or use another key.' },
}

describe('POST /api/v1/auth/refresh', () => {
  test('200: a new access token of the same session, and the next refresh token', async () => {
    const first = await begin()
    later(60_000)
    const reply = await refresh(first.refresh_token)

    expect(reply).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 900, refresh_expires_in: 604_740, user: { id: acme.approver.id } },
    })
    const next = signedIn(local, reply)
    expect(next.refresh_token).not.toBe(first.refresh_token)
    expect(next.claims.origin_jti).toBe(first.claims.origin_jti)
    expect(Number(next.claims.exp)).toBe(Number(first.claims.exp) + 60)
    expect((await me(next)).body.session.id).toBe(first.claims.origin_jti)
    expect((await me(first)).status, 'the former access token lives its quarter of an hour').toBe(200)
  })

  test('403: from where the tenant lets nobody in; the token stays good', async () => {
    const tenant = await local.tenant()
    const { refresh_token } = await signIn(local, tenant.owner)
    const params = { tenant_id: tenant.tenant_id }
    await tenant.call(allowlist.create, { params, body: { cidr: '127.0.0.1' } })

    const elsewhere = await local.call(auth.refresh, { body: { refresh_token }, ip: '127.0.0.2' })
    expect(elsewhere).toMatchObject({ status: 403, body: { code: 'ip_not_allowed' } })
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test('the unversioned path does the same', async () => {
    const { refresh_token } = await begin()

    expect((await local.call(auth.refreshUnversioned, { body: { refresh_token } })).status).toBe(200)
  })

  test('new roles are in the next token', async () => {
    const { refresh_token, claims } = await begin()
    expect(claims.roles).toEqual(['approver'])
    const { tenant_id, approver } = acme
    await rewrite(users, { tenant_id, id: approver.id }, { roles: ['approver', 'auditor'] })

    expect(claimsOf((await refresh(refresh_token)).body.access_token).roles).toEqual(['approver', 'auditor'])
  })

  test('of six at the same moment one wins, and the session lives', async () => {
    const { refresh_token } = await begin()
    const replies = await Promise.all(Array.from({ length: 6 }, () => refresh(refresh_token)))
    const [winner, ...others] = replies.toSorted((a, b) => a.status - b.status)

    expect(winner?.status).toBe(200)
    for (const reply of others) {
      expect(reply).toMatchObject({
        status: 409,
        body: { detail: 'This refresh token was just exchanged by another request. Use the newer token.' },
      })
    }
    expect((await refresh(winner?.body.refresh_token)).status).toBe(200)
  })

  test('409: the former token within ten seconds is a lost answer, not a theft', async () => {
    const { refresh_token } = await begin()
    const next = signedIn(local, await refresh(refresh_token))
    later(9_999)

    expect((await refresh(refresh_token)).status).toBe(409)
    expect((await refresh(next.refresh_token)).status).toBe(200)
  })

  test('401: later it ends the session, its access token is refused at once, and the administrators hear of it', async () => {
    const { refresh_token } = await begin()
    const next = signedIn(local, await refresh(refresh_token))
    later(10_000)
    expect((await me(next)).status).toBe(200)

    expect(await refresh(refresh_token)).toMatchObject(gone)
    expect(await me(next)).toMatchObject(gone)
    expect(await refresh(next.refresh_token)).toMatchObject(gone)
    const session = await openTable().get(sessions, { sid: next.claims.origin_jti })
    expect(session).toMatchObject({ state: 'revoked', revoked_why: 'refresh_reuse' })
  })

  test('401: a guessed secret is refused and harms nobody', async () => {
    const { refresh_token } = await begin()
    const guess = `${refresh_token.slice(0, -43)}${'A'.repeat(43)}`

    expect(await refresh(guess)).toMatchObject(gone)
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test.each(['x', 'rt_x', `rt_${'0'.repeat(36)}.${'A'.repeat(43)}`])(
    '401: what is no token of ours: %s',
    async (text) => {
      expect(await refresh(text)).toMatchObject(gone)
    },
  )

  test('503: while the pool fails, the token stays good', async () => {
    const { refresh_token } = await begin()
    pool.fail('GetTokensFromRefreshToken')
    expect((await refresh(refresh_token)).status).toBe(503)
    pool.mend()

    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test('after the death of a process between pool and table the token still works', async () => {
    const { refresh_token } = await begin()
    pool.fail('GetTokensFromRefreshToken', { after: true })
    expect((await refresh(refresh_token)).status).toBe(503)
    pool.mend()

    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test('401: a refresh token lives seven days from its last use', async () => {
    const [used, idle] = [await begin(), await begin()]
    later(6 * DAY)
    const next = signedIn(local, await refresh(used.refresh_token))
    later(DAY)

    expect(await refresh(idle.refresh_token)).toMatchObject(gone)
    expect(await refresh(next.refresh_token), 'but not longer than its session').toMatchObject(gone)
  })
})

describe('a refresh token:', () => {
  test('does not work after the account was suspended', async () => {
    const other = await local.tenant()
    const { refresh_token } = await signIn(local, other.owner)
    await rewrite(users, { tenant_id: other.tenant_id, id: other.owner.id }, { status: 'suspended' })

    expect(await refresh(refresh_token)).toMatchObject(gone)
    expect(await logIn(local, other.owner)).toMatchObject({
      status: 401,
      body: { detail: 'The e-mail address or the password is incorrect. Check both and try again.' },
    })
  })
})
