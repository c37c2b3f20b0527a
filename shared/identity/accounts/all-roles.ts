import type { ProofDue } from './proof.ts'

type RolesOf = { readonly [Source in 'roles' | 'group_roles' | 'sso_roles']: readonly string[] }

/** Roles given to the person, and roles from groups of their directory and of their identity provider, without duplicates. */
export const rolesGiven = ({ roles, group_roles, sso_roles }: RolesOf): string[] => [
  ...new Set([...roles, ...group_roles, ...sso_roles]),
]

/** Those in force: while a proof is due, a person is a member at most. */
export const allRoles = (of: RolesOf & { readonly proof_due?: ProofDue | undefined }): string[] =>
  rolesGiven(of).filter((role) => of.proof_due === undefined || role === 'member')
