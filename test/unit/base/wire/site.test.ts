import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sitePage } from '../../../../shared/base/wire/site.ts'
import { temporaryDirectory } from '../../../support/stand-ins.ts'

let directory: string
beforeEach(() => {
  directory = temporaryDirectory()
  Object.assign(process.env, {
    DOCS_FILE: join(directory, 'docs.json'),
    BASE_URL: 'https://api.acme.example',
    APP_URL: 'https://app.acme.example',
  })
})
afterEach(() => rmSync(directory, { recursive: true }))

test('a page that could not be read once is read by the next request', async () => {
  await expect(sitePage('', '/docs')).rejects.toMatchObject({ code: 'ENOENT' })
  writeFileSync(process.env.DOCS_FILE ?? '', JSON.stringify({ '': { type: 'text/html', text: '<h1>Docs</h1>' } }))

  expect(await sitePage('', '/docs')).toMatchObject({ status: 200, body: '<h1>Docs</h1>' })
  await expect(sitePage('constructor', '/docs/constructor')).rejects.toMatchObject({ status: 404 })
})
