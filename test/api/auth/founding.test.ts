// Tenants that an operator founds: with passwords, as on one machine, or by invitation, as in AWS.
import { describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { workers } from '../../../functions/workers.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import type { TenantCredentials } from '../../../shared/identity/tenants/bootstrap.ts'
import { bodyOf } from '../../support/governed.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { logIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const found = async (over: object = {}) =>
  (await local.invoke(workers.createTenant, {
    name: 'Initech',
    plan: 'business',
    owner_email: 'olga@initech.example',
    approver_email: 'ada@initech.example',
    ...over,
  })) as TenantCredentials // the worker's reply

describe('a tenant that is founded', () => {
  test('with passwords has two people who sign in, and keys that work', async () => {
    const made = await found({ owner_password: PASSWORD, approver_password: PASSWORD })

    for (const [{ email, id }, role] of [
      [made.owner, 'owner'],
      [made.approver, 'approver'],
    ] as const) {
      expect((await logIn(local, { email, tenant_id: made.tenant_id })).body.user).toMatchObject({ id, roles: [role] })
    }
    const { body } = await local.call(users.list, { key: made.live_key })
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['active', 'active'])
  })

  test('without passwords invites them; they begin with the link in their mail', async () => {
    const people = { owner_email: 'owen@hooli.example', approver_email: 'ann@hooli.example' }
    const made = await found(people)
    expect((await logIn(local, { email: people.owner_email })).status).toBe(401)

    const token = await tokenFor(local, people.owner_email, 'invitation')
    expect((await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })).status).toBe(200)
    const { call, user_id } = await signIn(local, { email: people.owner_email })
    expect(user_id).toBe(made.owner.id)
    expect((await call(auth.me)).body).toMatchObject({ roles: ['owner'], email_verified: true })
    expect((await local.call(users.get, { key: made.live_key, params: { id: made.approver.id } })).body.status).toBe(
      'invited',
    )
  })

  test('says who decides on approvals only where the operator did', async () => {
    const settingsOf = async ({ owner: { email }, tenant_id }: TenantCredentials) => {
      const owner = await signIn(local, { email, tenant_id })
      return bodyOf(await owner.call(tenants.get, { params: { tenant_id } }), 200).settings
    }
    const setting = { require_human_approver: false }
    const people = { owner_password: PASSWORD }

    expect(await settingsOf(await found(people))).toMatchObject({
      require_human_approver: null,
      governance: { require_human_approver: null },
    })
    expect(await settingsOf(await found({ ...people, settings: setting }))).toMatchObject({
      ...setting,
      governance: setting,
    })
    await expect(found({ settings: { ...setting, allow_self_approval: true } })).rejects.toThrow()
  })

  test('leaves evidence of everything that came into being', async () => {
    const made = await found({ owner_password: PASSWORD })
    const { body } = await local.call(evidence.latest, { key: made.live_key, query: { limit: 100 } })

    expect(body.items.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'identity.api_key.created',
      'identity.api_key.created',
      'identity.api_key.created',
      'identity.tenant.created',
      'identity.user.created',
      'identity.user.invited',
    ])
    expect(JSON.stringify(body)).not.toContain('initech.example')
  })
})
