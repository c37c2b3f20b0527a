// Why a sign-in was refused: administrators read the cause in the audit log, visitors only get a number.
import { beforeAll, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import {
  encoded,
  type Envelope,
  type Key,
  newKey,
  response,
  type Said,
  signedAssertion,
  type Signing,
} from './forged.ts'
import { post, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: SamlTenant
let thief: Key
beforeAll(async () => {
  ;[acme, thief] = [await samlTenant(local), await newKey()]
})

type Wrong = { said?: () => Partial<Said>; signing?: () => Partial<Signing>; envelope?: Envelope }

/** The reason in the audit log, and the page. */
async function refused({ said: change, signing, envelope }: Wrong) {
  const { id, cookie } = await acme.begin()
  const said = { ...acme.said(id), ...change?.() }
  const around = { destination: acme.sp.acs_url, in_response_to: id, ...envelope }
  const message = encoded(response(signedAssertion(said, { key: acme.key, ...signing?.() }), around))
  const { status, text } = await post(local, message, cookie)
  const number = /number\s+([\w-]+)/.exec(text)?.[1] ?? ''
  const params = { tenant_id: acme.tenant.tenant_id }
  const query = { action: 'user.sign_in', outcome: 'failure', request_id: number }
  const { body } = await acme.tenant.call(security.auditLogs, { params, query })
  return { status, text, reasons: body.items.map(({ reason }: { reason: string }) => reason) }
}

test.each<[string, Wrong]>([
  [
    'certificate: The provider signs with the certificate',
    { signing: () => ({ key: thief, shown: thief.certificate }) },
  ],
  ['signature: No configured certificate verifies', { signing: () => ({ key: thief }) }],
  [
    'audience: The audience is "https://other.example" and not',
    { said: () => ({ audience: 'https://other.example' }) },
  ],
  [
    'destination: The Destination of the response is "https://x.example"',
    { envelope: { destination: 'https://x.example' } },
  ],
  ['issuer: The Issuer of the response is "https://i.example"', { envelope: { issuer: 'https://i.example' } }],
  ['time: The assertion is valid from', { said: () => ({ not_before: iso(local.clock.now() + 120_000) }) }],
  ['time: The assertion ended at', { said: () => ({ not_on_or_after: iso(local.clock.now() - 120_000) }) }],
  ['request: The response or its assertion answers another', { said: () => ({ in_response_to: '_other' }) }],
  ['status: The identity provider signed nobody in', { envelope: { status: 'urn:x:Responder' } }],
])('the audit log says %s …, and the page does not', async (reason, wrong) => {
  const { status, text, reasons } = await refused(wrong)

  expect(status).toBe(401)
  expect(reasons).toEqual([expect.stringContaining(reason)])
  expect(text).not.toContain(reason.slice(reason.indexOf(':') + 2))
  expect(text).not.toMatch(/certificate|audience|Destination|Issuer|clock/)
})

test('the fingerprint is shown as in the configuration', async () => {
  const { reasons } = await refused({ signing: () => ({ key: thief, shown: thief.certificate }) })

  expect(reasons[0]).toMatch(/certificate ([\dA-F]{2}:){31}[\dA-F]{2}, which is not configured/)
})
