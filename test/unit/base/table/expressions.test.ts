// Every expression that the code can build is one that DynamoDB documents.
import * as fc from 'fast-check'
import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { openTable } from '../../../../shared/base/context.ts'
import { takeOne } from '../../../../shared/base/limits/window.ts'
import { type Condition, entity, updateExpression } from '../../../../shared/base/table/entity.ts'
import { parse, readSources, type Source } from '../../../architecture/support/source.ts'
import { Grammar } from '../../../support/expression-grammar.ts'
import { checkExpressions, takeRefused } from '../../../support/strict-expressions.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

const boxes = entity({
  name: 'BOX',
  unbound: 'bounded',
  schema: z.object({ id: z.string(), status: z.string().optional() }),
  key: ({ id }: { id: string }) => ({ pk: `BOX#${id}`, sk: 'BOX' }),
})

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

describe('the builders', () => {
  const condition: Condition = {
    expression: '#status = :was AND attribute_exists(pk)',
    names: { '#status': 'status' },
    values: { ':was': 'open' },
  }

  test('of an item’s writes', () => {
    const box = { id: 'b', status: 'open' }
    const writes = [
      boxes.insert(box),
      boxes.replace(box, { _v: 1 }),
      boxes.update(box, { set: { status: 'x', value: undefined }, remove: ['values'], add: { count: 1 }, condition }),
      boxes.update(box, {}),
      boxes.check(box, condition),
      boxes.remove(box),
      boxes.remove(box, condition),
    ]

    for (const { item } of writes) checkExpressions({ name: 'TransactWriteItems', input: { TransactItems: [item] } })
  })

  test('of updates, whatever they set, remove and add', () => {
    const name = fc.stringMatching(/^[a-z_]{1,6}$/).filter((one) => one !== 'pk' && one !== 'sk')
    const parts = fc.uniqueArray(name, { minLength: 3, maxLength: 12 })
    fc.assert(
      fc.property(parts, fc.nat(11), fc.nat(11), (all, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const set = Object.fromEntries(all.slice(0, from).map((one) => [one, 'x']))
        const add = Object.fromEntries(all.slice(to).map((one) => [one, 1]))
        const change = { set, remove: all.slice(from, to), add }
        checkExpressions({ name: 'Update', input: updateExpression(change) })
      }),
    )
  })

  test('of ranges, on the table and on each index', async () => {
    const text = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined })
    const index = fc.option(fc.constantFrom('gsi1' as const, 'gsi2' as const, 'gsi3' as const, 'gsi4' as const), {
      nil: undefined,
    })
    const bounds = { after: text, from: text, to: text, prefix: text, descending: fc.boolean(), index }
    const range = fc.record(bounds).map(({ prefix, index: of, ...rest }) => ({
      pk: 'LIST',
      ...rest,
      ...(prefix !== undefined && { prefix }),
      ...(of && { index: of }),
    }))
    await fc.assert(
      fc.asyncProperty(range, async (of) => {
        await service.ctx.table.query(boxes, of)
        await service.ctx.table.keys(of)
        await service.ctx.table.count(of)
      }),
    )
  })

  test('of a rate window, on a day with room and on one without', async () => {
    const figures = { perMinute: 9, perSecond: 9, perDay: 1 }
    await takeOne(openTable(), 'T#ten_1#live#RL', figures)
    service.clock.moveTo(service.clock.now() + 60_000)

    expect(await takeOne(openTable(), 'T#ten_1#live#RL', figures)).toHaveProperty('retryAfterSeconds')
    expect(takeRefused()).toEqual([])
  })
})

describe('the sources', () => {
  const CLAUSE = /^(SET|REMOVE|ADD|DELETE) [#\w]/
  const CONDITION =
    /\b(attribute_(not_)?exists|begins_with|contains|attribute_type)\(|[#:]\w+ (=|<>|<=?|>=?|IN|BETWEEN) [#:(\w]|(=|<>|<=?|>=?) :\w/

  /** Literals that look like expressions, those with something to fill in apart. */
  function literals({ nodes, path }: Source): { text: string; at: string }[] {
    return nodes.flatMap((node) => {
      const at = `${path}:${node.start}`
      if (node.type === 'Literal' && typeof node.value === 'string') return [{ text: node.value, at }]
      if (node.type !== 'TemplateLiteral' || (node.expressions as unknown[]).length > 0) return []
      return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => ({ text: value.cooked, at }))
    })
  }
  const expressions = (source: Source) =>
    literals(source).filter(({ text }) => CLAUSE.test(text) || CONDITION.test(text))

  function problem({ text, at }: { text: string; at: string }): string | undefined {
    try {
      // A part that only ever follows another condition.
      const grammar = new Grammar(text.startsWith(' AND ') ? `pk = :pk${text}` : text, {})
      if (CLAUSE.test(text)) grammar.update()
      else if (/^#?\w*pk = :pk/.test(text)) grammar.keyCondition({ pk: 'pk', sk: 'sk' })
      else grammar.condition()
      return undefined
    } catch (error) {
      return `${at} ${text}: ${String(error)}`
    }
  }

  test('hold no literal that DynamoDB does not document', () => {
    const found = readSources()
      .filter(({ path }) => path.startsWith('shared/') || path.startsWith('functions/'))
      .flatMap(expressions)

    expect(found.length).toBeGreaterThan(50)
    expect(found.map(problem).filter((one) => one !== undefined)).toEqual([])
  })

  test.each([':carry <= :max', 'status = :was', '#a = :x OR (#b = :x AND #c = :x)', 'SET #a = :x, #a = :y'])(
    'are refused for %s',
    (text) => {
      const [found] = expressions(parse('shared/a.ts', `export const a = flag ? '${text}' : ''`))
      expect(found && problem(found)).toContain(text)
    },
  )
})
