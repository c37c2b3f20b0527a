import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { bound } from '../../../../shared/base/table/bound.ts'
import { type Deployment, deploy, SECRET_ROOT } from '../../edge/deployment.ts'

const doors = bound({
  name: 'DOOR',
  schema: z.object({
    house: z.string(),
    id: z.string(),
    lock: z.object({ pins: z.array(z.number()) }),
    knocks: z.int(),
  }),
  key: ({ house, id }: { house: string; id: string }) => ({ pk: `HOUSE#${house}`, sk: id }),
  free: ['knocks'],
})
const door = { house: 'a', id: '1', lock: { pins: [1.5, 1e9] }, knocks: 0 }

let service: Deployment
beforeEach(async () => {
  service = await deploy()
  await service.ctx.table.commit([doors.insert(door)])
})
const read = async () => (await service.ctx.table.query(doors, { pk: 'HOUSE#a' })).map(({ id }) => id)

test('an item counts as it was written, with what is free', async () => {
  const { table } = service.ctx
  await table.commit([doors.update(door, { add: { knocks: 1 } })])
  const was = await table.get(doors, door)
  expect(was).toMatchObject({ knocks: 1, _v: 2 })
  await table.commit([doors.replace({ ...door, lock: { pins: [] } }, { _v: 2 })])
  expect(await read()).toEqual(['1'])
})

test.for([
  ['changed', { lock: { pins: [] } }],
  ['given a member', { hinges: 2 }],
  ['without its mark', { _mac: undefined }],
] as const)('one that was %s does not', async ([, set]) => {
  await service.ctx.table.update(doors.key(door), '_mac' in set ? { remove: ['_mac'] } : { set })
  expect(await read()).toEqual([])
  expect(await service.ctx.table.get(doors, door)).toBeUndefined()
})

test.for([
  ['changed', { set: { knocks: 7, lock: { pins: [] } } }],
  ['without a mark', { remove: ['_mac'] }],
] as const)('one that was %s does not keep the place of another', async ([, change]) => {
  const { table } = service.ctx
  await table.update(doors.key(door), change)
  await table.commit([doors.insert(door)])
  expect(await table.get(doors, door)).toEqual({ ...door, _v: 1 })
  await expect(table.commit([doors.insert(door)])).rejects.toThrow('condition 0')
})

test('what is bound is not updated alone', () => {
  expect(() => doors.update(door, { set: { lock: { pins: [] } } })).toThrow('replace the item')
  expect(() => doors.update(door, { remove: ['lock'] })).toThrow('replace the item')
})

test('a change of the root is noticed, and the former one binds as long as it is kept', async () => {
  const root = Buffer.alloc(32, 9).toString('base64')
  service.setSecret({ root, previous_root: { value: SECRET_ROOT, until: '2020-01-01T00:00:00.000Z' } })
  await service.ctx.table.commit([doors.insert({ ...door, id: '2' })])
  expect(await read()).toEqual(['1', '2'])
  service.setSecret({ root })
  expect(await read()).toEqual(['2'])
})
