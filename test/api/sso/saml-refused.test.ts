// Everything that must not sign anybody in. The provider here says and signs whatever a test wants.
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { iso } from '../../../shared/base/lib/clock.ts'
import {
  assertion,
  encoded,
  type Envelope,
  type Key,
  newKey,
  response,
  restriction,
  type Said,
  signatureOf,
  signedAssertion,
  type Signing,
} from './forged.ts'
import { configure, post, samlBody, type SamlTenant, samlTenant } from './saml-idp.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: SamlTenant
let other: SamlTenant
let open: SamlTenant
let thief: Key
beforeAll(async () => {
  ;[acme, other] = [await samlTenant(local), await samlTenant(local)]
  open = await samlTenant(local, {}, { allow_idp_initiated: true })
  thief = await newKey()
})

const MINUTE = 60_000
const at = (minutes: number) => iso(local.clock.now() + minutes * MINUTE)

type Forging = {
  say?: (said: Said) => Partial<Said>
  sign?: () => Partial<Signing>
  envelope?: () => Envelope
  /** Changes the message after it was signed. */
  tamper?: (xml: string, said: Said) => string
  /** The whole response instead, from what was said. */
  make?: (said: Said) => string
}

/** Posts what was forged in the browser that began. */
async function forged({ say, sign, envelope, tamper = (xml) => xml, make }: Forging) {
  const { id, cookie } = await acme.begin()
  const said = acme.said(id)
  Object.assign(said, say?.(said))
  const signed = () => signedAssertion(said, { key: acme.key, ...sign?.() })
  const around = { destination: acme.sp.acs_url, in_response_to: id, ...envelope?.() }
  const xml = make ? make(said) : response(signed(), around)
  return post(local, encoded(tamper(xml, said)), cookie)
}

/** Refused with a page, and nobody gets anywhere. */
async function refused(forging: Forging, status = 401): Promise<string> {
  const answered = await forged(forging)

  expect(answered.location).toBeUndefined()
  expect(answered.status).toBe(status)
  expect(answered.text).toContain('Signing in did not work')
  return answered.text
}

const around = (content: string, { in_response_to }: Said, extensions = '') =>
  response(content, { destination: acme.sp.acs_url, in_response_to, extensions })

const evil = (said: Said, change: Partial<Said> = {}): Said => ({
  ...said,
  id: '_evil',
  name_id: `owner@${acme.domain}`,
  ...change,
})

test('what the forgeries start from is accepted', async () => {
  expect((await forged({})).status).toBe(302)
})

test('several restrictions and confirmations are read by the standard, also where the provider begins', async () => {
  const conditions = (entity: string) => restriction('https://partner.example', entity)
  const confirmations =
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="_partner" NotOnOrAfter="2099-01-01T00:00:00Z" Recipient="https://partner.example"></saml:SubjectConfirmationData></saml:SubjectConfirmation>'
  const begun = (entity: string) => {
    const said = open.said(undefined, { conditions: conditions(entity) })
    return post(local, encoded(response(signedAssertion(said, { key: open.key }), {})))
  }

  expect((await forged({ say: () => ({ conditions: conditions(acme.sp.entity_id) }) })).status).toBe(302)
  expect((await forged({ say: () => ({ confirmations }) })).status).toBe(302)
  await refused({ say: () => ({ conditions: restriction('https://partner.example') }) })
  expect((await begun(open.sp.entity_id)).status).toBe(302)
  expect((await begun(acme.sp.entity_id)).status).toBe(401)
})

describe('replay', () => {
  test('the same response twice', async () => {
    const { id, cookie } = await acme.begin()
    const answer = acme.answer(acme.said(id))

    expect((await post(local, answer, cookie)).status).toBe(302)
    expect((await post(local, answer, cookie)).status).toBe(401)
  })

  test('the same assertion where the provider begins', async () => {
    const said = open.said(undefined)
    const again = () => post(local, encoded(response(signedAssertion(said, { key: open.key }), {})))

    expect((await again()).status).toBe(302)
    expect((await again()).status).toBe(401)
  })

  test('an assertion for a former request under a fresh one', async () => {
    const first = await acme.begin()
    const said = acme.said(first.id)
    expect((await post(local, acme.answer(said), first.cookie)).status).toBe(302)

    await refused({ make: (fresh) => around(signedAssertion(said, { key: acme.key }), fresh) })
    await refused({ say: () => ({ id: said.id }) })
  })

  test('of five simultaneous posts one counts', async () => {
    const { id, cookie } = await acme.begin()
    const answer = acme.answer(acme.said(id))
    const all = await Promise.all(Array.from({ length: 5 }, () => post(local, answer, cookie)))

    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 401, 401, 401, 401])
  })
})

