// Verifies the signature of a SAML response with a library and returns the signed bytes. Everything else is checked
// afterwards, in these bytes only.
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { X509Certificate } from 'node:crypto'
import { type InvalidMessage, invalidMessage, seen } from '../refusal.ts'
import type { Unverified } from './response.ts'

export type Expected = {
  certificates: readonly string[]
  entity_id: string
  acs: string
  /** The id of the request; undefined when the provider began. */
  in_response_to: string | undefined
}

/** The signed assertion as XML. Throws 401 when none of the certificates signed it. */
export async function signedAssertion(found: Unverified, expected: Expected): Promise<string> {
  const { certificates, entity_id, acs, in_response_to } = expected
  const library = new SAML({
    idpCert: [...certificates],
    issuer: entity_id,
    audience: entity_id,
    callbackUrl: acs,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    validateInResponseTo: in_response_to === undefined ? ValidateInResponseTo.ifPresent : ValidateInResponseTo.always,
    cacheProvider: onlyKnowing(in_response_to),
    // Switches the library's checks of time off, since it uses the system clock. `assertion.ts` checks all times.
    acceptedClockSkewMs: -1,
  })
  const signed = await library.validatePostResponseAsync({ SAMLResponse: found.encoded }).catch((error: unknown) => {
    throw refusalOf(error, found, expected)
  })
  const xml = signed.profile?.getAssertionXml?.()
  if (xml === undefined) throw invalidMessage('message', 'The response holds no assertion.')
  return xml
}

/** The request was found and checked before. The library only compares its id again. */
const onlyKnowing = (id: string | undefined) => ({
  saveAsync: async () => null,
  getAsync: async (requested: string) => (requested === id ? FAR_AWAY : null),
  removeAsync: async () => null,
})

/** The time of the request for the library, far enough in the future to never expire. */
const FAR_AWAY = '9999-01-01T00:00:00.000Z'

/** The library names its cause only in the text of its errors. An error without a known text concerns the signature. */
function refusalOf(error: unknown, { audience, fingerprints }: Unverified, expected: Expected): InvalidMessage {
  const text = error instanceof Error ? error.message : ''
  if (/audience/i.test(text))
    return invalidMessage('audience', `The audience is ${seen(audience)} and not ${expected.entity_id}.`, error)
  if (/InResponseTo/.test(text))
    return invalidMessage('request', 'The response or its assertion answers another request.', error)
  const known = expected.certificates.map((pem) => new X509Certificate(pem).fingerprint256)
  const [shown] = fingerprints
  if (shown === undefined || fingerprints.some((one) => known.includes(one)))
    return invalidMessage('signature', 'No configured certificate verifies a signature of the assertion.', error)
  const why = `The provider signs with the certificate ${shown}, which is not configured. Configured: ${known.join(', ')}.`
  return invalidMessage('certificate', why, error)
}
