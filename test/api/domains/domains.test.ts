import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { domains } from '../../../functions/domains/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { workers } from '../../../functions/workers.ts'
import { openTable, systemContext } from '../../../shared/base/context.ts'
import { recheckDomains } from '../../../shared/identity/domains/recheck.ts'
import { claims, tenantDomains, tenantOfDomain, verifiedDomain } from '../../../shared/identity/domains/domain.ts'
import { downgrade } from '../../support/downgrade.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsIn } from '../../support/mails.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY_MS = 86_400_000

const local = useLocalStack()
let acme: TestTenant
let domain: string
let asked = 0
beforeEach(async () => {
  acme = await local.tenant({ plan: 'business' })
  asked += 1
  domain = `acme-${asked}.example`
  setDns({})
})

const setDns = (records: Record<string, string[]>) =>
  writeFileSync(join(local.directory, 'dns.json'), JSON.stringify(records))

const request = (tenant = acme, name = domain) =>
  tenant.call(domains.request, { params: { tenant_id: tenant.tenant_id }, body: { domain: name } })
const confirm = (tenant = acme, name = domain) =>
  tenant.call(domains.confirm, { params: { tenant_id: tenant.tenant_id }, body: { domain: name } })
const list = (tenant = acme) => tenant.call(domains.list, { params: { tenant_id: tenant.tenant_id } })

/** Asks for the domain and sets the record that the answer names. */
async function show(tenant = acme): Promise<void> {
  const { body } = await request(tenant)
  setDns({ [body.record.name]: [body.record.value] })
}

async function verify(tenant = acme): Promise<void> {
  await show(tenant)
  expect((await confirm(tenant)).body.verified).toBe(true)
}

async function days(count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) {
    local.clock.moveTo(local.clock.now() + DAY_MS)
    await recheckDomains(systemContext({ tenant_id: acme.tenant_id, mode: 'live' }))
  }
}

const stateOf = (tenant = acme) => verifiedDomain(openTable(), tenant.tenant_id, domain)

describe('POST /api/v1/tenants/{tenant_id}/domain/verification', () => {
  test('200: the record to set, and the same one again while it may still be set', async () => {
    const first = await request(acme, `${domain.toUpperCase()}.`)

    expect(first).toMatchObject({ status: 200 })
    expect(first.body).toEqual({
      domain,
      verification_token: expect.stringMatching(/^[0-9A-Z]{52}$/),
      record: {
        type: 'TXT',
        name: `_countersign-verify.${domain}`,
        value: `token=${first.body.verification_token}`,
        ttl: 300,
      },
      status: 'awaiting_dns',
      expires_at: expect.any(String),
    })
    expect((await request()).body).toEqual(first.body)

    local.clock.moveTo(Date.parse(first.body.expires_at))
    expect((await request()).body.verification_token).not.toBe(first.body.verification_token)
  })

  test.each(['com', 'gmail.com', '127.0.0.1', '*.acme.example', 'acme'])(
    '422: %s is no domain that can be verified',
    async (name) => {
      expect(await request(acme, name)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'domain'] }] } })
    },
  )

  test('403: smaller plans do not have it', async () => {
    const small = await local.tenant({ plan: 'team' })

    expect(await request(small)).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
  })

  test('200: after a downgrade a domain that was verified still shows its record, and no other can be added', async () => {
    const token = (await request(acme)).body.verification_token
    await verify()
    await downgrade(acme.tenant_id)

    expect(await request(acme)).toMatchObject({ status: 200, body: { status: 'verified', verification_token: token } })
    expect(await request(acme, `more.${domain}`)).toMatchObject({ status: 403, body: { code: 'plan_feature' } })
  })

  test('409: another tenant has verified it; the twenty-first', async () => {
    await verify()
    const other = await local.tenant()
    expect((await request(other)).status).toBe(409)

    for (let n = 0; n < 20; n += 1) await request(other, `n${n}.${domain}`)
    expect(await request(other, `n20.${domain}`)).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringMatching(/^Your tenant has 20 domains already\. Wait until an unverified one expires/),
      },
    })
  })
})

test('200: domains that have lapsed or belong to another tenant leave room for others', async () => {
  const { tenant_id } = acme
  const [past, other] = ['2026-01-01T00:00:00.000Z', await local.tenant()]
  const facts = { verified_at: past, checked_at: past, misses: 0, due: '9999-01-01' }
  for (let n = 0; n < 20; n += 1) {
    const of = { domain: `n${n}.${domain}`, tenant_id }
    const owner = n === 0 ? other.tenant_id : tenant_id
    await openTable().commit([
      tenantDomains.insert({ ...of, token: 't', requested_at: past, expires_at: past, forget: false }),
      claims.insert({ ...of, ...facts, tenant_id: owner, status: n === 1 ? 'lapsed' : 'verified' }),
    ])
  }

  expect((await request(acme, `first.${domain}`)).status).toBe(200)
  expect((await request(acme, `second.${domain}`)).status).toBe(200)
  expect((await request(acme, `third.${domain}`)).status).toBe(409)
})

