// `npm start` as a process: what it prints, keeps, refuses and leaves behind.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { send } from '../../support/http.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

const ROOT = new URL('../../..', import.meta.url).pathname
const PROGRAM = new URL('../../../bin/local.ts', import.meta.url).pathname

let directory: string
let started: ChildProcess[]
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
    env: { ...process.env, COUNTERSIGN_DATA_DIR: directory, API_PORT: '0', APP_PORT: '0', LOG_LEVEL: 'off', ...env },
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

const credentials = () => JSON.parse(readFileSync(join(directory, 'credentials.json'), 'utf8'))

/** Command lines that name our directory: the database and its wrapper, while they run. */
function servers(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
      return line.includes(directory) ? [line] : []
    } catch {
      return [] // it ended while we looked
    }
  })
}

test('the first start shows the keys once and keeps them in a file for the owner only', async () => {
  const first = await ready(launch())
  const kept = credentials()

  expect(first).toContain(kept.live_key)
  expect(kept).toMatchObject({
    live_key: expect.stringMatching(/^ak_live_/),
    test_key: expect.stringMatching(/^ak_test_/),
  })
  expect(statSync(join(directory, 'credentials.json')).mode & 0o777).toBe(0o600)
  expect(await send(`${kept.app_url}/api/health/live`, { method: 'GET' })).toMatchObject({ status: 200 })
})

test('the printed example runs as it stands, to a verified chain', async () => {
  const output = (await ready(launch())).split('\n')
  const begin = output.indexOf('The main job in four lines:') + 2

  const { stdout } = spawnSync('sh', ['-c', output.slice(begin, begin + 4).join('\n')], { encoding: 'utf8' })

  expect(stdout).toContain('"status":"approved"')
  expect(stdout).toContain('"chain_valid":true')
})

test('after a kill nothing is left running, and the next start keeps the keys but does not show them', async () => {
  const first = launch()
  await ready(first)
  const before = credentials()
  await end(first, 'SIGKILL')

  const output = await ready(launch())
  const after = credentials()

  expect(output).not.toContain(before.live_key)
  expect({ ...after, api_url: '', app_url: '' }).toEqual({ ...before, api_url: '', app_url: '' })
  expect(await send(`${after.api_url}/api/health/live`, { method: 'GET' })).toMatchObject({ status: 200 })
  expect(servers().filter((line) => !line.startsWith('sh'))).toHaveLength(1)
})

test('the people of the first tenant sign in with what the file says, and stay signed in across a kill', async () => {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const { status, text } = await send(`${credentials().api_url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status, body: JSON.parse(text) }
  }
  const login = (person: object) => post('/auth/login', person)
  const first = launch()
  await ready(first)
  const owner = await login(credentials().owner)
  expect(owner).toMatchObject({ status: 200, body: { user: { roles: ['owner'] } } })
  await end(first, 'SIGKILL')

  await ready(launch())
  expect(await login(credentials().approver)).toMatchObject({ status: 200, body: { user: { roles: ['approver'] } } })
  const { refresh_token } = owner.body
  const next = await post('/auth/refresh', { refresh_token })
  expect(next.status).toBe(200)
  const headers = { authorization: `Bearer ${next.body.access_token}` }
  expect(await send(`${credentials().api_url}/api/v1/auth/me`, { method: 'GET', headers })).toMatchObject({
    status: 200,
    text: expect.stringContaining(owner.body.user.id),
  })
})

test('a second start on the same directory says so and ends', async () => {
  await ready(launch())

  const second = launch()

  expect(await ready(second)).toContain('already running')
  expect(await end(second, 'SIGTERM')).toBe(1)
})

test('a taken port is named', async () => {
  await ready(launch())
  const { port } = new URL(credentials().api_url)
  const kept = directory
  directory = temporaryDirectory()

  const output = await ready(launch({ API_PORT: port }))

  expect(output).toContain(`Port ${port} is taken`)
  rmSync(directory, { recursive: true })
  directory = kept
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s stops everything and ends with 0', async (signal) => {
  const child = launch()
  await ready(child)

  expect(await end(child, signal)).toBe(0)
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
