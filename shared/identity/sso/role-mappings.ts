// Checks which roles a configuration gives by group, before it is stored.
import { invalid } from '../../base/lib/failure.ts'
import type { SsoFields } from './fields.ts'

/** Throws 422 for the role owner, for a group that is listed twice, and for groups without the attribute that names them. */
export function mustMapSoundly({
  default_roles,
  group_attribute,
  role_mappings,
  roles_authoritative,
}: SsoFields): void {
  const owner = 'Single sign-on cannot give the role owner. Leave it out.'
  if (default_roles.includes('owner')) throw invalid(['default_roles'], owner)
  const groups = new Set<string>()
  for (const [index, { group, role_ids }] of role_mappings.entries()) {
    if (role_ids.includes('owner')) throw invalid(['role_mappings', index, 'role_ids'], owner)
    if (groups.has(group))
      throw invalid(['role_mappings', index, 'group'], 'This group is listed before. Put all its roles in one entry.')
    groups.add(group)
  }
  if (group_attribute === undefined && (role_mappings.length > 0 || roles_authoritative))
    throw invalid(
      ['group_attribute'],
      'Roles by group need the name of the attribute or claim in which the provider names the groups. Add it.',
      'missing',
    )
}
