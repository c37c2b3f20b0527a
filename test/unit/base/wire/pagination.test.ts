import * as fc from 'fast-check'
import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  LIMIT_DEFAULT,
  LIMIT_MAX,
  ListQuery,
  type ListSource,
  paginate,
} from '../../../../shared/base/wire/pagination.ts'
import { entity, key, padded, spaceKey, type Stored } from '../../../../shared/base/table/entity.ts'
import { type Deployment, deploy, TABLE } from '../../edge/deployment.ts'
import { runs } from '../../../support/runs.ts'

const Note = z.object({ tenant_id: z.string(), mode: z.enum(['live', 'test']), n: z.int() })
type Note = z.output<typeof Note>

const SHARDS = 3
const groupOf = (n: number) => (n < 10 ? 'old' : 'new')
const partition = (of: { tenant_id: string; mode: string }, group: string, shard: number) =>
  spaceKey(of, 'NOTES', group, String(shard))

const notes = entity({
  name: 'NOTE',
  unbound: 'bounded',
  schema: Note,
  key: (of: Note) => ({ pk: spaceKey(of, 'NOTE', String(of.n)), sk: 'NOTE' }),
  index: (item) => ({ gsi1pk: partition(item, groupOf(item.n), item.n % SHARDS), gsi1sk: key(padded(item.n), 'x') }),
})

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

const write = async (...numbers: number[]) => {
  for (const n of numbers) await service.ctx.table.commit([notes.insert({ ...service.space, n })])
}

const source = (over: Partial<ListSource<Stored<Note>, Note>> = {}): ListSource<Stored<Note>, Note> => ({
  of: notes,
  index: 'gsi1',
  groups: ['new', 'old'].map((name) => ({
    name,
    partitions: Array.from({ length: SHARDS }, (_, shard) => partition(service.space, name, shard)),
  })),
  ...over,
})

const list = (query: Record<string, unknown>, from = source()) => paginate(service.ctx, 'notes-list', query, from)
const numbers = ({ items }: { items: Note[] }) => items.map(({ n }) => n)

async function walk(limit: number, from = source(), between: () => Promise<void> = async () => undefined) {
  const pages: Awaited<ReturnType<typeof list>>[] = []
  let cursor: string | null | undefined
  do {
    const page = await list({ limit, ...(cursor && { cursor }) }, from)
    pages.push(page)
    cursor = page.next_cursor
    await between()
  } while (cursor)
  return pages
}

const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i)

describe('the cursor style', () => {
  test('walks groups and shards in one order, each item once', async () => {
    await write(...descending(24, 0).toReversed())
    for (const limit of [1, 2, 7, 25, 200]) {
      const pages = await walk(limit)

      expect(pages.flatMap(numbers)).toEqual(descending(24, 0))
      expect(pages.map(({ has_more }) => has_more)).toEqual([...pages.slice(1).map(() => true), false])
      expect(pages.every(({ total }) => total === 25)).toBe(true)
      expect(pages.at(-1)?.next_cursor).toBeNull()
    }
  })

  test('walks upwards where a list says so', async () => {
    await write(...descending(9, 0))
    const upwards = source({ descending: false, groups: source().groups.toReversed() })

    expect((await walk(3, upwards)).flatMap(numbers)).toEqual(descending(9, 0).toReversed())
  })

  test('neither repeats nor skips when items are added while walking, and keeps its total', async () => {
    await write(...descending(20, 0))
    let next = 21
    const pages = await walk(4, source(), () => write(next++))

    expect(pages.flatMap(numbers)).toEqual(descending(20, 0))
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([21]))
  })

  test('goes on behind an item that was removed', async () => {
    await write(...descending(9, 0))
    const first = await list({ limit: 3 })
    service.table.tamper(TABLE, notes.key({ ...service.space, n: 7 }), () => undefined)

    expect(numbers(await list({ limit: 3, cursor: first.next_cursor ?? '' }))).toEqual([6, 5, 4])
  })

  test('an empty list has one empty page', async () => {
    expect(await list({})).toEqual({ items: [], total: 0, next_cursor: null, has_more: false })
  })

  test('the page size may change between pages, and the default is 50', async () => {
    await write(...descending(60, 0))
    const first = await list({})
    expect(first.items).toHaveLength(LIMIT_DEFAULT)

    expect(numbers(await list({ limit: 2, cursor: first.next_cursor ?? '' }))).toEqual([10, 9])
  })

  test('wins over an offset', async () => {
    await write(...descending(5, 0))
    const { next_cursor } = await list({ limit: 2 })

    expect(numbers(await list({ limit: 2, cursor: next_cursor ?? '', offset: 4 }))).toEqual([3, 2])
  })
})

