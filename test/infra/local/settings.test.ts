import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDisk } from '../../../infra/local/disk.ts'
import { explain, readSettings } from '../../../infra/local/settings.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

let directory: string
beforeEach(() => {
  directory = temporaryDirectory()
})
afterEach(() => rmSync(directory, { recursive: true }))

const errorOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

describe('settings', () => {
  test('have defaults, also where they are set to nothing', () => {
    const { directory: at, ...rest } = readSettings({ API_PORT: '' })

    expect(rest).toEqual({
      shownDirectory: '.countersign',
      apiPort: 8_787,
      appPort: 8_788,
      providersPort: 8_789,
      speed: 1,
      docsAhead: true,
    })
    expect(at).toBe(join(process.cwd(), '.countersign'))
  })

  test('are taken as they are given', () => {
    const given = { COUNTERSIGN_DATA_DIR: '/data', API_PORT: '0', APP_PORT: '9000', COUNTERSIGN_SPEED: '60' }

    expect(readSettings(given)).toMatchObject({ directory: '/data', apiPort: 0, appPort: 9_000, speed: 60 })
    expect(readSettings({ COUNTERSIGN_DOCS: 'on-demand' })).toMatchObject({ docsAhead: false })
  })

  test.each([
    ['API_PORT', 'eighty'],
    ['API_PORT', '-1'],
    ['APP_PORT', '65536'],
    ['COUNTERSIGN_SPEED', 'fast'],
    ['COUNTERSIGN_SPEED', '0'],
    ['COUNTERSIGN_SPEED', 'Infinity'],
    ['COUNTERSIGN_DOCS', 'off'],
  ])('%s=%s is refused in one line that names it', (name, value) => {
    const said = explain(
      errorOf(() => readSettings({ [name]: value })),
      {},
    )

    expect(said).toContain(`${name} must be`)
    expect(said).not.toContain('\n')
  })
})

describe('what keeps the service from starting is said in one line', () => {
  const env = () => ({ COUNTERSIGN_DATA_DIR: join(directory, 'data') })
  const opening = () =>
    explain(
      errorOf(() => openDisk(env().COUNTERSIGN_DATA_DIR)),
      env(),
    )

  test('a file where the directory should be', () => {
    writeFileSync(env().COUNTERSIGN_DATA_DIR, '')

    expect(opening()).toMatch(/^The directory .*data cannot be used \(.*\); set COUNTERSIGN_DATA_DIR to another one\.$/)
  })

  test('a directory whose database cannot be opened', () => {
    mkdirSync(join(env().COUNTERSIGN_DATA_DIR, 'stand-ins.sqlite'), { recursive: true })

    expect(opening()).toMatch(/^The directory .*data cannot be used/)
  })

  test.skipIf(process.getuid?.() === 0)('a directory that may not be written', () => {
    chmodSync(directory, 0o500)

    expect(opening()).toMatch(/^The directory .*data cannot be used/)
    chmodSync(directory, 0o700)
  })

  test('a directory in use', () => {
    const disk = openDisk(env().COUNTERSIGN_DATA_DIR)

    expect(opening()).toBe(`Countersign is already running on ${env().COUNTERSIGN_DATA_DIR}.`)
    disk.close()
  })

  test('data of another version', () => {
    const { db, close } = openDisk(env().COUNTERSIGN_DATA_DIR)
    db.exec('CREATE TABLE kept (name TEXT)')
    close()
    openDisk(env().COUNTERSIGN_DATA_DIR).close()
    const older = new DatabaseSync(join(env().COUNTERSIGN_DATA_DIR, 'stand-ins.sqlite'))
    older.exec('PRAGMA user_version = 1')
    older.close()

    expect(opening()).toMatch(/^The data in .*data were written by another version of Countersign; delete them, or set/)
  })

  test.each([
    ['EADDRINUSE', 'is taken'],
    ['EACCES', 'may not be opened by this user'],
  ])('a port that answers %s', (code, text) => {
    expect(explain(Object.assign(new Error('listen'), { code, port: 80 }), env())).toContain(`Port 80 ${text}`)
  })

  test('a port that is really taken', async () => {
    const server = createServer()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const port = (server.address() as { port: number }).port // a TCP server always has one
    createServer().on('error', resolve).listen(port, '127.0.0.1')

    expect(explain(await promise, env())).toContain(`Port ${port} is taken`)
    server.close()
  })
})

test('anything else comes with its stack', () => {
  expect(explain(new TypeError('a mistake'), {})).toContain('settings.test.ts')
})
