import { describe, expect, test } from 'vitest'
import { mfa } from '../../../functions/mfa/routes.ts'
import { enrolTotp } from '../../support/factors.ts'
import { governed } from '../../support/governed.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const MINUTE = 60_000
const wait = (ms: number) => local.clock.moveTo(local.clock.now() + ms)

describe('where the tenant wants a second factor for decisions', () => {
  test('a person approves after showing one, and rejects without', async () => {
    const acme = await governed(local)
    const [first, second] = [await acme.held(), await acme.held()]
    const owner = await ownerInPerson(local, acme)
    await owner.call(mfa.changePolicy, { params: { tenant_id: acme.tenant_id }, body: { step_up_minutes: 1 } })
    const { access_token: key, ...ben } = await signIn(local, acme.approver)
    const { app } = await enrolTotp(local, ben)
    wait(MINUTE)

    const body = { reason: 'reviewed', action_digest: first.approval.action_digest }
    expect(await acme.approve(first.approval.id, body, { key })).toMatchObject({
      status: 403,
      body: {
        detail:
          'This needs a second factor that you have shown recently. Show one (POST /api/v1/auth/mfa/verify) and repeat the request.',
      },
    })
    expect((await acme.reject(second.approval.id, { reason: 'no' }, { key })).status).toBe(200)

    await ben.call(mfa.verify, { body: { method: 'totp', code: app.nextCode() } })
    expect((await acme.approve(first.approval.id, body, { key })).status).toBe(200)
  })
})
