import type { User } from './user.ts'

/** Roles given to the person and roles from their groups, without duplicates. */
export const allRoles = ({ roles, group_roles }: Pick<User, 'roles' | 'group_roles'>): string[] => [
  ...new Set([...roles, ...group_roles]),
]
