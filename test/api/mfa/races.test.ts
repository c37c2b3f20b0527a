import { beforeEach, describe, expect, test } from 'vitest'
import { mfa } from '../../../functions/mfa/routes.ts'
import { App, enrolTotp } from '../../support/factors.ts'
import { heldCommit } from '../../support/held-commit.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { logIn, type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const commits = heldCommit()

const local = useLocalStack({ plugins: [commits.plugin] })
let acme: TestTenant
let anna: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  anna = await signIn(local, acme.owner)
})

describe('an authenticator app that is confirmed while another is begun', () => {
  test('stays a factor: nobody is asked for one that is gone', async () => {
    const { body: first } = await anna.call(mfa.beginTotp, { body: {} })
    const held = commits.hold(first.factor_id)
    const second = anna.call(mfa.beginTotp, { body: {} })
    const letGo = await held
    const code = new App(first.secret, local.clock).code()
    expect((await anna.call(mfa.confirmTotp, { body: { factor_id: first.factor_id, code } })).status).toBe(200)
    letGo()

    expect((await second).status).toBe(409)
    expect((await anna.call(mfa.get)).body.factors).toMatchObject([{ id: first.factor_id }])
    expect((await logIn(local, acme.owner)).body).toMatchObject({
      mfa_required: true,
      methods: ['totp', 'recovery_code'],
    })
  })
})

describe('recovery codes that are made while the last factor goes', () => {
  test('are not made: they would count for the next factor, also of somebody else', async () => {
    const { factor_id } = await enrolTotp(local, anna)
    const held = commits.hold('recovery_codes_created')
    const made = anna.call(mfa.createRecoveryCodes, { body: {} })
    const letGo = await held
    expect((await anna.call(mfa.removeFactor, { params: { factor_id } })).status).toBe(204)
    letGo()

    expect((await made).status).toBe(409)
    expect((await anna.call(mfa.get)).body).toMatchObject({ factors: [], recovery_codes_left: 0 })
  })
})
