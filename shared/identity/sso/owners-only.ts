import { mustBeOwner } from '../access/roles.ts'
import type { Context } from '../../base/context.ts'

/** Throws 403 unless the caller is an owner: the identity provider can sign in as anybody of its domains, owners included. */
export const mustDecideOnSso = ({ principal }: Context): void =>
  mustBeOwner(principal, 'Only an owner changes single sign-on, since it lets people in as owners. Ask one to do it.')
