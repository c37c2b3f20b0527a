// Checks of actions, policies and approvals, of connections to third parties, and of deployed models.
import { stateCheck } from '../check.ts'
import { days, isWithin, population } from './kinds.ts'

export const governance = {
  'GOV-03': stateCheck(['actions'], ({ actions }) =>
    population({
      members: actions,
      who: 'actions of registered nodes',
      what: 'are of a known kind or named by a policy in force',
      holds: ({ recognised, governed }) => recognised || governed,
    }),
  ),

  'GOV-04': stateCheck(['policies'], ({ policies }, { now }) =>
    population({
      members: policies,
      who: 'enabled policies',
      what: 'were saved within 365 days',
      holds: ({ updated_at }) => isWithin(updated_at, days(365), now),
    }),
  ),

  'GOV-06': stateCheck(['nodes'], ({ nodes }) =>
    population({
      members: nodes,
      who: 'registered nodes',
      what: 'name an active user or a group as their owner',
      holds: ({ has_owner }) => has_owner,
    }),
  ),

  'GOV-07': stateCheck(['sla_approvals'], ({ sla_approvals }) =>
    population({
      members: sla_approvals,
      who: 'approvals decided or expired in the window',
      what: 'met their SLA',
      holds: ({ met }) => met,
      percent: 95,
    }),
  ),
}

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

export const models = {
  'AI-01': stateCheck(['models'], ({ models: deployed }) =>
    population({
      members: deployed,
      who: 'deployed versions of models',
      what: 'are approved and have a version to return to, unless they are the first',
      holds: ({ approved, can_return }) => approved && can_return,
    }),
  ),

  'AI-02': stateCheck(['models'], ({ models: deployed }) =>
    population({
      members: deployed,
      who: 'deployed versions of models',
      what: 'have held-out metrics and name their dataset and its hash',
      holds: ({ measured }) => measured,
    }),
  ),
}
