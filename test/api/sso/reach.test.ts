// What the function that reads the XML of strangers may reach is less than the table: this is all that it needs.
import { beforeAll, expect, test } from 'vitest'
import { sso } from '../../../functions/sso/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { signIn } from '../../support/sign-in.ts'
import { touchedKeys } from '../../support/touched-keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { post, type SamlTenant, samlTenant } from './saml-idp.ts'

const touched = touchedKeys()

const local = useLocalStack({ plugins: [touched.plugin] })
let acme: SamlTenant
beforeAll(async () => {
  acme = await samlTenant(local, {}, { allow_idp_initiated: true })
})

/** As IAM's StringLike compares: the star stands for anything. */
const isLike = (key: string, pattern: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(key)

const ALLOWED = [...sso.samlCallback.uses.flatMap((use) => ('table' in use ? (use.only ?? []) : [])), 'RL#*']

async function mustStayInside(status: number, response: string, cookie?: string): Promise<void> {
  const { keys, indexes } = await touched.during(async () => {
    expect((await post(local, response, cookie)).status).toBe(status)
  })

  expect(keys.length).toBeGreaterThan(1)
  expect(keys.filter((key) => !ALLOWED.some((pattern) => isLike(key, pattern)))).toEqual([])
  expect(indexes).toEqual([])
}

const answerTo = async (name_id: string, change: object = {}) => {
  const { id, cookie } = await acme.begin()
  return [acme.answer(acme.said(id, { name_id, ...change })), cookie] as const
}

test('a new person, one that is known, one with another name, and one that was invited', async () => {
  const email = `new@${acme.domain}`
  await mustStayInside(302, ...(await answerTo(email)))
  await mustStayInside(302, ...(await answerTo(email)))
  await mustStayInside(302, ...(await answerTo(email, { attributes: { displayName: 'Other' } })))

  const { call } = await signIn(local, acme.tenant.owner)
  await call(users.invite, { body: { email: `invited@${acme.domain}`, roles: ['member'] } })
  await mustStayInside(302, ...(await answerTo(`invited@${acme.domain}`)))
})

test('a sign-in that the provider began, and refusals', async () => {
  await mustStayInside(302, acme.answer(acme.said(undefined)))
  await mustStayInside(401, ...(await answerTo(`late@${acme.domain}`, { audience: 'other' })))
  await mustStayInside(403, ...(await answerTo('anna@elsewhere.example')))
})

test('does not reach keys, sessions and tickets', () => {
  for (const key of ['APIKEY#x', 'SESSION#x', 'TICKET#x', 'LINK#x', 'T#ten_1#live#POLICY#x', 'T#ten_1#test#USER#x']) {
    expect(ALLOWED.some((pattern) => isLike(key, pattern))).toBe(false)
  }
})
