// The tests of a new operation, of its verb over a table in memory and of its endpoint over HTTP.
import type { Kind, Operation } from './operation.ts'
import { namesOf } from './templates.ts'

const given = (members: readonly string[], value: string) => members.map((one) => `${one}: '${value}'`).join(', ')

const stored = (operation: Operation) => {
  const { prefix } = namesOf(operation)
  return `id: '${prefix}_1', ${given(operation.stored, 'First')}, created_at: '2026-11-20T00:00:00.000Z'`
}

export function unitTest(operation: Operation): string {
  const { room, verb, file, type, rows, thing, one } = namesOf(operation)
  const { members } = operation
  const up = '../../../..'
  const missing = `test('is refused of a ${thing} that is not there', async () => {
    const missing = ${verb}(ctx, { id: 'missing'${operation.kind === 'change' ? `, ${given(members, 'Second')}` : ''} })

    await expect(missing).rejects.toThrow(expect.objectContaining({ kind: 'not_found' }))
  })`
  const TESTS: Record<Kind, string> = {
    create: `test('stores what is given', async () => {
    const made = await ${verb}(ctx, { ${given(members, 'First')} })

    expect(await ctx.table.get(${rows}, { ...ctx.space, id: made.id })).toMatchObject({ ${given(members, 'First')} })
  })`,
    list: `test('finds what is stored', async () => {
    const { items } = await ${verb}(ctx, 'operation', {})

    expect(items).toMatchObject([${one}])
  })`,
    show: `test('finds what is stored', async () => {
    expect(await ${verb}(ctx, { id: ${one}.id })).toMatchObject(${one})
  })

  ${missing}`,
    change: `test('stores the change', async () => {
    await ${verb}(ctx, { id: ${one}.id, ${given(members, 'Second')} })

    expect(await ctx.table.get(${rows}, ${one})).toMatchObject({ ${given(members, 'Second')} })
  })

  ${missing}`,
    remove: `test('takes it away', async () => {
    await ${verb}(ctx, { id: ${one}.id })

    expect(await ctx.table.get(${rows}, ${one})).toBeUndefined()
  })

  ${missing}`,
  }
  const seeded = operation.kind !== 'create'
  return `import { beforeEach, describe, expect, test } from 'vitest'
import { resetClients } from '${up}/shared/base/aws/clients.ts'
import { type Context, setRuntime, systemContext } from '${up}/shared/base/context.ts'
import { ${verb} } from '${up}/${room}/${operation.operation}.ts'
import { ${seeded ? `type ${type}, ` : ''}${rows} } from '${up}/${room}/${file}.ts'
import { intercept } from '../../../support/intercept.ts'
import { MemoryTable } from '../../../support/memory-table.ts'
import { stillClock } from '../../../support/still-clock.ts'

${seeded ? `const ${one}: ${type} = { tenant_id: 'ten_1', mode: 'live', ${stored(operation)} }\n` : ''}
let ctx: Context
beforeEach(async () => {
  Object.assign(process.env, {
    TABLE_NAME: 'countersign',
    AWS_REGION: 'memory',
    SECRET_ID: 'secret',
  })
  const clock = stillClock()
  const table = new MemoryTable(clock.now)
  const secret = { SecretString: JSON.stringify({ root: 'r'.repeat(44) }) }
  resetClients([
    (client, service) =>
      intercept(client, async (command) => (service === 'dynamodb' ? table.send(command) : secret)),
  ])
  setRuntime({ clock })
  ctx = systemContext({ tenant_id: 'ten_1', mode: 'live' })
  ${seeded ? `await ctx.table.commit([${rows}.insert(${one})])` : ''}
})

describe('${verb}', () => {
  ${TESTS[operation.kind]}
})
`
}

const TITLES: Record<Kind, string> = {
  create: '201: stores what is sent',
  list: '200: lists what is stored',
  show: '200: shows what is stored',
  change: '200: stores the change',
  remove: '204: takes it away',
}

export function apiTest(operation: Operation): string {
  const { rows, key, room, file, one, prefix, type, thing } = namesOf(operation)
  const { area, members, method, path, variable, kind } = operation
  const row = `${rows}.${key}`
  const send = (id: string) => {
    const params = [path.includes('{tenant_id}') && 'tenant_id: acme.tenant_id', variable && `${variable}: ${id}`]
    const named = params.filter(Boolean).join(', ')
    const parts = [
      'key: opener',
      named && `params: { ${named} }`,
      members.length > 0 && `body: { ${given(members, 'Second')} }`,
    ]
    return `local.call(${row}, { ${parts.filter(Boolean).join(', ')} })`
  }
  const answer = {
    create: `{ status: 201, body: { id: expect.stringMatching(/^${prefix}_/), ${given(members, 'Second')} } }`,
    list: `{ status: 200, body: { items: [{ id: ${one}.id }] } }`,
    show: `{ status: 200, body: { id: ${one}.id } }`,
    change: `{ status: 200, body: { id: ${one}.id, ${given(members, 'Second')} } }`,
    remove: `{ status: 204 }`,
  }[kind]
  const seeded = kind !== 'create'
  return `import { beforeEach, describe, expect, test } from 'vitest'
import { ${rows} } from '../../../functions/${area}/routes.ts'
${
  seeded
    ? `import { openTable } from '../../../shared/base/context.ts'
import { type ${type}, ${rows} as stored } from '../../../${room}/${file}.ts'
`
    : ''
}import type { TestTenant } from '../../support/local-stack.ts'
import { openerOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let opener: string
${seeded ? `let ${one}: ${type}\n` : ''}beforeEach(async () => {
  acme = await local.tenant()
  opener = await openerOf(local, acme, ${row})
${
  seeded
    ? `  ${one} = { tenant_id: acme.tenant_id, mode: 'live', ${stored(operation)} }
  await openTable().commit([stored.insert(${one})])
`
    : ''
}})

describe('${method} ${path}', () => {
  test('${TITLES[kind]}', async () => {
    expect(await ${send(`${one}.id`)}).toMatchObject(${answer})
  })
${
  variable
    ? `
  test('404: a ${thing} of another tenant is like none', async () => {
    const other = await local.tenant()
    await openTable().commit([stored.insert({ ...${one}, tenant_id: other.tenant_id, id: '${prefix}_2' })])

    expect(await ${send(`'${prefix}_2'`)}).toMatchObject({ status: 404, body: { detail: '${thing} not found' } })
  })
`
    : ''
}})
`
}
