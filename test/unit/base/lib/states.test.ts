import { describe, expect, test } from 'vitest'
import { APPROVAL_STATES } from '../../../../shared/govern/approvals/states.ts'
import { EXECUTION_STATES } from '../../../../shared/govern/executions/states.ts'
import { mustAllowMove, type States } from '../../../../shared/base/lib/states.ts'
import { DELIVERY_STATES } from '../../../../shared/deliver/webhooks/delivery.ts'
import { ENDPOINT_STATES } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'

const tables: { name: string; states: States<string>; first: string; ends: string[] }[] = [
  { name: 'approvals', states: APPROVAL_STATES, first: 'pending', ends: ['rejected', 'expired', 'cancelled'] },
  {
    name: 'executions',
    states: EXECUTION_STATES,
    first: 'submitted',
    ends: ['failed', 'undone', 'rejected', 'expired', 'cancelled'],
  },
  { name: 'webhook endpoints', states: ENDPOINT_STATES, first: 'active', ends: [] },
  { name: 'deliveries', states: DELIVERY_STATES, first: 'pending', ends: ['delivered', 'failed'] },
]

describe.each(tables)('the states of $name', ({ states, first, ends }) => {
  const all = Object.keys(states)

  test('lead to states only, and say each of them once', () => {
    for (const targets of Object.values(states)) {
      expect(all).toEqual(expect.arrayContaining([...targets]))
      expect(new Set(targets).size).toBe(targets.length)
    }
  })

  test('are all reached from the first', () => {
    const reached = new Set([first])
    for (const state of reached) for (const target of states[state] ?? []) reached.add(target)

    expect([...reached].toSorted()).toEqual(all.toSorted())
  })

  test('end where nothing follows', () => {
    expect(all.filter((state) => states[state]?.length === 0)).toEqual(ends)
  })

  test('allow a move exactly when the table holds it, else 409', () => {
    for (const from of all) {
      for (const to of all) {
        if (states[from]?.includes(to)) expect(() => mustAllowMove(states, from, to)).not.toThrow()
        else {
          const refused = expect.objectContaining({
            status: 409,
            detail: `You cannot change the status from ${from} to ${to}.`,
          })
          expect(() => mustAllowMove(states, from, to)).toThrow(refused)
        }
      }
    }
  })
})

test('no effect follows a refusal', () => {
  for (const end of ['rejected', 'expired', 'cancelled', 'undone'] as const) expect(EXECUTION_STATES[end]).toEqual([])
  for (const end of ['rejected', 'expired', 'cancelled'] as const) expect(APPROVAL_STATES[end]).toEqual([])
})

test('only what was executed can be undone, and only what waits can be approved', () => {
  const before = (state: string) =>
    Object.entries(EXECUTION_STATES).filter(([, targets]) => targets.some((to) => to === state))

  expect(before('undone').map(([from]) => from)).toEqual(['executed'])
  expect(before('approved').map(([from]) => from)).toEqual(['pending_approval'])
})
