// The files of a new operation: entity, verb, handler and tests. What they hold works as it stands, and is there to be changed.
import { camel, type Kind, type Operation, pascal, singular, words } from './operation.ts'

/** The names that follow from those of the area and the operation. */
export function namesOf({ area, operation, kind, layer }: Operation) {
  const thing = singular(area)
  return {
    rows: camel(area),
    key: camel(operation),
    thing: words(thing),
    file: thing,
    type: pascal(thing),
    one: camel(thing),
    verb: camel(operation) + pascal(kind === 'list' ? area : thing),
    prefix: thing.replaceAll('-', '').slice(0, 3),
    stored: thing.replaceAll('-', '_').toUpperCase(),
    room: `shared/${layer}/${area}`,
  }
}

const all = (lines: readonly string[]) => lines.join('\n')
const described = (members: readonly string[], value: string) =>
  members.map((name) => `${name}: ${value}.describe('Its ${name.replaceAll('_', ' ')}.')`).join(', ')
const picked = (type: string, members: readonly string[]) =>
  `Pick<${type}, ${members.map((name) => `'${name}'`).join(' | ')}>`

export function entityFile(operation: Operation): string {
  const { rows, type, stored, thing } = namesOf(operation)
  return `import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { bound } from '../../base/table/bound.ts'
import { key, spaceKey } from '../../base/table/entity.ts'

export const ${type} = z.object({
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  id: z.string().describe('The id, which never changes.'),
  ${described(operation.stored, 'z.string()')},
  created_at: z.string().describe('When it was created.'),
})
export type ${type} = z.output<typeof ${type}>

export const ${type}View = ${type}.omit({ tenant_id: true, mode: true })

/** Holds every ${thing} of a tenant in one mode. */
export const ${rows}Partition = (space: Space): string => spaceKey(space, '${stored}')

export const ${rows} = bound({
  name: '${stored}',
  schema: ${type},
  key: ({ id, ...space }: Space & { id: string }) => ({ pk: ${rows}Partition(space), sk: key('${stored}', id) }),
})
`
}

const VERBS: Record<Kind, (operation: Operation) => string> = {
  create(operation) {
    const { verb, type, one, rows, prefix, file } = namesOf(operation)
    return `import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type ${type}, ${rows} } from './${file}.ts'

export async function ${verb}(ctx: Context, input: ${picked(type, operation.members)}): Promise<${type}> {
  const ${one} = { ...ctx.space, id: ctx.id('${prefix}'), ...input, created_at: iso(ctx.now()) }
  await ctx.table.commit([${rows}.insert(${one})], ${one}.id)
  return ${one}
}
`
  },
  show(operation) {
    const { verb, type, one, rows, thing, file } = namesOf(operation)
    return `import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { type ${type}, ${rows} } from './${file}.ts'

/** Throws 404 for an id that no ${thing} has. */
export async function ${verb}(ctx: Context, { id }: { id: string }): Promise<${type}> {
  const ${one} = await ctx.table.get(${rows}, { ...ctx.space, id })
  if (!${one}) throw notFound('${thing}')
  return ${one}
}
`
  },
  list(operation) {
    const { verb, rows, file } = namesOf(operation)
    return `import type { Context } from '../../base/context.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { ${rows}, ${rows}Partition } from './${file}.ts'

/** Newest first. */
export const ${verb} = (ctx: Context, operation: string, query: ListQuery) =>
  paginate(ctx, operation, query, {
    of: ${rows},
    groups: [{ name: '${rows}', partitions: [${rows}Partition(ctx.space)] }],
  })
`
  },
  change(operation) {
    const { verb, type, one, rows, thing, file } = namesOf(operation)
    const picks = picked(type, operation.members)
    return `import type { Context } from '../../base/context.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { type ${type}, ${rows} } from './${file}.ts'

type Change = { id: string } & ${operation.method === 'PATCH' ? `Partial<${picks}>` : picks}

/** Throws 404 for an id that no ${thing} has, 409 when somebody else changed it meanwhile. */
export async function ${verb}(ctx: Context, { id, ...change }: Change): Promise<${type}> {
  const was = await ctx.table.get(${rows}, { ...ctx.space, id })
  if (!was) throw notFound('${thing}')
  const { _v, ...before } = was
  const ${one} = { ...before, ...change }
  const changed = conflict('The ${thing} was changed meanwhile. Read it again, then repeat your change.')
  await ctx.table.commit([${rows}.replace(${one}, { _v }, changed)], id)
  return ${one}
}
`
  },
  remove(operation) {
    const { verb, rows, thing, file } = namesOf(operation)
    return `import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { ${rows} } from './${file}.ts'

/** Throws 404 for an id that no ${thing} has. */
export async function ${verb}(ctx: Context, { id }: { id: string }): Promise<void> {
  const exists = { expression: 'attribute_exists(pk)' }
  await ctx.table.commit([${rows}.remove({ ...ctx.space, id }, exists, notFound('${thing}'))])
}
`
  },
}

export const verbFile = (operation: Operation): string => VERBS[operation.kind](operation)

export function handlerFile(operation: Operation): string {
  const { rows, key, type, verb, room, file, one } = namesOf(operation)
  const { kind, variable, method, members, path } = operation
  const member = method === 'PATCH' ? 'plainText(200).optional()' : 'plainText(200)'
  const body = members.length > 0 ? `\n  body: z.strictObject({ ${described(members, member)} }),\n  ` : ' '
  const row = `${rows}.${key}`
  const id = `id: params.${variable}`
  const location = `${path.replace('{tenant_id}', '${ctx.space.tenant_id}')}/\${${one}.id}`
  const RUN: Record<Kind, string> = {
    create: `async ({ body, ctx }) => {
  const ${one} = await ${verb}(ctx, body)
  return httpResponse(201, ${one}, { Location: \`${location}\` })
})`,
    list: `({ query, ctx }) => ${verb}(ctx, ${row}.id, query))`,
    show: `({ params, ctx }) => ${verb}(ctx, { ${id} }))`,
    change: `({ params, body, ctx }) => ${verb}(ctx, { ${id}, ...body }))`,
    remove: `async ({ params, ctx }) => {
  await ${verb}(ctx, { ${id} })
  return undefined
})`,
  }
  const response = { list: `listView(${type}View)`, remove: 'z.undefined()' }[kind as string] ?? `${type}View`
  return all([
    ...(body !== ' ' || kind === 'remove' ? [`import * as z from 'zod'`] : []),
    ...(kind === 'create' ? [`import { httpResponse } from '../../shared/base/wire/call.ts'`] : []),
    ...(body === ' ' ? [] : [`import { plainText } from '../../shared/base/wire/fields.ts'`]),
    ...(kind === 'list' ? [`import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'`] : []),
    `import { endpoint } from '../../shared/edge/endpoint.ts'`,
    `import { ${verb} } from '../../${room}/${operation.operation}.ts'`,
    ...(kind === 'remove' ? [] : [`import { ${type}View } from '../../${room}/${file}.ts'`]),
    `import { ${rows} } from './routes.ts'`,
    '',
    `export const shapes = {${kind === 'list' ? ' query: ListQuery,' : ''}${body}response: ${response} }`,
    '',
    `export const handler = endpoint(${row}, shapes, ${RUN[kind]}`,
    '',
  ])
}
