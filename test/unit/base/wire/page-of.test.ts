import { beforeEach, describe, expect, test } from 'vitest'
import { pageOf } from '../../../../shared/base/wire/page-of.ts'
import type { ListQuery } from '../../../../shared/base/wire/pagination.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

const named = (...names: string[]) => names.map((name) => ({ name }))
const five = named('owner', 'member', 'a', 'b', 'c') // in no order of their own
const list = (query: ListQuery, items = five) => pageOf(service.ctx, 'roles-list', query, items, ({ name }) => name)

/** All names, page by page; the list is another one after each page. */
async function walk(limit: number, lists: { name: string }[][]): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null | undefined
  for (const items of lists) {
    if (cursor === null) break
    const page = await list({ limit, ...(cursor && { cursor }) }, items)
    names.push(...page.items.map(({ name }) => name))
    cursor = page.next_cursor ?? null
  }
  return names
}

describe('a short list', () => {
  test('is the same page by page', async () => {
    for (const limit of [1, 2, 3, 5, 9]) {
      expect(
        await walk(
          limit,
          Array.from({ length: 6 }, () => five),
        ),
      ).toEqual(five.map(({ name }) => name))
    }
  })

  test('has both envelopes', async () => {
    expect(await list({ limit: 2 })).toMatchObject({ total: 5, has_more: true, next_cursor: expect.any(String) })
    expect(await list({ limit: 5 })).toMatchObject({ total: 5, has_more: false, next_cursor: null })
    expect(await list({ limit: 2, offset: 4 })).toEqual({ items: named('c'), total: 5, limit: 2, offset: 4 })
    expect(await list({}, [])).toEqual({ items: [], total: 0, has_more: false, next_cursor: null })
  })

  test('goes on with the next item, wherever it stands by now', async () => {
    expect(await walk(2, [five, named('new', ...five.map(({ name }) => name)), five])).toEqual(
      five.map(({ name }) => name),
    )
  })

  test('goes on where it was when the last item shown is gone, and does not begin again', async () => {
    const without = five.filter(({ name }) => name !== 'member')

    expect(await walk(2, [five, without, without])).toEqual(['owner', 'member', 'a', 'b', 'c'])
  })

  test('leaves nothing out when all that was shown is gone', async () => {
    expect(await walk(2, [five, five.slice(2), five.slice(4)])).toEqual(five.map(({ name }) => name))
  })

  test('goes on where it was when the next item is gone', async () => {
    const without = five.filter(({ name }) => name !== 'a')

    expect(await walk(2, [five, without, without])).toEqual(['owner', 'member', 'b', 'c'])
  })

  test('ends when what was left of it is gone', async () => {
    expect(await walk(4, [five, named('owner'), five])).toEqual(['owner', 'member', 'a', 'b'])
  })

  test('keeps the total of its first page', async () => {
    const cursor = (await list({ limit: 2 })).next_cursor ?? ''

    expect(await list({ limit: 2, cursor }, five.slice(0, 4))).toMatchObject({ total: 5, has_more: false })
  })
})
