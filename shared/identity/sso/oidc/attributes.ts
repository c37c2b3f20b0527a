// The person of a verified ID token, and whether this provider may sign in that person (OpenID Connect Core, section 5.1). Groups and
// names are read here for SAML, too. Pure.
import type { AttributeMap, SsoConfiguration } from '../settings/configuration.ts'
import { notAdmitted } from '../refusal.ts'
import type { Assurance } from '../account.ts'
import { canonicalMailbox, mailHost } from '../../../base/lib/mailbox.ts'
import { cleanName } from '../../../base/lib/names.ts'

export type Claims = { iss: string; sub: string } & Readonly<Record<string, unknown>>

/** RFC 8176: methods of two factors, or of possession. */
const STRONG = new Set(['mfa', 'hwk', 'swk', 'otp'])
const AMR = /^[\w-]{1,20}$/
const AMR_MAX = 8

/** At these issuers anybody can create an account with any address. Only accounts of an organisation have `hd`, its domain. */
const WITH_CONSUMERS = new Set(['https://accounts.google.com'])

/** Throws 403 for a person without a verified address, or of another organisation. */
export function personOf(claims: Claims, { attribute_map, domains, group_attribute }: SsoConfiguration): Assurance {
  const { iss, sub, email, email_verified, hd } = claims
  if (typeof email !== 'string') throw notAdmitted('The identity provider sends no e-mail address.')
  if (email_verified === false || email_verified === 'false') {
    throw notAdmitted('The identity provider has not verified the e-mail address.')
  }
  const hosted = hd !== undefined || WITH_CONSUMERS.has(iss)
  if (hosted && !(typeof hd === 'string' && domains.includes(mailHost(hd)))) {
    throw notAdmitted('The account belongs to another organisation.')
  }
  const amr = Array.isArray(claims.amr) ? claims.amr.filter((one) => typeof one === 'string' && AMR.test(one)) : []
  const texts = Object.entries(claims).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, [value]] as const] : [],
  )
  return {
    email: canonicalMailbox(email) ?? email,
    name: fullName(new Map(texts), attribute_map),
    subject: { issuer: iss, sub },
    amr: ['sso', ...amr.slice(0, AMR_MAX)],
    mfa: amr.some((one) => STRONG.has(one)),
    groups: group_attribute === undefined ? [] : groupsOf(claims[group_attribute]),
    attributes: Object.keys(claims),
  }
}

const GROUP_MAX = 256

/** The groups that a provider names. The claim is a list of texts, or one text; other values name no group. */
export const groupsOf = (claim: unknown): string[] => {
  const all: unknown[] = Array.isArray(claim) ? claim : [claim]
  return [...new Set(all.flatMap((one) => (typeof one === 'string' ? [one.trim()] : [])))].filter(
    (group) => group !== '' && group.length <= GROUP_MAX,
  )
}

/** The values of the attribute in an assertion; none when no attribute is configured. */
export const groupsIn = (attribute: string | undefined, attributes: Values): string[] =>
  attribute === undefined ? [] : groupsOf(attributes.get(attribute))

/** The values of each attribute of a provider. */
export type Values = ReadonlyMap<string, readonly string[]>

const NAME_MAX = 120
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** Common attribute names. The first one that the provider sends is used, unless the configuration names another. */
const USUAL = {
  name: [
    'displayName',
    'name',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'cn',
  ],
  given_name: ['given_name', 'givenName', 'firstName', 'first_name', `${CLAIMS}/givenname`, 'urn:oid:2.5.4.42'],
  family_name: ['family_name', 'familyName', 'lastName', 'last_name', 'sn', `${CLAIMS}/surname`, 'urn:oid:2.5.4.4'],
} as const

/** The name of a person: at most 120 characters that can be seen. Undefined when the provider sends no name. */
export function fullName(values: Values, map: AttributeMap): string | undefined {
  const find = (wanted: keyof typeof USUAL) => {
    const mapped = map[wanted]
    const names: readonly string[] = mapped === undefined ? USUAL[wanted] : [mapped]
    return names.flatMap((name) => values.get(name)?.[0] ?? [])[0]
  }
  const parts = [find('given_name'), find('family_name')].filter((part) => part !== undefined)
  const name = find('name') ?? parts.join(' ')
  return cleanName(name, NAME_MAX) || undefined
}
