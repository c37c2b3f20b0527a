// What a list of tools costs, in a container that knows the caller but none of the manifests.
import { expect, test } from 'vitest'
import { coldStart } from '../../shared/base/lib/memory.ts'
import { governed } from '../support/governed.ts'
import { legacy } from '../support/mcp.ts'
import { useLocalStack } from '../support/use-local-stack.ts'
import { counting, measure } from './measure.ts'

const local = useLocalStack({ embedded: true, plugins: [counting] })
const NODES = ['crm.contacts.a', 'crm.contacts.b', 'crm.contacts.c', 'crm.contacts.d', 'crm.contacts.e']

test('of 500 actions, each page takes three round trips at most', async () => {
  const endpoints = Array.from({ length: 100 }, (_, n) => ({ action_id: `get_part_${n}` }))
  const it = await governed(local, endpoints, { node: { id: NODES[0] }, require_human_approver: null })
  for (const id of NODES.slice(1)) expect((await it.register(endpoints, { id })).status).toBe(201)
  coldStart()
  await legacy(it, 'ping')

  const next: { cursor?: string } = {}
  const names = new Set<string>()
  do {
    const cost = await measure(async () => {
      const { result } = (await legacy(it, 'tools/list', next)).body
      for (const { name } of result.tools) names.add(name)
      next.cursor = result.nextCursor
    })
    expect(cost.trips).toBeLessThanOrEqual(3)
  } while (next.cursor)

  expect(names.size).toBe(503) // and our own
})
