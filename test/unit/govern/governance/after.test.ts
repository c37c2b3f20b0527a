import { expect, test } from 'vitest'
import { isViolation } from '../../../../shared/govern/executions/measures.ts'
import { decided, policyOf } from './make.ts'

const stop = policyOf({ effect: 'forbid', after: { kinds: ['read'], within: '10m', per: 'agent' } })
const outcomeOf = (followed?: ReadonlyMap<string, boolean>) => decided({ policies: [stop], followed })

test('a policy with after acts on a mark, and where nobody knows of one', () => {
  expect(outcomeOf(new Map([[stop.policy_id, false]])).outcome).toBe('run')
  expect(outcomeOf(new Map([[stop.policy_id, true]])).outcome).toBe('reject')
  expect(outcomeOf().outcome).toBe('reject')
})

test('a rejection by it alone is no misconduct', () => {
  const alone = outcomeOf().rejection
  const both = decided({ policies: [stop, policyOf({ effect: 'forbid', priority: 0 })] }).rejection

  expect(alone && isViolation(alone)).toBe(false)
  expect(both && isViolation(both)).toBe(true)
})
