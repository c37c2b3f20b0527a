import { beforeAll, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { approvalLink } from '../../../shared/govern/approvals/votes/rules.ts'
import { logos } from '../../../shared/identity/logo/logo.ts'
import { Browser } from '../../support/browser.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { JPEG, PNG, urlOf } from '../../support/logo.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { authorizationRequest, discovered, followClock, newClient } from '../../support/oauth.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const LOGO = urlOf('image/png', PNG)
const SHOWN = `src="${LOGO}" alt="Logo of Acme &amp; Sons"`

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let params: { tenant_id: string }
beforeAll(async () => {
  followClock(local)
  acme = await governed(local, [{ action_id: 'delete_contact' }])
  owner = await signIn(local, acme.owner)
  params = { tenant_id: acme.tenant_id }
  const reply = await change({ name: 'Acme & Sons', logo: LOGO })
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 })
})

const change = (body: object) => owner.call(tenants.update, { params, body })
const forgottenIn = (text: string) =>
  /href="([^"]*\/auth\/forgot[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''

test('the tenant names type, size and hash of its logo', async () => {
  expect((await owner.call(tenants.get, { params })).body.logo).toEqual({
    type: 'image/png',
    bytes: PNG.length,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('an authorisation shows it from the sign-in to the consent, and takes no image from elsewhere', async () => {
  const { url } = await authorizationRequest(await discovered(local, await newClient(acme)))
  const browser = new Browser(local.appUrl)
  const page = await browser.open(url.href)
  const consent = await browser.press(page, 'password', { email: acme.approver.email, password: PASSWORD })

  expect(page.text).toContain(SHOWN)
  expect(page.headers['content-security-policy']?.split('; ')).toContain('img-src data:')
  expect(consent.text).toContain('<h1>Give access?</h1>')
  expect(consent.text).toContain(SHOWN)
})

test('so do the pages of an approval and of an invitation', async () => {
  const { approval } = await acme.held('delete_contact')
  const page = await new Browser(local.appUrl).open(approvalLink(acme.tenant_id, approval.id))
  const email = 'invited@acme.example'
  await owner.call(users.invite, { body: { email, roles: ['member'] } })
  const token = await tokenFor(local, email, 'invitation')
  const invitation = await local.call(auth.passwordPage, { query: { token } })

  expect(page.text).toContain(SHOWN)
  expect(invitation.body).toContain('<h1>Join Acme &amp; Sons</h1>')
  expect(invitation.body).toContain(SHOWN)
})

test('the page for a forgotten password shows it to a visitor from a sign-in page, and names no tenant to others', async () => {
  const { url } = await authorizationRequest(await discovered(local, await newClient(acme)))
  const browser = new Browser(local.appUrl)
  const link = forgottenIn((await browser.open(url.href)).text)
  expect((await browser.open(link)).text).toContain(SHOWN)

  const other = await local.tenant()
  const seen = new URL(link).searchParams.get('seen') ?? ''
  const ask = async (tenant: string) =>
    (await local.call(auth.forgotPage, { query: { tenant, seen } })).body.replaceAll(tenant, 'ten')
  expect(await ask(other.tenant_id)).toBe(await ask('ten_01J9Z3K4M5N6P7Q8R9S0T1V2W3'))
  expect(await ask(other.tenant_id)).not.toContain('class="host"')
})

test('an image that somebody put into the table is not shown', async () => {
  const { table } = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const was = await table.get(logos, params)
  if (!was) throw new Error('no logo is stored')
  await table.commit([logos.replace({ ...was, data: JPEG.toString('base64') }, was)])
  const { url } = await authorizationRequest(await discovered(local, await newClient(acme)))

  const { text } = await new Browser(local.appUrl).open(url.href)
  expect(text).toContain('<strong>Acme &amp; Sons</strong>')
  expect(text).not.toContain('<img')
})

test('it is replaced, and removed by null', async () => {
  expect((await change({ logo: urlOf('image/jpeg', JPEG) })).body.logo).toMatchObject({ type: 'image/jpeg' })
  expect((await change({ logo: null })).body.logo).toBeNull()
  expect(await systemContext({ ...params, mode: 'live' }).table.get(logos, params)).toBeUndefined()
  expect((await change({ logo: null })).status).toBe(200)
  for (const logo of ['https://acme.example/logo.png', urlOf('image/png', JPEG), urlOf('image/svg+xml', PNG)])
    expect((await change({ logo })).status, logo).toBe(422)
})
