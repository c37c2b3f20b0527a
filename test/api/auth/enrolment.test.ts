import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { logIn, ownerInPerson, type SignedIn, signedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let anna: SignedIn
beforeAll(async () => {
  acme = await local.tenant()
  const body = { enforcement: 'required', grace_days: 0 }
  const owner = await ownerInPerson(local, acme)
  const reply = await owner.call(mfa.changePolicy, { params: { tenant_id: acme.tenant_id }, body })
  expect(reply.status).toBe(200)
  const login = await logIn(local, acme.owner)
  expect(login.body.mfa_enrollment_required).toBe(true)
  anna = signedIn(local, login)
})

describe('a session that must enrol a second factor first', () => {
  test('403: opens nothing else', async () => {
    for (const reply of [await anna.call(protocol.listManifests), await anna.call(auth.listSessions)]) {
      expect(reply).toMatchObject({
        status: 403,
        body: { detail: 'Your session has no second factor. Enrol one first.' },
      })
    }
  })

  test('200: shows who is signed in, is refreshed as what it is, and ends', async () => {
    expect((await anna.call(auth.me)).status).toBe(200)
    expect((await anna.call(mfa.get)).status).toBe(200)
    const next = await local.call(auth.refresh, { body: { refresh_token: anna.refresh_token } })
    expect(next.body.mfa_enrollment_required).toBe(true)
    const { call } = signedIn(local, next)
    expect((await call(protocol.listManifests)).status).toBe(403)

    expect((await call(auth.logout, { body: {} })).status).toBe(200)
    expect((await call(auth.me)).status).toBe(401)
  })
})