describe('filters', () => {
  const even = () => source({ filter: ({ n }) => n % 2 === 0 })

  test('a page is filled with what matches', async () => {
    await write(...descending(24, 0))
    const pages = await walk(5, even())

    expect(pages.flatMap(numbers)).toEqual(descending(24, 0).filter((n) => n % 2 === 0))
    expect(pages[0]).toMatchObject({ total: 13, has_more: true })
    expect(pages[0]?.items).toHaveLength(5)
  })

  test('where little matches, a page comes back short rather than late, and the walk still ends with all', async () => {
    await write(...descending(40, 0))
    const rare = source({ filter: ({ n }) => n === 0 })
    const pages = await walk(1, rare)

    expect(pages.flatMap(numbers)).toEqual([0])
    expect(pages[0]).toMatchObject({ items: [], has_more: true, total: 1 })
  })

  test('any filter and any page size give the filtered list', async () => {
    await write(...descending(24, 0))
    const anyWalk = fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.integer({ min: 0, max: 24 })),
      async (limit, kept) => {
        const pages = await walk(limit, source({ filter: ({ n }) => kept.includes(n) }))
        expect(pages.flatMap(numbers)).toEqual(descending(24, 0).filter((n) => kept.includes(n)))
      },
    )
    await fc.assert(anyWalk, runs(25, 50))
  })
})

describe('the offset style', () => {
  test('gives limit and offset back, and no cursor', async () => {
    await write(...descending(9, 0))

    expect(await list({ offset: 3, limit: 4 })).toEqual({
      items: [6, 5, 4, 3].map((n) => expect.objectContaining({ n })),
      total: 10,
      limit: 4,
      offset: 3,
    })
    expect(await list({ offset: 50 })).toMatchObject({ items: [], total: 10, limit: 50, offset: 50 })
  })

  test('skips what matches, not what was read', async () => {
    await write(...descending(24, 0))

    expect(numbers(await list({ offset: 2, limit: 3 }, source({ filter: ({ n }) => n % 2 === 0 })))).toEqual([
      20, 18, 16,
    ])
  })

  test('ends at 10,000, where the cursor goes on', async () => {
    await expect(list({ offset: 10_001 })).rejects.toThrow(expect.objectContaining({ status: 400 }))
    await expect(list({ offset: 10_000 })).resolves.toMatchObject({ items: [] })
  })
})

test('bounds of the sort key are inclusive, and the wrong way round they hold nothing', async () => {
  await write(...descending(9, 0))
  const within = (from: number, to: number) => source({ from: key(padded(from), 'x'), to: key(padded(to), 'x') })

  expect((await walk(2, within(3, 6))).flatMap(numbers)).toEqual([6, 5, 4, 3])
  expect(await list({}, within(3, 6))).toMatchObject({ total: 4 })
  expect(await list({}, within(6, 3))).toMatchObject({ items: [], total: 0, has_more: false })
})

describe('the parameters', () => {
  test.each([
    ['1', 1],
    ['200', LIMIT_MAX],
    ['1000000000', LIMIT_MAX],
    ['9'.repeat(400), LIMIT_MAX],
    ['007', 7],
  ])('limit=%s is read as %d', (limit, read) => {
    expect(ListQuery.parse({ limit }).limit).toBe(read)
  })

  test.each(['0', '-1', 'x', '', '1.5', '1e9', ' 1', '+1', '0x10', '١'])('limit=%j is refused', (limit) => {
    expect(ListQuery.safeParse({ limit }).success).toBe(false)
  })

  test.each(['-1', 'x', '1.5', ''])('offset=%j is refused', (offset) => {
    expect(ListQuery.safeParse({ offset }).success).toBe(false)
  })
})
