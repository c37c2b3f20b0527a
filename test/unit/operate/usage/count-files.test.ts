import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { FILE_KINDS } from '../../../../shared/base/aws/files.ts'
import { systemContext } from '../../../../shared/base/context.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { Tenant, tenants } from '../../../../shared/base/tenant/tenant.ts'
import { countFiles } from '../../../../shared/operate/usage/count-files.ts'
import { fileSums, readUsage } from '../../../../shared/operate/usage/read-usage.ts'
import { SPACE, type World, world } from '../../ledger/evidence/world.ts'

let it: World
beforeEach(async () => {
  it = world()
  process.env['FILES_BUCKET'] = 'files'
  const created_at = iso(it.clock.now())
  const acme = { id: SPACE.tenant_id, name: 'Acme', plan: 'free', status: 'active', created_at }
  await it.ctx.table.commit([tenants.insert(Tenant.parse(acme))])
})

const put = (name: string, bytes: number, of = `${SPACE.tenant_id}/live`) =>
  it.s3.objects.set(name.replace('/', `/${of}/`), 'x'.repeat(bytes))
const sums = () => it.ctx.table.get(fileSums, SPACE)

describe('files', () => {
  test('of every kind are counted, of this tenant and mode only', async () => {
    for (const kind of FILE_KINDS) put(`${kind}/a`, 10)
    put('datasets/b', 1_000, `${SPACE.tenant_id}/test`)
    put('datasets/c', 1_000, 'ten_01J9Z3K4M5N6P7Q8R9S0T1V2W4/live')
    await countFiles(it.ctx)
    expect(await sums()).toMatchObject({ bytes: 10 * FILE_KINDS.length })
    const sandbox = systemContext({ ...SPACE, mode: 'test' })
    await countFiles(sandbox)
    expect((await readUsage(sandbox)).storage).toMatchObject({ used: 1_000, in_files: 1_000 })
  })

  test('count as stored bytes, and no longer once they are gone', async () => {
    put('exports/a.zip', 70)
    expect((await readUsage(it.ctx)).storage).toMatchObject({ used: 0, in_files: 0, files_counted_at: null })
    await countFiles(it.ctx)
    expect((await readUsage(it.ctx)).storage).toMatchObject({ used: 70, in_files: 70 })
    it.s3.objects.clear()
    await countFiles(it.ctx)
    expect((await readUsage(it.ctx)).storage).toMatchObject({ used: 0, in_files: 0 })
  })

  test('of many pages are counted once, also by a worker that goes on after another has died', async () => {
    for (let n = 0; n < 101_500; n += 1) put(`datasets/${String(n).padStart(6, '0')}`, 1)
    put('submitted/a', 5)
    let pages = 0
    const list = it.s3.onList
    it.s3.onList = () => {
      pages += 1
      if (pages === 102) throw new Error('the process dies')
    }
    await expect(countFiles(it.ctx)).rejects.toThrow('dies')
    it.s3.onList = list
    expect(await sums()).toMatchObject({ bytes: 0, at: { kind: 1, bytes: 99_000 } })
    await countFiles(it.ctx)
    expect(await sums()).toMatchObject({ bytes: 101_505 })
  })

  test('whose count was interrupted a day ago are counted from the beginning', async () => {
    const at = { kind: 1, bytes: 99, began_at: iso(it.clock.now()) }
    await it.ctx.table.commit([fileSums.insert({ ...SPACE, bytes: 7, at })])
    it.clock.moveTo(it.clock.now() + 86_400_000)
    put('connectors/a', 3)
    await countFiles(it.ctx)
    expect((await sums())?.bytes).toBe(3)
  })

  test('have no other kinds than those that are counted', () => {
    const shared = join(import.meta.dirname, '../../../../shared')
    const named = readdirSync(shared, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(shared, file), 'utf8').matchAll(/`([a-z]+)\/\$\{(?:chainName\(|(?:\w+\.)?tenant_id\})/g),
      ])
    const ofEvidence = ['breaks', 'checkpoints'] // in a bucket of their own
    expect(new Set(named.map(([, kind]) => kind))).toEqual(new Set([...FILE_KINDS, ...ofEvidence]))
  })
})
