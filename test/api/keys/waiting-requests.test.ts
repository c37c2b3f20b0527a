import { beforeEach, describe, expect, test } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
beforeEach(async () => {
  acme = await governed(local)
  owner = await signIn(local, acme.owner)
})

const body = { name: 'agent', kind: 'live', scopes: ['agent:execute'] }

describe('what still waits for approval', () => {
  test('is cancelled when the key that asked for it is revoked; what others asked for still waits', async () => {
    const { body: key } = await owner.call(keys.create, { body })
    const [theirs, other] = [await acme.held('delete_contact', {}, { key: key.key }), await acme.held()]

    const events = await acme.told(() => owner.call(keys.revoke, { params: { id: key.id }, body: {} }))
    expect(await acme.approval(theirs.approval.id)).toMatchObject({ status: 'cancelled', method: 'cancelled' })
    expect(await acme.look(theirs.receipt.request_id)).toMatchObject({ status: 'cancelled' })
    expect((await acme.approve(theirs.approval.id)).status).toBe(409)
    expect(await acme.approval(other.approval.id)).toMatchObject({ status: 'pending' })
    expect(events.filter(({ type }) => type === 'action.rejected')).toMatchObject([
      { data: { rejection_method: 'cancelled', reason: 'the API key was revoked' } },
    ])
  })

  test('is cancelled when the person who asked for it, or made the key that did, is suspended', async () => {
    const ada = await personWith(local, owner, ['developer'])
    const { body: key } = await ada.call(keys.create, { body })
    const held = [
      await acme.held('delete_contact', {}, { key: ada.access_token }),
      await acme.held('delete_contact', {}, { key: key.key }),
    ]
    await owner.call(users.update, { params: { id: ada.user_id }, body: { status: 'suspended' } })

    for (const { approval } of held) expect(await acme.approval(approval.id)).toMatchObject({ status: 'cancelled' })
  })
})
