import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { assetsFor, localAssets } from '../../../infra/local/assets.ts'
import { writeApart } from '../../../infra/local/write-apart.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

let directory: string
beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => rmSync(directory, { recursive: true }))

test('a file is created once for all who need it, and again after a failure', async () => {
  let tries = 0
  const assets = localAssets(directory, async () => {
    tries += 1
    if (tries === 1) throw new Error('the disk is full')
  })
  const before = assetsFor(assets)
  const row = { uses: [{ asset: 'docs.json' }] } as const

  await expect(Promise.all([before(row), before(row)])).rejects.toThrow('the disk is full')
  await Promise.all([before(row), assets('docs.json'), before({})])
  expect(tries).toBe(2)
})

test('the OpenAPI document is made by another process', async () => {
  const file = join(directory, 'openapi.json')
  await writeApart('openapi.json', file)

  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ openapi: '3.1.1' })
})
