import { PasskeysCredentialsMemoryRepository } from 'nid-webauthn-emulator'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mfa } from '../../../functions/mfa/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { createCode } from '../../../shared/identity/sso/one-time-code.ts'
import { approvalLink } from '../../../shared/govern/approvals/votes/rules.ts'
import { Browser, type Place } from '../../support/browser.ts'
import { type App, enrolPasskey, enrolTotp, newEmulator } from '../../support/factors.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { type Person, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let other: Governed
let owner: SignedIn
let browser: Browser
/** A person with a passkey. */
let holder: Person
const emulator = newEmulator()

beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'update_rule' }, { action_id: 'delete_contact' }])
  other = await governed(local, [{ action_id: 'delete_contact' }])
  owner = await signIn(local, acme.owner)
  holder = await personWith(local, owner, ['approver'])
  expect(await enrolPasskey(await signIn(local, holder), emulator, local.appUrl)).toMatchObject({ status: 201 })
})
beforeEach(() => {
  browser = new Browser(local.appUrl)
})

/** A held request of the agent's key, and the address of its page. */
async function held(payload: object = { contact: 'Zoë' }) {
  const { approval, receipt } = await acme.held('delete_contact', { payload })
  return { ...approval, request_id: receipt.request_id, url: approvalLink(acme.tenant_id, approval.id) }
}

const signedIn = async (url: string, email = acme.approver.email): Promise<Place> =>
  browser.press(await browser.open(url), 'password', { email, password: PASSWORD })

describe('the link of a held action', () => {
  test('asks a stranger to sign in to the organisation, and shows nothing of the action', async () => {
    const { url } = await held({ contact: 'secret-contact' })
    const place = await browser.open(url)

    expect(place.status).toBe(200)
    expect(place.text).toContain('<h1>Sign in</h1>')
    expect(place.text).not.toMatch(/secret-contact|delete_contact|crm\.contacts/)
    expect(place.headers['content-security-policy']).toContain("default-src 'none'")
  })

  test('shows a person the exact payload and its digest, takes their approval once, and shows the end', async () => {
    const { id, url, action_digest, request_id } = await held({ note: 'a\u202eb', tiny: 1e-7 })
    const place = await signedIn(url)
    expect(place.text).toContain('{&quot;note&quot;:&quot;a⟨U+202E⟩b&quot;,&quot;tiny&quot;:1e-7}')
    expect(place.text).toContain('One character cannot be seen')
    expect(place.text).toContain(action_digest)

    const asked = await browser.press(place, 'approve', { reason: 'checked' })
    expect(asked.text).toContain('Approve delete_contact</button>')
    expect(await acme.approval(id)).toMatchObject({ status: 'pending' })
    const end = await browser.press(asked, 'confirm')

    expect(end.text).toMatch(/<strong>Approved<\/strong> by approver@/)
    expect(end.text).not.toContain('value="approve"')
    expect(await acme.approval(id)).toMatchObject({
      status: 'approved',
      reason: 'checked',
      method: 'manual',
      decided_by: { type: 'user', id: acme.approver.id },
    })
    expect(await acme.look(request_id)).toMatchObject({ status: 'executed' })
  })

  test('takes a rejection, which needs a reason', async () => {
    const { id, url } = await held()
    const place = await signedIn(url)
    const refused = await browser.press(place, 'reject')
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Say why you reject it.')

    const end = await browser.press(refused, 'reject', { reason: 'not this one' })
    expect(end.text).toContain('<strong>Rejected</strong>')
    expect(await acme.approval(id)).toMatchObject({ status: 'rejected', reason: 'not this one' })
  })

  test('keeps a person signed in for the next one, until they sign out', async () => {
    const first = await held()
    await signedIn(first.url)
    const place = await browser.open((await held()).url)
    expect(place.text).toContain('value="approve"')

    expect((await browser.press(place, 'sign_out')).text).toContain('<h1>Sign in</h1>')
    expect((await browser.open(first.url)).text).toContain('<h1>Sign in</h1>')
  })

  test('decides nothing by being opened, whatever its address says', async () => {
    const { id, url } = await held()
    await signedIn(url)

    await browser.open(`${url}?step=approve&code=x`)
    await browser.open(`${url}?step=confirm`)

    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
  })
})

describe('who may decide', () => {
  test('not the person who asked', async () => {
    const { id, url } = await held()
    const place = await signedIn(url, acme.owner.email)
    const asked = await browser.press(place, 'approve')
    const end = await browser.press(asked, 'confirm')

    expect(end.status).toBe(403)
    expect(end.text).toContain('role="alert"')
    expect(await acme.approval(id)).toMatchObject({ status: 'pending', votes: [] })
  })

  test('not a person without the permission, who may look', async () => {
    const { url } = await held()
    const viewer = await personWith(local, owner, ['auditor'])
    const place = await signedIn(url, viewer.email)

    expect(place.text).toContain('not decide it')
    expect((await browser.press(place, 'approve')).status).toBe(403)
  })

  test('not people of another tenant, for whom it does not exist', async () => {
    const { url } = await held()
    expect((await signedIn(url, other.approver.email)).status).toBe(401)

    const { id } = await held()
    const elsewhere = approvalLink(other.tenant_id, id)
    const place = await browser.press(await browser.open(elsewhere), 'password', {
      email: other.approver.email,
      password: PASSWORD,
    })
    expect(place.status).toBe(404)
    expect(place.text).not.toContain('delete_contact')
  })

  test('nobody with a form of another browser', async () => {
    const { id, url } = await held()
    const place = await signedIn(url)
    const stranger = new Browser(local.appUrl)
    await stranger.open(url)

    expect((await stranger.press(place, 'confirm')).status).toBe(403)
    expect(await acme.approval(id)).toMatchObject({ status: 'pending' })
  })
})

