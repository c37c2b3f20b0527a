import { expect, test } from 'vitest'
import { logoutsFor } from '../../../../shared/identity/artefacts/logouts.ts'

const space = { tenant_id: 'ten_1', mode: 'live' } as const
const ctx = { space, id: (prefix: string) => `${prefix}_${'0'.repeat(26)}` }

const grantsTo = (client_id: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ client_id, hash: `${client_id}-${n}` }))

test('each client gets a notice of its own sessions', () => {
  const logouts = logoutsFor(ctx, 'usr_1', [...grantsTo('cli_A', 2), ...grantsTo('cli_B', 1)])

  expect(logouts).toEqual([
    { id: expect.any(String), tenant_id: 'ten_1', user_id: 'usr_1', client_id: 'cli_A', sids: ['cli_A-0', 'cli_A-1'] },
    { id: expect.any(String), tenant_id: 'ten_1', user_id: 'usr_1', client_id: 'cli_B', sids: ['cli_B-0'] },
  ])
})

test('a client that a document describes gets no notice', () => {
  expect(logoutsFor(ctx, 'usr_1', grantsTo('https://client.example/document', 1))).toEqual([])
})

test('however often a person has agreed, the commit that ends their access stays small', () => {
  const often = Array.from({ length: 100 }, (_, n) => grantsTo(`cli_${n}`, 50)).flat()
  const logouts = logoutsFor(ctx, 'usr_1', often)

  expect(logouts.every(({ sids = [] }) => sids.length === 10)).toBe(true)
  expect(logouts.flatMap(({ client_id, sids = [] }) => (client_id === 'cli_0' ? sids : []))).toHaveLength(50)
  expect(JSON.stringify(logouts).length).toBeLessThan(200_000)
})

test('a client with more sessions than are named gets one notice that all have ended', () => {
  const [told, ...others] = logoutsFor(ctx, 'usr_1', grantsTo('cli_A', 51))

  expect(told).toEqual({ id: expect.any(String), tenant_id: 'ten_1', user_id: 'usr_1', client_id: 'cli_A' })
  expect(others).toEqual([])
})
