import { mustBeOwner } from '../access/roles.ts'
import type { Context } from '../../base/context.ts'

/** Whoever runs the identity provider can sign in as anybody of its domains, owners included. Throws 403. */
export const mustDecideOnSso = ({ principal }: Context): void =>
  mustBeOwner(principal, 'Only an owner changes single sign-on, since it lets people in as owners. Ask one to do it.')
