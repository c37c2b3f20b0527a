type RolesOf = { readonly [Source in 'roles' | 'group_roles' | 'sso_roles']: readonly string[] }

/** Roles given to the person, and roles from groups of their directory and of their identity provider, without duplicates. */
export const allRoles = ({ roles, group_roles, sso_roles }: RolesOf): string[] => [
  ...new Set([...roles, ...group_roles, ...sso_roles]),
]
