import { stateCheck } from '../check.ts'
import { population } from './kinds.ts'

export const integrations = {
  'INT-01': stateCheck(['connections'], ({ connections }) =>
    population({
      members: connections,
      who: 'connections',
      what: 'were granted no more scopes than their connector declares',
      holds: ({ granted_scopes, declared_scopes }) => granted_scopes.every((scope) => declared_scopes.includes(scope)),
    }),
  ),

  'INT-02': stateCheck(['connections'], ({ connections }) =>
    population({
      members: connections,
      who: 'connections',
      what: 'are active or have no stored credential',
      holds: ({ active, has_credential }) => active || !has_credential,
    }),
  ),
}
