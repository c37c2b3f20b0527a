// Libraries that are loaded late: bundled and in a process of its own each must do what it does here. A part that cannot be
// loaded would only be missed, since what uses it goes on without.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { codeOf, type Entry } from '../../infra/bundle/bundle.ts'
import { DEFAULT_SETTINGS } from '../../shared/govern/governance/settings.ts'
import { NODE } from '../unit/govern/governance/make.ts'
import { newEmulator } from '../support/factors.ts'
import { bundleAll } from './support/closures.ts'

const part = (operation: string, file: string): Entry => ({ id: `late-${operation}`, area: 'late', operation, file })
const countries = part('countries', 'shared/identity/security-events/country.ts')
const webauthn = part('webauthn', 'shared/identity/mfa/webauthn.ts')
const classifier = part('classifier', 'shared/govern/executions/payload.ts')
const bundled = await bundleAll([countries, webauthn, classifier])
afterAll(() => bundled.remove())

/** What an export of the bundled module resolves to. */
function call(entry: Entry, name: string, input: unknown[], env: Record<string, string> = {}): unknown {
  const program = `
    const [file, name, input] = process.argv.slice(1)
    delete globalThis.require
    const module = await import(file)
    process.stdout.write(JSON.stringify((await module[name](...JSON.parse(input))) ?? null))`
  const file = join(codeOf(entry, bundled.dist), 'index.mjs')
  const args = ['--input-type=module', '-e', program, file, name, JSON.stringify(input)]
  return JSON.parse(execFileSync(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' }))
}

test('the bundled reader finds the country of an address', () => {
  const database = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'
  const COUNTRIES_FILE = fileURLToPath(import.meta.resolve(database))

  expect(call(countries, 'countryOf', ['193.99.144.80'], { COUNTRIES_FILE })).toBe('DE')
  expect(call(countries, 'countryOf', ['::ffff:193.99.144.80'], { COUNTRIES_FILE })).toBe('DE')
  expect(call(countries, 'countryOf', ['127.0.0.1'], { COUNTRIES_FILE })).toBeNull()
  expect(call(countries, 'countryOf', ['193.99.144.80'], { LOG_LEVEL: 'off', COUNTRIES_FILE: '/nowhere' })).toBeNull()
})

test('the bundled classifier reads names, texts and statements', () => {
  const classified = (action_id: string, payload: unknown) =>
    call(classifier, 'classifyAction', [
      { node: NODE, endpoint: { action_id } },
      payload,
      { settings: DEFAULT_SETTINGS },
    ])

  expect(classified('get_contact', { sql: "SELECT 'größe' FROM t" })).toMatchObject({ kind: 'read', tier: 'AUTO' })
  expect(classified('get_contact', { text: 'ｄｒｏｐ table users;' })).toMatchObject({ kind: 'read', tier: 'HARD' })
  expect(classified('get_and_nuke', {})).toMatchObject({ kind: 'delete', tier: 'HARD' })
})

test('the bundled library checks what an authenticator has signed', () => {
  const APP_URL = 'https://app.countersign.example'
  const rpId = 'app.countersign.example'
  const challenge = Buffer.alloc(32, 1).toString('base64url')
  const emulator = newEmulator()
  const made = emulator.createJSON(APP_URL, {
    challenge,
    rp: { id: rpId, name: 'Countersign' },
    user: { id: 'YW5uYQ', name: 'anna', displayName: 'Anna' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  })
  const passkey = call(webauthn, 'readNewPasskey', [made, challenge], { APP_URL })
  expect(passkey).toMatchObject({ credential_id: made.id, counter: 0 })

  const answer = emulator.getJSON(APP_URL, { challenge, rpId })
  expect(call(webauthn, 'readAnswer', [answer, challenge, passkey], { APP_URL })).toBe(1)
  expect(call(webauthn, 'readAnswer', [answer, 'another', passkey], { APP_URL })).toBeNull()
})
