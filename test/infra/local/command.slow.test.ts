// `npm start` as a process: what it prints, keeps, refuses and leaves behind.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

const ROOT = new URL('../../..', import.meta.url).pathname
const PROGRAM = new URL('../../../bin/local.ts', import.meta.url).pathname

let directory: string
let started: ChildProcess[] = []
beforeEach(() => {
  directory = temporaryDirectory()
  started = []
})
afterEach(async () => {
  await Promise.all(started.map((child) => end(child, 'SIGKILL')))
  rmSync(directory, { recursive: true, maxRetries: 5 })
})

function launch(env: Record<string, string> = {}, [program, ...args] = [process.execPath, PROGRAM]) {
  const child = spawn(program ?? '', args, {
    cwd: ROOT,
    env: {
      ...process.env,
      COUNTERSIGN_DATA_DIR: directory,
      API_PORT: '0',
      APP_PORT: '0',
      PROVIDERS_PORT: '0',
      COUNTERSIGN_DOCS: 'on-demand', // takes longer than a start
      LOG_LEVEL: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

/** Everything printed until the text appears, or until the end. */
async function printed(child: ChildProcess, wanted: string): Promise<string> {
  let output = ''
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(wanted)) resolve()
    })
  }
  child.once('close', () => resolve())
  await promise
  return output
}

const ready = (child: ChildProcess) => printed(child, 'Ctrl-C')

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
  return child.exitCode
}

const credentials = (from = directory) => JSON.parse(readFileSync(join(from, 'credentials.json'), 'utf8'))

async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const { status, text } = await send(`${credentials().api_url}${path}`, request)
  return { status, body: JSON.parse(text) }
}

/** Command lines that name a directory: the database and its wrapper, while they run. */
function servers(of = directory): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
      return line.includes(of) ? [line] : []
    } catch {
      return [] // it ended while we looked
    }
  })
}

describe('a service that was started for the first time', () => {
  let output: string
  let running: ChildProcess
  let itsDirectory: string
  beforeAll(async () => {
    itsDirectory = temporaryDirectory()
    running = launch({ COUNTERSIGN_DATA_DIR: itsDirectory })
    output = await ready(running)
  })
  afterAll(async () => {
    await end(running, 'SIGKILL')
    rmSync(itsDirectory, { recursive: true, maxRetries: 5 })
  })

  test('shows the keys once and keeps them in a file for the owner only', async () => {
    const kept = credentials(itsDirectory)

    expect(output).toContain(kept.live_key)
    expect(kept).toMatchObject({
      live_key: expect.stringMatching(/^ak_live_/),
      test_key: expect.stringMatching(/^ak_test_/),
    })
    expect(statSync(join(itsDirectory, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(await send(`${kept.app_url}/api/health/live`, { method: 'GET' })).toMatchObject({ status: 200 })
  })

  test('prints an example that runs as it stands, to a verified chain', () => {
    const lines = output.split('\n')
    const begin = lines.indexOf('The main job in five lines:') + 2

    const { stdout } = spawnSync('sh', ['-c', lines.slice(begin, begin + 5).join('\n')], { encoding: 'utf8' })

    expect(stdout).toContain('"status":"approved"')
    expect(stdout).toContain('"chain_valid":true')
  })

  test('makes a second start on its directory say so and end', async () => {
    const second = launch({ COUNTERSIGN_DATA_DIR: itsDirectory })

    expect(await ready(second)).toContain('already running')
    expect(await end(second, 'SIGTERM')).toBe(1)
  })

  test('makes a start on its port name the port', async () => {
    const { port } = new URL(credentials(itsDirectory).api_url)

    expect(await ready(launch({ API_PORT: port }))).toContain(`Port ${port} is taken`)
  })

  test('stops everything by SIGTERM, and ends with 0', async () => {
    expect(servers(itsDirectory)).not.toEqual([])
    expect(await end(running, 'SIGTERM')).toBe(0)
    expect(servers(itsDirectory)).toEqual([])
  })
})

test('makes the OpenAPI document without being asked for it', async () => {
  const changes = watch(directory)
  launch({ COUNTERSIGN_DOCS: 'ahead' })

  const names: (string | null)[] = []
  for await (const { filename } of changes) {
    names.push(filename)
    if (filename === 'openapi.json') break
  }

  expect(names).toContain('credentials.json') // no start waits for it
})

test('after a kill nothing is left running; the next start knows the keys, which it does not show, and who is signed in, until SIGINT', async () => {
  const first = launch()
  await ready(first)
  const before = credentials()
  const owner = await post('/auth/login', before.owner)
  expect(owner).toMatchObject({ status: 200, body: { user: { roles: ['owner'] } } })
  await end(first, 'SIGKILL')

  const second = launch()
  const output = await ready(second)
  const after = credentials()

  expect(output).not.toContain(before.live_key)
  expect({ ...after, api_url: '', app_url: '' }).toEqual({ ...before, api_url: '', app_url: '' })
  expect(servers().filter((line) => !line.startsWith('sh'))).toHaveLength(1)
  const approver = await post('/auth/login', after.approver)
  expect(approver).toMatchObject({ status: 200, body: { user: { roles: ['approver'] } } })
  const next = await post('/auth/refresh', { refresh_token: owner.body.refresh_token })
  expect(next.status).toBe(200)
  const headers = { authorization: `Bearer ${next.body.access_token}` }
  expect(await send(`${after.api_url}/api/v1/auth/me`, { method: 'GET', headers })).toMatchObject({
    status: 200,
    text: expect.stringContaining(owner.body.user.id),
  })
  expect(await end(second, 'SIGINT')).toBe(0)
  expect(servers()).toEqual([])
})

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s to npm leaves nothing running', async (signal) => {
  const npm = launch({}, ['npm', 'start'])
  await ready(npm)

  const closed = once(npm, 'close') // when the last process that writes there is gone
  npm.kill(signal)
  await closed

  expect(servers()).toEqual([])
})
