import { stateCheck } from '../check.ts'
import { population } from './kinds.ts'

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
