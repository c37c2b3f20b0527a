// The picture of `shared/README.md` shows the rows and layers as they are.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { executionGraph, layersOf } from '../../../infra/docs/paths.ts'
import { pathsPicture } from '../../../infra/docs/picture.ts'
import { SURFACE } from '../../../infra/surface.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const endpoint = read('shared/edge/endpoint.ts')

test('the stored picture is up to date; otherwise run npm run docs:picture', () => {
  expect(read('shared/paths.svg')).toBe(pathsPicture(SURFACE, endpoint))
})

test('the layers are read in their order', () => {
  const [first, second, third] = ['validate', 'authenticate', 'authorize'].map((name) =>
    layersOf(endpoint).indexOf(name),
  )

  expect(layersOf(endpoint)[0]).toBe('respond')
  expect([first, second, third]).toEqual([first, second, third].toSorted((a = -1, b = -1) => a - b))
})

test('a layer without words is refused', () => {
  const source = endpoint.replace('    record(route),', '    record(route),\n    strange(route),')

  expect(() => pathsPicture(SURFACE, source)).toThrow('no words for the layer strange')
})

test('what an execution sets off ends at the signed checkpoint and at receivers of webhooks', () => {
  const { nodes, edges } = executionGraph(SURFACE)

  expect([...nodes.keys()]).toEqual(expect.arrayContaining(['worker:relay-events', 'bucket', 'machine', 'queue:mail']))
  expect(edges).toContainEqual(['queue:checkpoints', 'worker:sign-checkpoint'])
})
