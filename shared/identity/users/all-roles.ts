import type { User } from './user.ts'

/** Roles that were given and those that follow from groups, each once. */
export const allRoles = ({ roles, group_roles }: Pick<User, 'roles' | 'group_roles'>): string[] => [
  ...new Set([...roles, ...group_roles]),
]
