// From a page of the payment provider people come back to a page of their organisation, of this deployment or of their own machine.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { billing } from '../../../functions/billing/routes.ts'
import { domains } from '../../../functions/domains/routes.ts'
import { downgrade } from '../../support/downgrade.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let domain: string
let count = 0
beforeEach(async () => {
  acme = await local.tenant({ plan: 'free' })
  domain = `acme-${(count += 1)}.example`
})

const HOME = 'http://localhost:3000/'
/** On a plan that verifies domains, which has ended since: so there are plans to pay for. */
const verified = async () => {
  const tenant = await local.tenant({ plan: 'business' })
  const [params, body] = [{ tenant_id: tenant.tenant_id }, { domain }]
  const { record } = (await tenant.call(domains.request, { params, body })).body
  writeFileSync(join(local.directory, 'dns.json'), JSON.stringify({ [record.name]: [record.value] }))
  expect((await tenant.call(domains.confirm, { params, body })).body.verified).toBe(true)
  await downgrade(tenant.tenant_id)
  return tenant
}
const checkout = (urls: { success_url?: string; cancel_url?: string }) =>
  acme.call(billing.checkout, { body: { plan_id: 'team', success_url: HOME, cancel_url: HOME, ...urls } })
const portal = (return_url: string) => acme.call(billing.portal, { body: { return_url } })

describe('an address to return to', () => {
  test('may be on the application host and on loopback', async () => {
    const fine = [`${local.appUrl}/docs`, 'http://127.0.0.1:1/', 'http://[::1]/', 'https://localhost/#/plans']
    for (const success_url of fine) expect((await checkout({ success_url })).status, success_url).toBe(200)
  })

  test('may be on a verified domain and below it, and no other tenant may use that', async () => {
    const pages = [`https://${domain}/paid?id={CHECKOUT_SESSION_ID}`, `https://app.${domain}:8443/#/paid`]
    for (const success_url of pages) {
      const { status, body } = await checkout({ success_url })
      expect([status, body.code, body.detail[0].loc]).toEqual([422, 'domain_not_verified', ['body', 'success_url']])
      expect(body.detail[0].msg).toContain('/domain/verification')
    }
    acme = await verified()
    for (const success_url of pages) expect((await checkout({ success_url })).status, success_url).toBe(200)
    expect((await portal(`https://${domain}/plans`)).status).toBe(200)

    acme = await local.tenant({ plan: 'free' })
    expect((await checkout({ success_url: `https://${domain}/paid` })).body.code).toBe('domain_not_verified')
  })

  test('422: is not what only looks like one of these', async () => {
    acme = await verified()
    const foul = [
      'javascript:alert(1)',
      '/paid',
      '//localhost/',
      `http://${domain}/`,
      `https://evil${domain}/`,
      `https://${domain}.evil.example/`,
      `https://${domain}./`,
      `https://${domain}@evil.example/`,
      `https://user:word@${domain}/`,
      `https://evil.example\\@${domain}/`,
      `https:\\\\${domain}/`,
      `https:${domain}/`,
      `https://${domain}/\n`,
      `https://${domain}/a b`,
      ` https://${domain}/`,
      `https://${domain.replace('a', '\uFF41')}/`,
      'https://localhost.evil.example/',
      'http://0x7f.1/',
      'https://example/',
      `${local.appUrl.replace('http:', 'ftp:')}/`,
    ]
    for (const url of foul) {
      local.clock.moveTo(local.clock.now() + 10_000) // the windows of rates
      expect((await checkout({ success_url: url })).status, url).toBe(422)
      expect((await checkout({ cancel_url: url })).status, url).toBe(422)
      expect((await portal(url)).status, url).toBe(422)
    }
  })
})
