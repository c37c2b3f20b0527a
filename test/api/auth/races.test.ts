import { expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { logIn, ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const commits = heldCommit()

const local = useLocalStack({ plugins: [commits.plugin] })

const over = {
  status: 401,
  body: { detail: 'Your credentials are invalid or expired. Sign in again or use another key.' },
}

test('401: a sign-in with the former password that is under way while a new one is set begins no session', async () => {
  const { owner } = await local.tenant()
  await local.call(auth.forgotPassword, { body: { email: owner.email } })
  const token = await tokenFor(local, owner.email, 'password_reset')
  const held = commits.hold('identity.session.started')
  const stranger = logIn(local, owner)
  const letGo = await held
  const body = { token, password: 'another battery staple' }
  expect((await local.call(auth.resetPassword, { body })).status).toBe(200)
  letGo()

  expect(await stranger).toMatchObject(over)
})

test('401: nor does one of a person who is suspended meanwhile, also when the suspension ends', async () => {
  const owner = await ownerInPerson(local, await local.tenant())
  const ada = await personWith(local, owner, ['member'])
  const held = commits.hold('identity.session.started')
  const late = logIn(local, ada)
  const letGo = await held
  for (const status of ['suspended', 'active']) {
    const reply = await owner.call(users.update, { params: { id: ada.user_id }, body: { status } })
    expect(reply.status).toBe(200)
  }
  letGo()

  expect(await late).toMatchObject(over)
  expect((await logIn(local, ada)).status).toBe(200)
})

test('of an address that waits in many tenants, the account that can be signed in to gets its mail first', async () => {
  const email = freshAddress()
  const joining = await signIn(local, (await local.tenant()).owner)
  await joining.call(users.invite, { body: { email, roles: ['member'] } })
  const invitation = { token: await tokenFor(local, email, 'invitation'), password: 'her only password anywhere' }
  expect((await local.call(auth.resetPassword, { body: invitation })).status).toBe(200)
  for (let waiting = 0; waiting < 5; waiting += 1) {
    const { call } = await signIn(local, (await local.tenant()).owner)
    await call(users.invite, { body: { email, roles: ['member'] } })
  }

  await local.call(auth.forgotPassword, { body: { email } })

  const token = await tokenFor(local, email, 'password_reset')
  expect((await local.call(auth.resetPassword, { body: { ...invitation, token } })).status).toBe(200)
})
