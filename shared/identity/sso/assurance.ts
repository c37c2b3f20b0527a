/** The statement of an identity provider about a person, independent of the protocol. */
export type Assurance = {
  email: string
  name: string | undefined
  /** OpenID Connect: ties the person to one account, even when the address changes. */
  subject?: { issuer: string; sub: string }
  /** RFC 8176. */
  amr: string[]
  mfa: boolean
  session_cap?: string | undefined
  /** SAML: how the provider will name the sign-in when it signs the person out. */
  slo?: { name_id: string; session_index: string | undefined }
  /** The values of the configured `group_attribute`. */
  groups: readonly string[]
  /** The names of all attributes that the provider sent, for reports. */
  attributes: string[]
}
