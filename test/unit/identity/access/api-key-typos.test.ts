import { expect, test } from 'vitest'
import { makeApiKey, modeOfKey } from '../../../../shared/identity/access/api-key.ts'
import { sha256 } from '../../../../shared/base/lib/json.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes that follow from a name, so that a failure can be repeated. */
const bytesOf = (name: string) => (size: number) => sha256(name).subarray(0, size)

/** Every key that differs from this one in one character after its prefix. */
function* typos(key: string): Generator<string> {
  for (let at = 'ak_live_'.length; at < key.length; at += 1) {
    for (const other of ALPHABET) if (other !== key[at]) yield key.slice(0, at) + other + key.slice(at + 1)
  }
}

test('of more than 200,000 keys with one wrong character none passes the checksum', () => {
  let tried = 0
  const passed: string[] = []
  for (let n = 0; tried < 200_000; n += 1) {
    const key = makeApiKey(n % 2 === 0 ? 'live' : 'test', bytesOf(`key ${n}`))
    expect(modeOfKey(key)).toBe(n % 2 === 0 ? 'live' : 'test')
    for (const typo of typos(key)) {
      tried += 1
      if (modeOfKey(typo)) passed.push(typo)
    }
  }

  expect(tried).toBeGreaterThan(200_000)
  expect(passed).toEqual([])
})

test('neither does one whose neighbouring characters changed places, or that was cut or lengthened', () => {
  for (let n = 0; n < 500; n += 1) {
    const key = makeApiKey('live', bytesOf(`other ${n}`))
    for (let at = 8; at < key.length - 1; at += 1) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
      if (swapped !== key) expect(modeOfKey(swapped), swapped).toBeUndefined()
    }
    for (const other of [key.slice(0, -1), `${key}0`, key.replace('live', 'test'), ` ${key}`, `${key}\n`]) {
      expect(modeOfKey(other), JSON.stringify(other)).toBeUndefined()
    }
  }
})