describe('two tenants with one identity provider', () => {
  test('an answer to the one is nothing to the other, though the same key has signed it', async () => {
    const theirs = await samlTenant(local)
    await configure(local, theirs.tenant, samlBody(theirs.domain, acme.key, {}, { allow_idp_initiated: true }))
    const { id, cookie } = await theirs.begin()
    const signed = (said: Said) => signedAssertion(said, { key: acme.key })
    const forThem = theirs.said(id)
    const answers = (said: Said) => post(local, encoded(around(signed(said), said)), cookie)

    expect((await answers({ ...forThem, audience: acme.sp.entity_id })).status).toBe(401)
    expect((await answers({ ...forThem, name_id: `anna@${acme.domain}` })).status).toBe(403)
    const fresh = await theirs.begin()
    const good = theirs.said(fresh.id)
    expect((await post(local, encoded(around(signed(good), good)), fresh.cookie)).status).toBe(302)
  })
})

describe('signature', () => {
  const cases: [string, Forging][] = [
    ['removed', { make: (said) => around(assertion(said), said) }],
    ['by another key', { sign: () => ({ key: thief }) }],
    ['by another key that shows its own certificate', { sign: () => ({ key: thief, shown: thief.certificate }) }],
    ['by another key that shows the right certificate', { sign: () => ({ key: thief, shown: acme.key.certificate }) }],
    ['before the name was changed', { tamper: (xml) => xml.replace('anna@', 'owner@') }],
    ['with SHA-1', { sign: () => ({ signature_method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }) }],
    ['of a SHA-1 digest', { sign: () => ({ digest_method: 'http://www.w3.org/2000/09/xmldsig#sha1' }) }],
    [
      'as HMAC with the public certificate',
      {
        sign: () => ({
          signature_method: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
          sign: (text) => createHmac('sha256', acme.key.certificate).update(text).digest('base64'),
        }),
      },
    ],
    [
      'as HMAC under the name of an RSA method',
      { sign: () => ({ sign: (text) => createHmac('sha256', acme.key.certificate).update(text).digest('base64') }) },
    ],
    [
      'of the response and not of the assertion',
      {
        make: (said) => {
          const envelope = { id: '_whole', destination: acme.sp.acs_url, in_response_to: said.in_response_to }
          const canonical = response(assertion(said), envelope)
          return response(assertion(said), envelope, signatureOf('_whole', canonical, { key: acme.key }))
        },
      },
    ],
  ]

  test.each(cases)('%s', async (_, forging) => {
    await refused(forging)
  })
})

describe('wrapping', () => {
  const signed = (said: Said) => signedAssertion(said, { key: acme.key })
  const inside = (xml: string, what: string, before: string) => xml.replace(before, `${what}${before}`)
  const cases: [string, (said: Said) => string][] = [
    ['a forged assertion before the signed one', (said) => around(assertion(evil(said)) + signed(said), said)],
    ['a forged assertion after the signed one', (said) => around(signed(said) + assertion(evil(said)), said)],
    [
      'the signed one as the last child of a forged one',
      (said) => around(inside(assertion(evil(said)), signed(said), '</saml:Assertion>'), said),
    ],
    [
      'the signed one as the first child of a forged one',
      (said) => around(inside(assertion(evil(said)), signed(said), '<saml:Issuer>'), said),
    ],
    [
      'a forged copy that keeps the signature, the original at the end',
      (said) => {
        const signature = signatureOf(said.id, assertion(said), { key: acme.key })
        return around(assertion(evil(said), signature) + assertion(said), said)
      },
    ],
    [
      'a forged copy that keeps the signature, the original inside the signature',
      (said) => {
        const signature = signatureOf(said.id, assertion(said), { key: acme.key, object: assertion(said) })
        return around(assertion(evil(said), signature), said)
      },
    ],
    [
      'a forged copy that keeps the signature, the original in an Object',
      (said) => {
        const object = `<ds:Object>${assertion(said)}</ds:Object>`
        return around(assertion(evil(said), signatureOf(said.id, assertion(said), { key: acme.key, object })), said)
      },
    ],
    [
      'a forged one, the original in Extensions',
      (said) => {
        const extensions = `<samlp:Extensions>${signed(said)}</samlp:Extensions>`
        return around(assertion(evil(said)), said, extensions)
      },
    ],
    ['the same ID twice', (said) => around(signed(said) + assertion(evil(said, { id: said.id })), said)],
    [
      'the ID of the assertion on the response, too',
      (said) => response(signed(said), { id: said.id, in_response_to: said.in_response_to }),
    ],
    [
      'a second Reference',
      (said) => {
        const more_references = `<ds:Reference URI="#_evil"><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference>`
        return around(signedAssertion(said, { key: acme.key, more_references }), said)
      },
    ],
    [
      'two SignedInfo (CVE-2025-29775)',
      (said) => {
        const signed_info_twice = `<ds:SignedInfo><ds:Reference URI="#${said.id}"><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference></ds:SignedInfo>`
        return around(signedAssertion(said, { key: acme.key, signed_info_twice }), said)
      },
    ],
    [
      'a DigestValue with a comment (CVE-2025-29774)',
      (said) => around(signed(said).replace('<ds:DigestValue>', '<ds:DigestValue>AAAA<!-- -->'), said),
    ],
    [
      'a DigestValue with an element in it',
      (said) => around(signed(said).replace('<ds:DigestValue>', '<ds:DigestValue><x></x>'), said),
    ],
  ]

  test.each(cases)('%s', async (_, make) => {
    await refused({ make })
  })
})

