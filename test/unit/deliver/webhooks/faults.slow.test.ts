import { expect, test } from 'vitest'
import { account } from '../../../bench/webhook-faults.ts'

test('every delivery ends in the state that its answers give, also when calls fail on the way', async () => {
  const { expected, delivered, failed, unaccounted, untrue, faults } = await account(7, 40)

  expect(Object.keys(faults).length).toBeGreaterThan(8)
  expect({ unaccounted, untrue, ended: delivered + failed }).toEqual({ unaccounted: 0, untrue: 0, ended: expected })
  expect(failed).toBeGreaterThan(0)
})
