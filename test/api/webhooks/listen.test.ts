import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const PROGRAM = join(import.meta.dirname, '../../../bin/listen.ts')

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

type Listener = {
  /** Resolves with everything printed so far, once that holds the text. */
  says: (text: string) => Promise<string>
  interrupt: () => boolean
  ended: Promise<number | null>
}

const children = new Set<ChildProcess>()
afterAll(() => children.forEach((child) => child.kill('SIGKILL')))

function listen(args: string[], env: NodeJS.ProcessEnv = {}): Listener {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } })
  children.add(child)
  let printed = ''
  let check = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      check()
    })
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      children.delete(child)
      resolve(code)
    })
  })
  const says = (text: string) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    check = () => printed.includes(text) && resolve(printed)
    check()
    return promise
  }
  return { says, ended, interrupt: () => child.kill('SIGINT') }
}

const registered = async () => (await acme.call(webhooks.list)).body.items

describe('npm run listen', () => {
  test('registers itself, prints what verifies and removes itself at the end', async () => {
    const listener = listen(['--types', 'action.*,user.login', '--url', local.appUrl, '--key', acme.live_key])
    await listener.says('Ctrl-C')
    const [endpoint] = await registered()
    expect(endpoint.events).toEqual([
      'action.requested',
      'action.approved',
      'action.rejected',
      'action.auto_executed',
      'user.login',
    ])

    const sent = await acme.call(webhooks.test, { params: { id: endpoint.id }, body: {} })

    expect(sent.body).toMatchObject({ delivered: true, status_code: 204 })
    expect(await listener.says('verified')).toMatch(/action\.approved {2}evt_test_\w+ {2}attempt 0 {2}verified/)
    listener.interrupt()
    expect(await listener.ended).toBe(0)
    expect(await registered()).toEqual([])
  })

  test('finds the service by the file that it left in its data directory', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'countersign-'))
    const credentials = { app_url: local.appUrl, live_key: acme.live_key }
    writeFileSync(join(directory, 'credentials.json'), JSON.stringify(credentials))

    const listener = listen([], { COUNTERSIGN_DATA_DIR: directory })
    await listener.says('Ctrl-C')
    rmSync(directory, { recursive: true })

    expect(await registered()).toMatchObject([{ events: ['*'] }])
    listener.interrupt()
    expect(await listener.ended).toBe(0)
  })

  test('refuses a delivery whose signature is not its own', async () => {
    const listener = listen(['--url', local.appUrl, '--key', acme.live_key])
    await listener.says('Ctrl-C')
    const [{ id, url }] = await registered()
    const foreign = await acme.call(webhooks.create, { body: { name: 'other secret', url, events: ['*'] } })

    const { body } = await acme.call(webhooks.test, { params: { id: foreign.body.id }, body: {} })

    expect(body).toMatchObject({ delivered: false, status_code: 401 })
    await listener.says('REFUSED: X-Webhook-Signature, X-Service-Signature, webhook-signature')
    listener.interrupt()
    await listener.ended
    expect((await registered()).map((one: { id: string }) => one.id)).not.toContain(id)
  })

  test.each([
    ['an unknown event type', ['--types', 'action.x'], 'action.x matches no event type'],
    ['a service that does not run', ['--url', 'http://127.0.0.1:1', '--key', 'x'], 'Does the service run'],
    ['a wrong key', ['--key', 'x'], 'answered 401'],
  ])('ends with a reason for %s', async (_, args, reason) => {
    const directory = mkdtempSync(join(tmpdir(), 'countersign-'))
    writeFileSync(join(directory, 'credentials.json'), JSON.stringify({ app_url: local.appUrl, live_key: 'y' }))

    const listener = listen(args, { COUNTERSIGN_DATA_DIR: directory })

    await listener.says(reason)
    expect(await listener.ended).toBe(1)
    rmSync(directory, { recursive: true })
  })
})
