import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Dns, startDns } from '../../../../infra/local/dns.ts'
import { lookUp } from '../../../../shared/identity/domains/confirm.ts'
import { temporaryDirectory } from '../../../support/stand-ins.ts'

const TOKEN = 'A'.repeat(52)
const NAME = '_countersign-verify.acme.example'
const RIGHT = [`token=${TOKEN}`]

const directory = temporaryDirectory()
let first: Dns
let second: Dns
beforeAll(async () => {
  ;[first, second] = await Promise.all([
    startDns(join(directory, 'first.json')),
    startDns(join(directory, 'second.json')),
  ])
})
afterAll(async () => {
  await Promise.all([first.close(), second.close()])
  rmSync(directory, { recursive: true })
})
beforeEach(() => vi.stubEnv('DNS_SERVERS', `${first.server}, ${second.server}`))
afterEach(() => vi.unstubAllEnvs())

const set = (file: 'first' | 'second', records: object | string) =>
  writeFileSync(
    join(directory, `${file}.json`),
    typeof records === 'string' ? records : JSON.stringify({ [NAME]: records }),
  )
const both = (records: object | string) => {
  set('first', records)
  set('second', records)
}

describe('all servers agree', () => {
  test.each([
    ['the record', RIGHT, 'match'],
    ['the record in strings', [['token=', TOKEN.slice(0, 30), TOKEN.slice(30)]], 'match'],
    ['the record beside another', ['v=spf1 -all', ...RIGHT], 'match'],
    ['another record', ['token=no'], 'mismatch'],
    ['no record', [], 'not_found'],
  ])('on %s', async (_, records, seen) => {
    both(records)

    expect(await lookUp('acme.example', TOKEN)).toBe(seen)
  })

  test('a name that there is not is not found', async () => {
    both('{}')

    expect(await lookUp('acme.example', TOKEN)).toBe('not_found')
  })

  test('a server that fails is no answer', async () => {
    both('half a file')

    expect(await lookUp('acme.example', TOKEN)).toBe('dns_error')
  })
})

describe('one that disagrees is enough for doubt', () => {
  test.each([
    ['sees nothing', [], 'not_found'],
    ['sees another record', ['token=no'], 'mismatch'],
    ['fails', 'half a file', 'dns_error'],
  ])('the second server %s', async (_, records, seen) => {
    set('first', RIGHT)
    set('second', records)

    expect(await lookUp('acme.example', TOKEN)).toBe(seen)
  })

  test('a server that is down decides nothing', async () => {
    both(RIGHT)
    const gone = await startDns(join(directory, 'gone.json'))
    await gone.close()
    vi.stubEnv('DNS_SERVERS', `${first.server},${gone.server}`)

    expect(await lookUp('acme.example', TOKEN)).toBe('dns_error')
  })
})