describe('POST /api/v1/tenants/{tenant_id}/domain/verification/confirm', () => {
  test('200: the record is there, and stays known', async () => {
    await show()

    const { status, body } = await confirm()
    expect({ status, body }).toEqual({ status: 200, body: { domain, verified: true, verified_at: expect.any(String) } })
    expect((await confirm()).body).toEqual(body)
    expect((await request()).body).toMatchObject({ status: 'verified', expires_at: null })
    expect(await stateOf()).toBe('verified')
    expect(await tenantOfDomain(openTable(), domain)).toBe(acme.tenant_id)
    expect((await list()).body.items).toEqual([
      { domain, status: 'verified', verified_at: body.verified_at, last_checked_at: body.verified_at },
    ])
  })

  test.each([
    ['not_found', {}],
    ['mismatch', { value: ['token=wrong'] }],
  ])('200: verified false, %s', async (reason, { value }: { value?: string[] }) => {
    await request()
    if (value) setDns({ [`_countersign-verify.${domain}`]: value })

    expect(await confirm()).toMatchObject({
      status: 200,
      body: { domain, verified: false, verified_at: null, reason },
    })
    expect(await stateOf()).toBeUndefined()
  })

  test('200: name servers that do not answer change nothing', async () => {
    await verify()
    writeFileSync(join(local.directory, 'dns.json'), 'half a file')
    await days(5)

    expect(await stateOf()).toBe('verified')
    await request(acme, `sub.${domain}`)
    expect((await confirm(acme, `sub.${domain}`)).body).toMatchObject({ verified: false, reason: 'dns_error' })
  })

  test('200: an expired token proves nothing, even in the right place', async () => {
    await show()
    local.clock.moveTo(local.clock.now() + 7 * DAY_MS)

    expect((await confirm()).body).toMatchObject({ verified: false, reason: 'expired' })
    expect((await list()).body.items).toMatchObject([{ domain, status: 'expired' }])
  })

  test('404: a domain that nobody asked for', async () => {
    expect((await confirm()).status).toBe(404)
  })

  test('409: of two that wait for one domain, the first to show the record has it', async () => {
    const other = await local.tenant()
    const [mine, theirs] = await Promise.all([request(), request(other)])
    setDns({ [mine.body.record.name]: [mine.body.record.value, theirs.body.record.value] })

    const replies = await Promise.all([confirm(), confirm(other)])
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]))
  })

  test('200: concurrent requests and confirmations get the same answer each time', async () => {
    const requested = await Promise.all([request(), request(), request()])
    expect(requested.map(({ status }) => status)).toEqual([200, 200, 200])
    const [{ record }, ...others] = requested.map(({ body }) => body)
    expect(others).toEqual([expect.objectContaining({ record }), expect.objectContaining({ record })])
    setDns({ [record.name]: [record.value] })

    const replies = await Promise.all([confirm(), confirm(), confirm()])
    const [first, ...rest] = replies.map(({ status, body }) => ({ status, body }))
    expect(first).toMatchObject({ status: 200, body: { verified: true } })
    expect(rest).toEqual([first, first])
  })
})

describe('the daily check:', () => {
  test('the domain lapses after three checks without the record, and owners get one mail', async () => {
    await verify()
    setDns({})
    await days(2)
    expect(await stateOf()).toBe('verified')
    await days(1)

    expect(await stateOf()).toBe('lapsed')
    expect((await list()).body.items).toMatchObject([{ status: 'lapsed' }])
    await days(2)
    await local.drain()
    const mails = mailsIn(local.directory).filter(({ kind, text }) => kind === 'domain_lapsed' && text.includes(domain))
    expect(mails.map(({ to }) => to)).toEqual([[acme.owner.email]])
  })

  test('the daily step does it', async () => {
    await verify()
    setDns({})
    await days(2)
    local.clock.moveTo(local.clock.now() + DAY_MS)
    const body = JSON.stringify({ every: 'day', spaces: [{ tenant_id: acme.tenant_id, mode: 'live' }] })
    await local.invoke(workers.steps, { Records: [{ messageId: 'm1', body }] })

    expect(await stateOf()).toBe('lapsed')
  })

  test('a record that is back restores the domain', async () => {
    await verify()
    setDns({})
    await days(3)
    expect(await stateOf()).toBe('lapsed')

    await show() // a lapsed domain is asked for anew
    expect((await list()).body.items).toMatchObject([{ status: 'awaiting_dns' }])
    await days(1)
    expect(await stateOf()).toBe('verified')
  })

  test('each time it is verified is an event of its own', async () => {
    await verify()
    setDns({})
    await days(3)
    await show()
    await days(1)
    await local.drain()
    const { body } = await acme.call(events.list, { query: { types: 'artifact.created' } })

    expect(body.items).toMatchObject([{ data: { name: domain } }, { data: { name: domain } }])
    expect(new Set(body.items.map(({ id }: { id: string }) => id)).size).toBe(2)
  })

  test('a domain that the daily check restored is checked for as long as it is verified', async () => {
    await verify()
    setDns({})
    await days(3)
    await show()
    await days(1)
    const { tenant_id } = acme

    expect(await openTable().get(tenantDomains, { tenant_id, domain })).toMatchObject({ forget: false })
  })

  test('a miss between hits is forgotten', async () => {
    await show()
    const { body } = await request()
    await confirm()
    for (let n = 0; n < 3; n += 1) {
      setDns({})
      await days(2)
      setDns({ [body.record.name]: [body.record.value] })
      await days(1)
    }

    expect(await stateOf()).toBe('verified')
  })

  test('a lapsed domain may be taken over, and is then lost', async () => {
    await verify()
    setDns({})
    await days(7)
    const other = await local.tenant()
    await verify(other)

    expect([await stateOf(other), await stateOf()]).toEqual(['verified', undefined])
    expect((await list()).body.items).toMatchObject([{ status: 'expired', verified_at: null }])
    expect((await request()).status).toBe(409)
  })
})
