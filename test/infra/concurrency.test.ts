import { describe, expect, test } from 'vitest'
import { reservations } from '../../infra/concurrency.ts'
import { functionName } from '../../infra/platform.ts'
import { SURFACE } from '../../infra/surface.ts'
import { SLICE, synthesise } from './support/assembly.ts'
import { asText } from './support/resolve.ts'

const rows = [...SURFACE.routes, ...SURFACE.workers]
const sum = (of: Map<string, number>) => [...of.values()].reduce((a, b) => a + b, 0)

describe('containers of functions that wait for others', () => {
  test('are not set aside by default, since a fresh account has none to spare', () => {
    expect(reservations(rows, undefined)).toEqual(new Map())
  })

  test.each([240, 1_000, 10_000])(
    'of an account of %i leave AWS its hundred and half of the rest to everybody',
    (quota) => {
      const reserved = reservations(rows, quota)

      expect(sum(reserved)).toBeLessThanOrEqual((quota - 100) / 2)
      expect(Math.min(...reserved.values())).toBeGreaterThanOrEqual(1)
    },
  )

  test('are bounded where nothing else bounds them: calls of targets and of identity providers, streams, retries', () => {
    const ids = [...reservations(rows, 1_000).keys()]

    expect(ids).toEqual(
      expect.arrayContaining([
        'protocol-execute',
        'approvals-approve',
        'events-stream',
        'sso-test',
        'workers-retry-webhook',
      ]),
    )
    expect(ids).not.toContain('workers-fan-out-webhook') // its queue starts fifty at most
    expect(ids).not.toContain('protocol-get-manifest')
  })

  test('an account that is too small is told so', () => {
    expect(() => reservations(rows, 120)).toThrow(/^context accountConcurrency must be at least \d+$/)
  })

  test('are what the template reserves', () => {
    const [slice, assembly] = [[...SLICE.routes, ...SLICE.workers], synthesise(SLICE, { accountConcurrency: 1_000 })]
    const found = assembly
      .all('AWS::Lambda::Function')
      .filter(({ properties }) => properties.ReservedConcurrentExecutions !== undefined)
      .map(({ properties }) => [asText(properties.FunctionName), properties.ReservedConcurrentExecutions])
    const wanted = slice.flatMap((row) => {
      const reserved = reservations(slice, 1_000).get(row.id)
      return reserved === undefined ? [] : [[functionName('countersign', row), reserved]]
    })

    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
  })
})
