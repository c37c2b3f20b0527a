import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { reserveNames } from '../../../../shared/govern/manifests/tool-name.ts'
import {
  isNameOf,
  namesOf,
  nameViolations,
  TOOL_NAME,
  type ToolName,
  toolNames,
  toolsPartition,
} from '../../../../shared/govern/manifests/tool-names.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'
import { runs } from '../../../support/runs.ts'

let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

const node = (id: string, ...actions: string[]) => ({
  id,
  name: id,
  version: '1.0.0',
  endpoints: actions.map((action_id) => ({ action_id })),
})

const owners = async () =>
  Object.fromEntries(
    (await it.ctx.table.query(toolNames, { pk: toolsPartition(it.ctx.space) })).map(({ name, node_id }: ToolName) => [
      name,
      node_id,
    ]),
  )

describe('the names of an action', () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,63}$/)

  test('are accepted by the APIs of models, and no other action of another node has the hashed ones', () => {
    fc.assert(
      fc.property(part, part, fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/), (a, b, action_id) => {
        const names = namesOf({ node_id: `x.${a}.${b}`, action_id })
        const others = namesOf({ node_id: `y.${a}.${b}`, action_id })
        expect(names.every((name) => TOOL_NAME.test(name))).toBe(true)
        expect(names.slice(-2).some((name) => others.includes(name))).toBe(false)
      }),
      runs(300),
    )
  })

  test('are what a stored row is believed for', () => {
    const row = { ...it.ctx.space, node_id: 'crm.contacts.editor', action_id: 'delete_contact' }
    expect(isNameOf({ ...row, name: 'editor_delete_contact' })).toBe(true)
    expect(isNameOf({ ...row, name: 'editor_get_contact' })).toBe(false)
  })
})

describe('reserving', () => {
  test('leaves a name with the node that took it first, whatever comes later', async () => {
    await reserveNames(it.ctx, node('crm.contacts.editor', 'get.contact'))
    await reserveNames(it.ctx, node('evil.contacts.editor', 'get.contact', 'get_contact'))
    await reserveNames(it.ctx, node('crm.contacts.editor', 'get.contact', 'list'))

    expect(await owners()).toEqual({
      editor_get_contact: 'crm.contacts.editor',
      editor_list: 'crm.contacts.editor',
      [namesOf({ node_id: 'evil.contacts.editor', action_id: 'get.contact' })[1] ?? '']: 'evil.contacts.editor',
      [namesOf({ node_id: 'evil.contacts.editor', action_id: 'get_contact' })[1] ?? '']: 'evil.contacts.editor',
    })
  })

  test('of two nodes at once gives each of them names of its own', async () => {
    await Promise.all(['a', 'b'].map((id) => reserveNames(it.ctx, node(`${id}.contacts.editor`, 'one', 'two'))))
    expect(Object.values(await owners()).toSorted()).toEqual([
      'a.contacts.editor',
      'a.contacts.editor',
      'b.contacts.editor',
      'b.contacts.editor',
    ])
  })

  test('takes as many actions as a node may have', async () => {
    await reserveNames(it.ctx, node('crm.contacts.editor', ...Array.from({ length: 200 }, (_, n) => `do_${n}`)))
    expect(Object.keys(await owners())).toHaveLength(200)
  })
})

test.each([
  ['crm.ops.countersign', 'wait', 1],
  ['crm.ops.Countersign', 'wait', 1],
  ['crm.ops.countersign-desk', 'wait', 0],
])('of %s and %s: %i violations', (id, action_id, count) => {
  expect(nameViolations(node(id, action_id))).toHaveLength(count)
})
