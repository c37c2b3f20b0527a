// What runs before `npm start` and `npm test`, on a made-up checkout with an npm that only says what it was asked for.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/stand-ins.ts'

const PROGRAM = new URL('../../bin/ensure-install.mjs', import.meta.url).pathname

let checkout: string
beforeEach(() => {
  checkout = temporaryDirectory()
  cpSync(PROGRAM, join(checkout, 'bin/ensure-install.mjs'))
  put('package.json', JSON.stringify({ optionalDependencies: { '@dynoxide/linux-x64': '1.2.1' } }))
  put('package-lock.json', '{}')
  put('node_modules/.package-lock.json', '{}')
  put('node_modules/node/bin/node', '')
})
afterEach(() => rmSync(checkout, { recursive: true }))

function put(path: string, text: string): void {
  mkdirSync(join(checkout, path, '..'), { recursive: true })
  writeFileSync(join(checkout, path), text)
  chmodSync(join(checkout, path), 0o755)
}

/** `npm` ends with the given status; nothing else is on the PATH but what the test puts into `tools`. */
function prepare(platform: string, npm: 0 | 1, env: Record<string, string> = {}) {
  put('tools/npm', `#!/bin/sh\necho "npm $*"\nexit ${npm}\n`)
  const pretend = `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: 'arm64' } })`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${pretend}`, join(checkout, 'bin/ensure-install.mjs')],
    { encoding: 'utf8', env: { PATH: join(checkout, 'tools'), ...env } },
  )
  return {
    status,
    asked: stdout.trim(),
    said: stderr
      .trim()
      .split('\n')
      .filter((line) => line !== ''),
  }
}

const INSTALL = 'npm install --no-save --no-audit --no-fund --loglevel=error @dynoxide/darwin-arm64@1.2.1'

test('on a platform that the lock file does not name, the package of the database is installed', () => {
  expect(prepare('darwin', 0)).toEqual({ status: 0, asked: INSTALL, said: [] })
})

test.each([
  ['a package that is there', 'node_modules/@dynoxide/darwin-arm64/dynoxide'],
  ['a database on the PATH', 'tools/dynoxide'],
])('%s is taken as it is', (_, path) => {
  put(path, '')

  expect(prepare('darwin', 1)).toEqual({ status: 0, asked: '', said: [] })
})

test('a database elsewhere needs no package', () => {
  expect(prepare('darwin', 1, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' })).toEqual({
    status: 0,
    asked: '',
    said: [],
  })
})

test('where there is no database, two lines say what to do', () => {
  const { status, asked, said } = prepare('darwin', 1)

  expect({ status, asked }).toEqual({ status: 1, asked: INSTALL })
  expect(said).toEqual([
    expect.stringContaining('@dynoxide/darwin-arm64 1.2.1 cannot be installed'),
    expect.stringContaining('cargo install dynoxide-rs --version 1.2.1'),
  ])
})

test('Windows is refused before anything is installed', () => {
  rmSync(join(checkout, 'node_modules'), { recursive: true })

  expect(prepare('win32', 0)).toEqual({ status: 1, asked: '', said: [expect.stringContaining('WSL')] })
})

describe('the dependencies', () => {
  const entry = { version: '4.6.7', integrity: 'sha512-a' }
  const lock = (...packages: object[]) =>
    JSON.stringify({ packages: Object.assign({ '': { version: '0.1.0' } }, ...packages) })
  const installed = (...packages: object[]) => {
    put('node_modules/@dynoxide/darwin-arm64/dynoxide', '')
    put('node_modules/.package-lock.json', JSON.stringify({ packages: Object.assign({}, ...packages) }))
  }

  test('are left alone beside a newer lock file with the same packages', () => {
    const other = { 'node_modules/@dynoxide/linux-x64': { version: '1.2.1', integrity: 'sha512-b', optional: true } }
    put('package-lock.json', lock({ 'node_modules/zod': entry }, other))
    installed({ 'node_modules/zod': entry })
    utimesSync(join(checkout, 'node_modules/.package-lock.json'), 1, 1)

    expect(prepare('darwin', 0)).toEqual({ status: 0, asked: '', said: [] })
  })

  test.each([
    ['has another version', { 'node_modules/zod': { ...entry, version: '4.6.8' } }],
    ['has another hash', { 'node_modules/zod': { ...entry, integrity: 'sha512-c' } }],
    ['is missing', {}],
  ])('are installed when a package %s, even if the lock file is older', (_, there) => {
    put('package-lock.json', lock({ 'node_modules/zod': entry }))
    utimesSync(join(checkout, 'package-lock.json'), 1, 1)
    installed(there)

    expect(prepare('darwin', 0).asked).toBe('npm ci --no-audit --no-fund --loglevel=error')
  })

  test('of this checkout are those of its lock file', () => {
    const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    put('package-lock.json', textOf('package-lock.json'))
    put('node_modules/.package-lock.json', textOf('node_modules/.package-lock.json'))
    put('node_modules/@dynoxide/darwin-arm64/dynoxide', '')

    expect(prepare('darwin', 0).asked).toBe('')
  })
})

test('the lock file names the database of the version that other platforms install', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  const named = Object.keys(lock.packages).filter((path) => path.includes('@dynoxide/'))

  expect(named).toEqual(['node_modules/@dynoxide/linux-x64'])
})
