// Names that people read when they decide can be seen as they are: at every door where one is given.
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { manifest } from '../../support/any-route.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { MACHINE } from '../../support/oauth.ts'
import { freshAddress } from '../../support/people.ts'
import { showFactor } from '../../support/factors.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeAll(async () => {
  acme = await local.tenant()
  owner = await showFactor(local, await signIn(local, acme.owner))
})

const ODD = ['   ', '\u3164', 'pay\u202Eroll', 'Acme\u200B', 'Ac\u00ADme']
const POLICY = { effect: 'forbid', when: { field: 'action.kind', op: 'eq', value: 'delete' } }
const HOOK = { url: 'https://8.8.8.8/hook', events: ['invoice.paid'] }

type Door = [string, (name: string) => Promise<{ status: number; body: { code?: string } }>]
const DOORS: Door[] = [
  ['a tenant', (name) => owner.call(tenants.update, { params: { tenant_id: acme.tenant_id }, body: { name } })],
  [
    'a new tenant',
    (tenant_name) =>
      local.call(auth.register, { body: { email: freshAddress(), password: PASSWORD, name: 'Ada', tenant_name } }),
  ],
  [
    'a person who registers',
    (name) => local.call(auth.register, { body: { email: freshAddress(), password: PASSWORD, name } }),
  ],
  ['oneself', (name) => owner.call(auth.updateMe, { body: { name } })],
  ['somebody else', (name) => owner.call(users.update, { params: { id: acme.approver.id }, body: { name } })],
  [
    'somebody who is invited',
    (name) => owner.call(users.invite, { body: { email: freshAddress(), name, roles: ['member'] } }),
  ],
  ['a key', (name) => owner.call(keys.create, { body: { name, kind: 'live', scopes: ['governance:read'] } })],
  ['a client', (name) => owner.call(clients.create, { body: { ...MACHINE, name } })],
  ['a webhook endpoint', (name) => owner.call(webhooks.create, { body: { ...HOOK, name } })],
  [
    'a policy',
    (name) => owner.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, body: { ...POLICY, name } }),
  ],
  [
    'a node',
    (name) => {
      const { node, ...rest } = manifest()
      return acme.call(protocol.registerManifest, { body: { manifest: { ...rest, node: { ...node, name } } } })
    },
  ],
]

describe.each(DOORS)('the name of %s', (_, send) => {
  test.each(ODD)('422: is not %j', async (name) => {
    const { status, body } = await send(name)
    expect([status, body.code], JSON.stringify(body)).toEqual([422, 'invalid'])
  })

  test('may have joiners where the script has them', async () => {
    const { status, body } = await send('می‌خواهم')
    expect(status, JSON.stringify(body)).toBeLessThan(300)
  })
})

describe('the name of a group of a directory', () => {
  const create = (displayName: string) =>
    acme.call(scim.createGroup, {
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName },
    })
  const rename = (id: string, displayName: string) =>
    acme.call(scim.patchGroup, {
      params: { id },
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'displayName', value: displayName }],
      },
    })

  test.each(ODD)('400: is not %j, and is not cleaned into the name of another', async (name) => {
    expect(await create(name)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    const { body: group } = await create('Finance')
    expect(await rename(group.id, name)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
  })
})