describe('a second factor', () => {
  let app: App
  let email: string
  beforeAll(async () => {
    const person = await personWith(local, owner, ['approver'])
    email = person.email
    app = (await enrolTotp(local, await signIn(local, person))).app
  })

  test('is asked for at the sign-in, and a wrong one can be corrected', async () => {
    const { url } = await held()
    const factor = await signedIn(url, email)
    expect(factor.text).toContain('<h1>Second factor</h1>')
    const again = await browser.press(factor, 'code', { code: app.wrongCode() })
    expect([again.status, again.text.includes('<h1>Second factor</h1>')]).toEqual([401, true])

    expect((await browser.press(again, 'code', { code: app.nextCode() })).text).toContain('value="approve"')
  })

  test('is asked for again before an approval, where the tenant wants a recent one', async () => {
    const { id, url } = await held()
    const place = await browser.press(await signedIn(url, email), 'code', { code: app.nextCode() })
    const { app: ownersApp } = await enrolTotp(local, owner)
    await owner.call(mfa.verify, { body: { method: 'totp', code: ownersApp.nextCode() } })
    const policy = await owner.call(mfa.changePolicy, {
      params: { tenant_id: acme.tenant_id },
      body: { step_up_minutes: 5 },
    })
    expect(policy.status).toBe(200)
    local.clock.moveTo(local.clock.now() + 6 * 60_000)

    const factor = await browser.press(place, 'approve')
    expect(factor.text).toContain('You are signed in. Now confirm that it is you.')
    const shown = await browser.press(factor, 'code', { code: app.nextCode() })
    const asked = await browser.press(shown, 'approve')
    await browser.press(asked, 'confirm')

    expect(await acme.approval(id)).toMatchObject({ status: 'approved' })
  })
})

describe('a passkey', () => {
  const optionsIn = ({ text }: Place) =>
    JSON.parse(/data-options="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '{}')

  test('alone signs in on the page, where no other tenant’s does', async () => {
    const foreign = newEmulator({ credentialsRepository: new PasskeysCredentialsMemoryRepository() })
    await enrolPasskey(await signIn(local, other.approver), foreign, local.appUrl)
    const { id, url } = await held()
    const place = await browser.open(url)
    expect(place.headers['content-security-policy']).toMatch(/script-src 'nonce-[\w-]+'/)

    const theirs = JSON.stringify(foreign.getJSON(local.appUrl, optionsIn(place)))
    const refused = await browser.press(place, 'passkey_only', { credential: theirs })
    expect([refused.status, refused.text.includes('<h1>Sign in</h1>')]).toEqual([401, true])
    const credential = JSON.stringify(emulator.getJSON(local.appUrl, optionsIn(refused)))
    const shown = await browser.press(refused, 'passkey_only', { credential })
    expect(shown.text).toContain(`You are signed in as ${holder.email}.`)

    await browser.press(await browser.press(shown, 'approve'), 'confirm')
    expect(await acme.approval(id)).toMatchObject({ status: 'approved', decided_by: { type: 'user' } })
    expect((await new Browser(local.appUrl).press(place, 'passkey_only', { credential })).status).toBe(403)
  })

  test('is asked for again on the page, before an approval that needs a recent factor', async () => {
    const { id, url } = await held()
    const first = await browser.open(url)
    const answer = (place: Place) => ({ credential: JSON.stringify(emulator.getJSON(local.appUrl, optionsIn(place))) })
    const place = await browser.press(first, 'passkey_only', answer(first))
    local.clock.moveTo(local.clock.now() + 6 * 60_000)

    const factor = await browser.press(place, 'approve')
    expect(factor.text).toContain('You are signed in. Now confirm that it is you.')
    const challenge_id = /name="challenge_id" value="([^"]+)"/.exec(factor.text)?.[1] ?? ''
    const shown = await browser.press(factor, 'passkey', { ...answer(factor), challenge_id })
    await browser.press(await browser.press(shown, 'approve'), 'confirm')

    expect(await acme.approval(id)).toMatchObject({ status: 'approved' })
  })
})

test('a sign-in at the organisation’s provider ends on the page, in the browser that began it', async () => {
  const { url } = await held()
  const stranger = new Browser(local.appUrl)
  await stranger.open(url)
  const ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
  const code = await createCode(ctx, {
    tenant_id: acme.tenant_id,
    user_id: acme.approver.id,
    amr: ['ext'],
    trusted_mfa: true,
    code_challenge: 'of-another-browser',
  })

  expect((await stranger.open(`${url}?code=${code}`)).text).toContain('<h1>Sign in</h1>')
})
