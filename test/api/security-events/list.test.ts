import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { securityEvents } from '../../../functions/security-events/routes.ts'
import {
  type SecurityEvent,
  securityEvents as stored,
} from '../../../shared/identity/security-events/security-event.ts'
import { Problem } from '../../../infra/openapi/problem.ts'
import { openTable } from '../../../shared/base/context.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { logIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const list = async (query: Record<string, string | number> = {}) =>
  acme.call(securityEvents.list, { params: { tenant_id: acme.tenant_id }, query })
const idsOf = async (query: Record<string, string | number>): Promise<string[]> =>
  (await list(query)).body.items.map(({ id }: { id: string }) => id)

/** One per day of the past, newest first; the types alternate. */
async function history(count: number): Promise<SecurityEvent[]> {
  const now = local.clock.now()
  const events = Array.from({ length: count }, (_, index): SecurityEvent => {
    const at = new Date(now + (count - index) * 60_000).toISOString()
    return {
      tenant_id: acme.tenant_id,
      id: `sev_${String(count - index).padStart(26, '0')}`,
      type: index % 2 === 0 ? 'new_device' : 'brute_force',
      severity: index % 2 === 0 ? 'low' : 'high',
      at,
      user_id: index % 3 === 0 ? acme.owner.id : null,
      ip: '203.0.113.7',
      country: 'DE',
      action_taken: 'notified',
      details: { count: index },
    }
  })
  await openTable().commit(events.map((event) => stored.insert(event)))
  local.clock.moveTo(now + (count + 1) * 60_000)
  return events
}

describe('GET /api/v1/tenants/{tenant_id}/security-events', () => {
  test('200: the newest first, page by page', async () => {
    const all = (await history(5)).map(({ id }) => id)
    const { body } = await list({ limit: 2 })

    expect(body).toMatchObject({
      total: 5,
      has_more: true,
      items: [{ id: all[0], type: 'new_device', severity: 'low' }, {}],
    })
    expect(body.items[0]).not.toHaveProperty('tenant_id')
    expect(await idsOf({ limit: 50, cursor: body.next_cursor })).toEqual(all.slice(2))
    expect(await idsOf({ offset: 1, limit: 2 })).toEqual(all.slice(1, 3))
  })

  test('200: of a type, a severity, a person, a time', async () => {
    const all = await history(6)
    const ids = (wanted: (event: SecurityEvent, index: number) => boolean) => all.filter(wanted).map(({ id }) => id)

    expect(await idsOf({ type: 'brute_force' })).toEqual(ids(({ type }) => type === 'brute_force'))
    expect(await idsOf({ severity: 'low' })).toEqual(ids(({ severity }) => severity === 'low'))
    expect(await idsOf({ user_id: acme.owner.id })).toEqual(ids(({ user_id }) => user_id !== null))
    expect(await idsOf({ start_at: all[3]?.at ?? '', end_at: all[1]?.at ?? '' })).toEqual(
      ids((_, index) => index === 2 || index === 3),
    )
    expect(await idsOf({ end_at: '2000-01-01T00:00:00Z' })).toEqual([])
  })

  test.each<Record<string, string>>([{ type: 'other' }, { severity: 'info' }, { start_at: 'yesterday' }])(
    '400: %j',
    async (query) => {
      expect((await list(query)).status).toBe(400)
    },
  )

  test('200: holds what the tenant’s own sign-ins have shown, and nothing of another’s', async () => {
    const other = await local.tenant()
    for (let failures = 0; failures < 5; failures += 1) {
      await logIn(local, { email: acme.owner.email, password: 'wrong', tenant_id: acme.tenant_id })
    }
    const events = (await list()).body.items
    expect(events).toMatchObject([{ type: 'brute_force', action_taken: 'delayed', user_id: acme.owner.id }])

    const theirs = await other.call(securityEvents.list, { params: { tenant_id: other.tenant_id } })
    expect(theirs.body.items).toEqual([])
  })
})

describe('POST /api/v1/auth/login', () => {
  const attempt = (email: string, password = 'wrong') => local.call(auth.login, { body: { email, password } })

  test('429: existing and unknown addresses wait for the same time and read the same words', async () => {
    const addresses = [acme.owner.email, `nobody@${acme.tenant_id.slice(4).toLowerCase()}.example`]
    const replies = await Promise.all(
      addresses.map(async (email) => {
        for (let failures = 0; failures < 5; failures += 1) expect((await attempt(email)).status).toBe(401)
        return attempt(email, PASSWORD)
      }),
    )

    for (const { status, body, headers } of replies) {
      expect({ status, detail: body.detail, wait: headers['retry-after'] }).toEqual({
        status: 429,
        detail: `Too many attempts have failed. Try again in 1 second, at ${body.retry_at.slice(11, 19)} UTC.`,
        wait: '1',
      })
      expect(Problem.parse(body), 'what the reference describes').toEqual(body)
    }
  })
})
