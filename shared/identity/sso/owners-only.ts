import { mustBeOwner } from '../access/roles.ts'
import type { Context } from '../../base/context.ts'

/** Throws 403 unless the caller is an owner: the identity provider can sign in as anybody of its domains, owners included. */
export const mustDecideOnSso = ({ principal }: Context): void =>
  mustBeOwner(principal, 'You cannot change single sign-on, because it can sign people in as owners. Ask an owner.')
