// Assertions that the identity provider encrypts for us.
import { beforeAll, describe, expect, test } from 'vitest'
import { sso } from '../../../functions/sso/routes.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { CBC_128, CBC_256, encryptedAssertion, type Encrypting, GCM_128, GCM_256, OAEP_11 } from './encrypted.ts'
import { assertion, encoded, type Key, newKey, response, type Said, signedAssertion } from './forged.ts'
import { configure, post, samlBody, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: SamlTenant
let thief: Key
let ours: string
beforeAll(async () => {
  acme = await samlTenant(local, {}, { assertion_encryption: 'required' })
  ;[thief, ours] = [await newKey(), await published(acme)]
})

/** The certificate for encryption in the metadata of the tenant; empty when there is none. */
async function published({ tenant }: SamlTenant): Promise<string> {
  const { body } = await local.call(sso.metadata, { params: { tenant: tenant.tenant_id } })
  const found = /use="encryption">[^]*?<ds:X509Certificate>([^<]+)</.exec(String(body))?.[1]
  return found === undefined ? '' : `-----BEGIN CERTIFICATE-----\n${found}\n-----END CERTIFICATE-----`
}

type Sent = Partial<Encrypting> & { plain?: (said: Said) => string; at?: SamlTenant }

async function sent({ plain, at = acme, ...how }: Sent = {}) {
  const { id, cookie } = await at.begin()
  const said = at.said(id)
  const text = plain?.(said) ?? signedAssertion(said, { key: at.key })
  const around = { destination: at.sp.acs_url, in_response_to: id }
  const message = (more: Partial<Encrypting> = {}) =>
    encoded(response(encryptedAssertion(text, { certificate: ours, ...how, ...more }), around))
  return { answered: await post(local, message(), cookie), again: () => post(local, message({ tamper: same }), cookie) }
}
const same = (bytes: Buffer) => bytes
const statusOf = async (of?: Sent) => (await sent(of)).answered.status
const flipped = (at: number) => (bytes: Buffer) => {
  bytes[bytes.length + at] = (bytes[bytes.length + at] ?? 0) ^ 1
  return bytes
}

test.each<[string, Sent]>([
  ['AES-256-GCM', { content: GCM_256 }],
  ['AES-128-GCM', { content: GCM_128 }],
  ['AES-256-CBC', { content: CBC_256 }],
  ['AES-128-CBC', { content: CBC_128 }],
  ['RSA-OAEP with SHA-256', { key: OAEP_11, hash: 'sha256' }],
  ['the key beside the data', { beside: true }],
])('302: an assertion by %s signs in', async (_, how) => {
  const { answered } = await sent(how)

  expect(answered.status).toBe(302)
  expect(answered.code).not.toBe('')
})

describe('401', () => {
  test.each<[string, Sent]>([
    ['RSA PKCS #1 v1.5', { key: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' }],
    ['another cipher', { content: 'http://www.w3.org/2001/04/xmlenc#aes192-cbc' }],
    ['changed bytes under GCM', { tamper: flipped(-20) }],
    ['a short tag under GCM', { tamper: (bytes) => bytes.subarray(0, -4) }],
    ['changed padding under CBC', { content: CBC_256, tamper: flipped(-17) }],
    ['no bytes', { tamper: () => Buffer.alloc(0) }],
    ['an assertion that is not signed', { plain: (said) => assertion(said) }],
    ['an assertion that another key has signed', { plain: (said) => signedAssertion(said, { key: thief }) }],
    ['a changed assertion', { plain: (said) => signedAssertion(said, { key: acme.key }).replace('anna@', 'owner@') }],
    [
      'a forged assertion before the signed one',
      { plain: (said) => evil(said) + signedAssertion(said, { key: acme.key }) },
    ],
    [
      'a forged assertion after the signed one',
      { plain: (said) => signedAssertion(said, { key: acme.key }) + evil(said) },
    ],
    ['an end of the response in the plain text', { plain: (said) => `</samlp:Response>${evil(said)}<samlp:Response>` }],
    [
      'a document type',
      { plain: (said) => `<!DOCTYPE x [<!ENTITY y "z">]>${signedAssertion(said, { key: acme.key })}` },
    ],
    [
      'a comment',
      { plain: (said) => signedAssertion(said, { key: acme.key }).replace('<saml:Subject>', '<!-- -->$&') },
    ],
    ['an encrypted one inside', { plain: () => encryptedAssertion('<x/>', { certificate: ours }) }],
    ['no XML', { plain: () => 'text' }],
  ])('%s', async (_, how) => {
    const { answered } = await sent(how)

    expect(answered.status).toBe(401)
    expect(answered.location).toBeUndefined()
  })

  const evil = (said: Said) => assertion({ ...said, id: '_evil', name_id: `owner@${acme.domain}` })

  test('an assertion for another key', async () => {
    expect(await statusOf({ certificate: thief.certificate })).toBe(401)
  })

  test('a second try for the same request, because the first could have taught something', async () => {
    const { answered, again } = await sent({ content: CBC_256, tamper: flipped(-40) })

    expect([answered.status, (await again()).status]).toEqual([401, 401])
    expect(await statusOf()).toBe(302)
  })

  test('a plain assertion where encryption is required', async () => {
    const { id, cookie } = await acme.begin()

    expect((await post(local, acme.answer(acme.said(id)), cookie)).status).toBe(401)
  })

  test('an encrypted assertion that the provider sends unasked', async () => {
    const open = await samlTenant(local, {}, { assertion_encryption: 'accepted', allow_idp_initiated: true })
    const text = signedAssertion(open.said(undefined), { key: open.key })
    const certificate = await published(open)

    expect((await post(local, encoded(response(encryptedAssertion(text, { certificate }), {})))).status).toBe(401)
    expect((await post(local, open.answer(open.said(undefined)))).status).toBe(302)
  })
})

test('without encryption there is no key in the metadata, and an encrypted assertion is refused', async () => {
  const plain = await samlTenant(local)

  expect(await published(plain)).toBe('')
  expect(await statusOf({ at: plain })).toBe(401)
})

test('after a rotation the former key still opens, and after the next it does not', async () => {
  const other = await samlTenant(local, {}, { assertion_encryption: 'accepted' })
  const first = await published(other)
  const rotate = () =>
    configure(
      local,
      other.tenant,
      samlBody(other.domain, other.key, {}, { assertion_encryption: 'accepted', rotate_encryption_key: true }),
    )
  const rotated = await rotate()
  expect(rotated.body.saml.encryption_certificates).toHaveLength(2)
  expect(JSON.stringify(rotated.body)).not.toContain('PRIVATE')
  expect(await published(other)).not.toBe(first)

  expect(await statusOf({ at: other, certificate: first })).toBe(302)
  await rotate()
  expect(await statusOf({ at: other, certificate: first })).toBe(401)
})
