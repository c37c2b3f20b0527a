// What a dependency that does not answer looks like to clients and people: worth another try, and nobody's secret.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { kms } from '../../../functions/kms/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { Browser } from '../../support/browser.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorizationRequest, CODE_CLIENT, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let key: string

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  key = local.kms.customers.add()
  await acme.call(kms.configure, { params: { tenant_id: acme.tenant_id }, body: { key_arn: key } })
})
afterAll(() => {
  vi.restoreAllMocks()
})

test("while a tenant's own key is switched off its secrets open nothing: 503, and the rest goes on", async () => {
  const robot = await newClient(acme, MACHINE)
  const app = await discovered(local, await newClient(acme))
  const site = await discovered(local, await newClient(acme, { ...CODE_CLIENT, type: 'confidential' }))
  const body = new URLSearchParams({ grant_type: 'client_credentials' }).toString()
  const authorization = `Basic ${btoa(`${robot.client_id}:${robot.client_secret}`)}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization }
  const token = () => local.call(oauth.token, { body, headers })
  const page = async (config: typeof app) =>
    new Browser(local.appUrl).open((await authorizationRequest(config)).url.href)
  local.kms.customers.setState(key, 'Disabled')
  coldStart()

  const refused = await token()
  const told = await page(site)

  expect(refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: 'temporarily_unavailable' },
  })
  expect([told.status, told.text.includes('temporarily_unavailable')]).toEqual([503, true])
  expect(JSON.stringify(refused.body) + told.text).not.toContain(key)
  expect((await page(app)).status).toBe(200)
  local.kms.customers.setState(key, 'Enabled')
  coldStart()
  expect((await token()).status).toBe(200)
})
