import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

describe('GET /api/v1/auth/me', () => {
  test('200: who is signed in, with rights and session', async () => {
    const { call, claims } = await signIn(local, acme.approver)
    const { status, body } = await call(auth.me)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: acme.approver.id,
      email: acme.approver.email,
      email_verified: true,
      name: 'Approver',
      tenant: { id: acme.tenant_id, name: expect.any(String), plan: 'enterprise' },
      roles: ['approver'],
      mfa: { enrolled: false, factors: [] },
      session: { id: claims.origin_jti, amr: ['pwd'] },
    })
    expect(body.permissions).toContain('approvals:decide')
    expect(body.permissions).not.toContain('users:write')
    expect(Date.parse(body.session.expires_at) - Date.parse(body.session.created_at)).toBe(604_800_000)
  })

  test('200: is the same in the sandbox', async () => {
    const { call } = await signIn(local, acme.approver)

    expect((await call(auth.me, { headers: { 'x-mode': 'test' } })).body.id).toBe(acme.approver.id)
  })

  test('403: is nobody for a key', async () => {
    expect((await acme.call(auth.me)).status).toBe(403)
  })
})

describe('PATCH /api/v1/auth/me', () => {
  test('200: changes the own name, with evidence', async () => {
    const { call } = await signIn(local, acme.approver)

    expect(await call(auth.updateMe, { body: { name: 'Ada' } })).toMatchObject({ status: 200, body: { name: 'Ada' } })
    expect((await call(auth.me)).body.name).toBe('Ada')
    const { body } = await acme.call(evidence.latest, { query: { type: 'identity.user.updated' } })
    expect(body.items[0]).toMatchObject({ actor: { kind: 'user', id: acme.approver.id } })
  })

  test.each([{ name: '' }, { name: 'a\nb' }, { roles: ['owner'] }])('422 or 400: %j', async (body) => {
    const { call } = await signIn(local, acme.approver)

    expect([400, 422]).toContain((await call(auth.updateMe, { body })).status)
  })
})
