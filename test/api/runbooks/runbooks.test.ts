import { beforeAll, describe, expect, test } from 'vitest'
import { runbooks } from '../../../functions/runbooks/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let other: Governed
beforeAll(async () => {
  acme = await governed(local)
  other = await governed(local)
})

const post = (body: object) => acme.call(runbooks.create, { body: { name: 'r', steps: [{ title: 'Look' }], ...body } })
const named = async (of: Governed) =>
  bodyOf(await of.call(runbooks.list), 200).items.map(({ name }: { name: string }) => name)

describe('POST /api/v1/operations/runbooks', () => {
  test('201: the same name makes the next version under the same id', async () => {
    const first = bodyOf(await post({ name: 'again' }), 201)
    const second = bodyOf(await post({ name: 'again', steps: [{ title: 'Look' }, { title: 'Mend' }] }), 201)

    expect(first).toMatchObject({ runbook_version: 1, built_in: false, last_used_at: null })
    expect(second).toMatchObject({ id: first.id, runbook_version: 2 })
    const { items } = bodyOf(await acme.call(runbooks.list), 200)
    expect(items.filter(({ id }: { id: string }) => id === first.id)).toMatchObject([{ runbook_version: 2 }])
  })

  test('201: a version of a built-in runbook takes its place for this tenant alone', async () => {
    const made = bodyOf(await post({ name: 'broken-evidence-chain' }), 201)

    expect(made.runbook_version).toBe(2)
    expect((await named(acme)).filter((name: string) => name === 'broken-evidence-chain')).toHaveLength(1)
    expect(await named(other)).toEqual(['broken-evidence-chain', 'service-unavailable'])
  })

  test('of two versions made at once each has a number of its own, or is refused', async () => {
    const both = await Promise.all([post({ name: 'race' }), post({ name: 'race' })])
    const versions = both.filter(({ status }) => status === 201).map(({ body }) => body.runbook_version)

    expect(both.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect(new Set(versions).size).toBe(versions.length)
  })

  test('201: a template keeps what only JSON can say', async () => {
    const payload_template = { tiny: 1e-200, deep: JSON.parse('['.repeat(25) + ']'.repeat(25)), '': null }
    const made = bodyOf(await post({ name: 'exact', steps: [{ ...action, payload_template }] }), 201)

    expect(made.steps).toEqual([{ ...action, payload_template }])
  })

  const action = { title: 'Pause', kind: 'action', node_id: 'a.b.c', action_id: 'pause' }
  test.each([
    ['no step', { steps: [] }, 'steps'],
    ['an action without its node', { steps: [{ ...action, node_id: null }] }, 'node_id'],
    ['a node whose id has another form', { steps: [{ ...action, node_id: 'a#b' }] }, 'node_id'],
    ['a manual step that names an action', { steps: [{ ...action, kind: 'manual' }] }, 'kind'],
    [
      'a look-up that nothing fills',
      { steps: [{ ...action, payload_template: { a: '{{env.SECRET}}' } }] },
      'payload_template',
    ],
    ['a template that is too long', { steps: [{ ...action, payload_template: { a: 'x'.repeat(8_192) } }] }, '8192'],
    [
      'more look-ups than an item has room for',
      { steps: [{ ...action, payload_template: { a: '{{incident.title}}'.repeat(101) } }] },
      'look-ups',
    ],
  ])('422: %s', async (_, body, member) => {
    const refused = await post(body)

    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body.detail)).toContain(member)
  })
})
