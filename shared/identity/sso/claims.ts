// The person of a verified ID token, and whether this provider may sign in that person (OpenID Connect Core, section 5.1).
import type { SsoConfiguration } from './configuration.ts'
import { groupsOf } from './groups.ts'
import { fullName } from './person-name.ts'
import { notAdmitted } from './refusal.ts'
import type { Assurance } from './assurance.ts'

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
  if (hosted && !(typeof hd === 'string' && domains.includes(hd.toLowerCase()))) {
    throw notAdmitted('The account belongs to another organisation.')
  }
  const amr = Array.isArray(claims.amr) ? claims.amr.filter((one) => typeof one === 'string' && AMR.test(one)) : []
  const texts = Object.entries(claims).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, [value]] as const] : [],
  )
  return {
    email,
    name: fullName(new Map(texts), attribute_map),
    subject: { issuer: iss, sub },
    amr: ['sso', ...amr.slice(0, AMR_MAX)],
    mfa: amr.some((one) => STRONG.has(one)),
    groups: group_attribute === undefined ? [] : groupsOf(claims[group_attribute]),
    attributes: Object.keys(claims),
  }
}
