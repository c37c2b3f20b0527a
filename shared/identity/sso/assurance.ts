/** Whom an identity provider has named, in the terms of neither protocol. */
export type Assurance = {
  email: string
  name: string | undefined
  /** OpenID Connect: ties the person to one account, whatever the address becomes. */
  subject?: { issuer: string; sub: string }
  /** RFC 8176. */
  amr: string[]
  mfa: boolean
  session_cap?: string | undefined
  /** SAML: what the provider will name when it signs the person out. */
  slo?: { name_id: string; session_index: string | undefined }
  /** Names of what else the provider sent, for reports. */
  attributes: string[]
}
