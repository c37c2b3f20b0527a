import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { App, enrolPasskey, enrolTotp, newEmulator, showFactor } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { logIn, type SignedIn, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let anna: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  anna = await signIn(local, acme.owner)
})

const factorsOf = async ({ call }: SignedIn) => (await call(mfa.get)).body.factors
const finish = (mfa_token: string, method: string, code: string) =>
  local.call(mfa.verify, { body: { mfa_token, method, code } })
const artifactTypes = async () => {
  const { body } = await acme.call(evidence.latest, { query: { limit: 50 } })
  return (body.items as { type: string }[]).map(({ type }) => type)
}

describe('recovery codes', () => {
  test('come with the first factor, once, and with no further one', async () => {
    const first = await enrolPasskey(anna, newEmulator(), local.appUrl)
    expect(first.body.recovery_codes).toHaveLength(10)
    expect((await anna.call(mfa.get)).body.recovery_codes_left).toBe(10)
    expect(await artifactTypes()).toEqual(
      expect.arrayContaining(['identity.mfa.enabled', 'identity.mfa.recovery_codes_created']),
    )

    const begun = await anna.call(mfa.beginTotp, { body: {} })
    const app = new App(begun.body.secret, local.clock)
    const second = await anna.call(mfa.confirmTotp, { body: { factor_id: begun.body.factor_id, code: app.code() } })
    expect(second).toMatchObject({ status: 200, body: { type: 'totp' } })
    expect(second.body.recovery_codes).toBeUndefined()

    const { body } = await logIn(local, acme.owner)
    expect((await finish(body.mfa_token, 'recovery_code', first.body.recovery_codes[9])).status).toBe(200)
  })

  const newCodes = async (): Promise<string[]> => (await anna.call(mfa.createRecoveryCodes, { body: {} })).body.codes

  test('stand in for a factor once each, however they are typed', async () => {
    await enrolTotp(local, anna)
    const codes = await newCodes()
    expect(codes).toHaveLength(10)
    expect(codes.every((code) => /^[A-Z2-7]{10}$/.test(code))).toBe(true)

    const typed = `${codes[3]?.slice(0, 5).toLowerCase()}-${codes[3]?.slice(5)}`
    const first = await logIn(local, acme.owner)
    expect(first.body.methods).toEqual(['totp', 'recovery_code'])
    const { call } = signedIn(local, await finish(first.body.mfa_token, 'recovery_code', typed))
    expect((await call(mfa.get)).body.recovery_codes_left).toBe(9)

    const { body } = await logIn(local, acme.owner)
    expect(await finish(body.mfa_token, 'recovery_code', typed)).toMatchObject({
      status: 401,
      body: { detail: 'Your second factor was not accepted. Check it and try again.' },
    })
    expect(await artifactTypes()).toContain('identity.mfa.recovery_code_used')
  })

  test('count once of many that come at the same moment', async () => {
    await enrolTotp(local, anna)
    const [code = ''] = await newCodes()
    const tokens = await Promise.all([1, 2, 3].map(async () => (await logIn(local, acme.owner)).body.mfa_token))
    const replies = await Promise.all(tokens.map((token) => finish(token, 'recovery_code', code)))

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('that are made anew end those from before', async () => {
    await enrolTotp(local, anna)
    const [old = ''] = await newCodes()
    const [fresh = ''] = await newCodes()
    const { body } = await logIn(local, acme.owner)

    expect((await finish(body.mfa_token, 'recovery_code', old)).status).toBe(401)
    expect((await finish(body.mfa_token, 'recovery_code', fresh)).status).toBe(200)
  })

  test('are for those who have a factor', async () => {
    expect((await anna.call(mfa.createRecoveryCodes, { body: {} })).status).toBe(409)
  })
})

describe('DELETE /api/v1/users/{id}/mfa', () => {
  beforeEach(async () => {
    await showFactor(local, anna)
  })

  test('204: all factors are gone, and every session with them', async () => {
    const ben = await signIn(local, acme.approver)
    await enrolTotp(local, ben)
    await enrolPasskey(ben, newEmulator(), local.appUrl)
    const { body } = await logIn(local, acme.approver)

    expect((await anna.call(mfa.reset, { params: { id: acme.approver.id } })).status).toBe(204)

    expect((await ben.call(auth.me)).status).toBe(401)
    expect(await finish(body.mfa_token, 'totp', '000000')).toMatchObject({
      status: 401,
      body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
    })
    const again = await signIn(local, acme.approver)
    expect(await factorsOf(again)).toEqual([])
    expect((await anna.call(mfa.reset, { params: { id: acme.approver.id } })).status).toBe(204) // nothing is left to do
  })

  test('403: an owner’s are reset by owners only', async () => {
    await enrolTotp(local, anna)

    expect((await acme.call(mfa.reset, { params: { id: acme.owner.id } })).status).toBe(403) // a key is no owner
  })

  test('404: a person of another tenant looks like nobody', async () => {
    const other = await local.tenant()

    expect((await anna.call(mfa.reset, { params: { id: other.approver.id } })).status).toBe(404)
    expect((await anna.call(mfa.reset, { params: { id: 'nobody' } })).status).toBe(404)
  })

  test('409: nobody gets around removing their own one by one', async () => {
    expect((await anna.call(mfa.reset, { params: { id: acme.owner.id } })).status).toBe(409)
  })
})
