// The name of a person from the attributes of an identity provider.
import { cleanName } from '../../base/lib/display-name.ts'
import type { AttributeMap } from './configuration.ts'

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

/** At most 120 characters that can be seen. Undefined when the provider sends no name. */
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
