import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { bound } from '../../../../shared/base/table/bound.ts'
import { toAttributes } from '../../../../shared/base/table/entity.ts'
import { type Deployment, deploy, SECRET_ROOT, TABLE } from '../../edge/deployment.ts'

const definition = {
  name: 'DOOR',
  schema: z.object({
    house: z.string(),
    id: z.string(),
    lock: z.object({ pins: z.array(z.number()) }),
    knocks: z.int(),
  }),
  key: ({ house, id }: { house: string; id: string }) => ({ pk: `HOUSE#${house}`, sk: id }),
  free: ['knocks'],
} as const
const doors = bound(definition)
/** The same kind in a later release, which stores a door in another form. */
const laterDoors = bound({
  ...definition,
  schema: definition.schema.extend({ colour: z.string() }),
  version: { writes: 2, from: { 1: (door) => ({ ...door, colour: 'red' }) } },
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

/** As releases before versions stored it, under the secret of these tests. */
const BEFORE_VERSIONS = {
  ...toAttributes({ ...door, pk: 'HOUSE#a', sk: '1', _type: 'DOOR', _v: 1 }),
  _mac: { B: Buffer.from('aCwo6PL5gCkIegSCi50RfLeqN4bPV+oFXSmFIfuhANA=', 'base64') },
}
const stored = (id = '1') =>
  service.table.items(TABLE).find(({ pk, sk }) => pk?.S === 'HOUSE#a' && sk?.S === id) ?? expect.fail('no door')

test('an item of the first version is stored byte for byte as before there were versions, and still counts', async () => {
  expect({ ...stored(), _mac: { B: Buffer.from(stored()._mac?.B ?? []) } }).toEqual(BEFORE_VERSIONS)
  expect(await doors.binding.holds(BEFORE_VERSIONS)).toBe(true)
})

test('a later release reads an item of the first version in its own form and leaves its revision', async () => {
  expect(await service.ctx.table.get(laterDoors, door)).toEqual({ ...door, colour: 'red', _v: 1 })
})

test('the version is bound: an item that was given another one does not count', async () => {
  const { table } = service.ctx
  await table.commit([laterDoors.insert({ ...door, id: '2', colour: 'blue' })])
  expect(stored('2')._s).toEqual({ N: '2' })
  expect(await table.get(laterDoors, { ...door, id: '2' })).toMatchObject({ colour: 'blue' })

  await table.update(doors.key({ ...door, id: '2' }), { remove: ['_s'] })
  await table.update(doors.key(door), { set: { _s: 2 } })
  expect(await table.query(laterDoors, { pk: 'HOUSE#a' })).toEqual([])
})

test('503: an item of a newer release is not read in the form of an older one', async () => {
  const { table } = service.ctx
  await table.commit([laterDoors.replace({ ...door, colour: 'blue' }, { _v: 1 })])

  await expect(table.get(doors, door)).rejects.toMatchObject({ status: 503 })
})
