// The one place where a SAML library is asked: is the assertion of this response signed with one of these certificates?
// What it answers are the signed bytes; every other question is put to them afterwards.
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { notBelieved } from './refusal.ts'

export type Expected = {
  certificates: readonly string[]
  entity_id: string
  acs: string
  /** The id of our request; undefined where the provider began. */
  in_response_to: string | undefined
}

/** The assertion as it was signed. Throws 401 when it is not signed with one of the certificates. */
export async function signedAssertion(encoded: string, expected: Expected): Promise<string> {
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
    // It would ask the machine's clock; all times are compared afterwards, with ours.
    acceptedClockSkewMs: -1,
  })
  const signed = await library.validatePostResponseAsync({ SAMLResponse: encoded }).catch((error: unknown) => {
    throw notBelieved('The signature, the audience or the request of the response is not right.', error)
  })
  const xml = signed.profile?.getAssertionXml?.()
  if (xml === undefined) throw notBelieved('The response holds no assertion.')
  return xml
}

/** That the request is ours and still open was found out before; the library compares ids once more. */
const onlyKnowing = (id: string | undefined) => ({
  saveAsync: async () => null,
  getAsync: async (asked: string) => (asked === id ? FAR_AWAY : null),
  removeAsync: async () => null,
})

/** The library adds the life of a request to it. */
const FAR_AWAY = '9999-01-01T00:00:00.000Z'