describe('address', () => {
  const elsewhere = 'https://other.example/auth/sso/callback'
  const cases: [string, Forging][] = [
    ['another audience', { say: () => ({ audience: 'https://other.example/' }) }],
    ["another tenant's audience", { say: () => ({ audience: other.sp.entity_id }) }],
    ['a Recipient elsewhere', { say: () => ({ recipient: elsewhere }) }],
    ['a Destination elsewhere', { envelope: () => ({ destination: elsewhere }) }],
    ['another Issuer of the assertion', { say: () => ({ issuer: 'https://other-idp.example' }) }],
    ['another Issuer of the response', { envelope: () => ({ issuer: 'https://other-idp.example' }) }],
    ['an unknown InResponseTo', { envelope: () => ({ in_response_to: '_unknown' }) }],
    ['an InResponseTo of the confirmation only', { envelope: () => ({ in_response_to: undefined }) }],
    ['no InResponseTo in the confirmation', { say: () => ({ in_response_to: undefined }) }],
    ['another InResponseTo in the confirmation', { say: () => ({ in_response_to: '_unknown' }) }],
  ]

  test.each(cases)('%s', async (_, forging) => {
    await refused(forging)
  })

  test('a provider that begins without being allowed to', async () => {
    const said = acme.said(undefined)

    expect((await post(local, encoded(around(signedAssertion(said, { key: acme.key }), said)))).status).toBe(401)
  })

  test('a request of another browser, or of none', async () => {
    const [mine, theirs] = [await acme.begin(), await acme.begin()]

    expect((await post(local, acme.answer(acme.said(mine.id)), theirs.cookie)).status).toBe(401)
    expect((await post(local, acme.answer(acme.said(mine.id)))).status).toBe(401)
  })

  test("a request of another tenant's provider", async () => {
    const { id, cookie } = await other.begin()

    expect((await post(local, acme.answer(acme.said(id)), cookie)).status).toBe(401)
  })

  test('a request that took too long', async () => {
    const { id, cookie } = await acme.begin()
    local.clock.moveTo(local.clock.now() + 11 * MINUTE)

    expect((await post(local, acme.answer(acme.said(id)), cookie)).status).toBe(401)
  })
})

describe('content', () => {
  const entity = '<!DOCTYPE x [<!ENTITY a "b">]>'
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
  const external = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
  const cases: [string, Forging, number?][] = [
    ['an address of a foreign domain', { say: () => ({ name_id: 'anna@elsewhere.example' }) }, 403],
    ["an address of another tenant's domain", { say: () => ({ name_id: `anna@${other.domain}` }) }, 403],
    ['no address at all', { say: () => ({ name_id: acme.domain }) }, 403],
    ['a comment in the name', { tamper: (xml) => xml.replace(`@${acme.domain}`, `<!-- -->@${acme.domain}`) }],
    ['a document type', { tamper: (xml) => entity + xml }],
    ['entities that grow', { tamper: (xml) => bomb + xml.replace('Anna Example', '&c;') }],
    ['an external entity', { tamper: (xml) => external + xml.replace('Anna Example', '&a;') }],
    ['an undeclared entity', { tamper: (xml) => xml.replace('Anna Example', '&a;') }],
    ['a processing instruction', { tamper: (xml) => xml.replace('<saml:Subject>', '<?x y?><saml:Subject>') }],
    ['CDATA', { tamper: (xml) => xml.replace('Anna Example', '<![CDATA[Anna Example]]>') }],
    ['an end that has passed', { say: () => ({ not_on_or_after: at(-2) }) }],
    ['a confirmation that has ended', { say: () => ({ confirmed_until: at(-2) }) }],
    ['a beginning that is still to come', { say: () => ({ not_before: at(2) }) }],
    ['a time of issue that is still to come', { say: () => ({ issued: at(2) }) }],
    ['a time of issue long ago', { say: () => ({ issued: at(-12) }) }],
    ['a session that is over', { say: () => ({ session_end: at(-1) }) }],
    [
      'a name of another format',
      { say: () => ({ format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }) },
      403,
    ],
    [
      'an encrypted assertion',
      {
        make: (said) =>
          around(
            '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"></saml:EncryptedAssertion>',
            said,
          ),
      },
    ],
    ['a status that is no success', { envelope: () => ({ status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }) }],
    ['no XML', { tamper: () => 'hello' }],
    ['two roots', { tamper: (xml) => xml + xml }],
    ['a message that is too long', { tamper: (xml) => xml + ' '.repeat(300_000) }],
  ]

  test.each(cases)('%s', async (_, forging, status) => {
    await refused(forging, status)
  })

  test('413: a body that is longer than any response may be', async () => {
    expect((await post(local, 'A'.repeat(600_000))).status).toBe(413)
  })
})
