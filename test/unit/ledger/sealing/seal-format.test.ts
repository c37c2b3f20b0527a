import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dataKey, keyIdOf, nameOfKey, open, seal } from '../../../../shared/ledger/sealing/seal-format.ts'

const at = { pk: 'T#ten_1#live#EXEC#exe_1', sk: 'EXEC', attribute: 'payload' }
const key = dataKey('default', Buffer.alloc(32, 1))
const plain = Buffer.from('a secret text')
const sealed = seal(key, at, plain, randomBytes)

describe('a sealed value', () => {
  test('opens at its place under its key', () => {
    expect(open(key, at, sealed)).toEqual(plain)
  })

  test('names its key and commits to it', () => {
    expect(keyIdOf(sealed)).toMatch(/^default\.[0-9a-f]{32}$/)
    expect(nameOfKey(keyIdOf(sealed))).toBe('default')
    expect(dataKey('default', Buffer.alloc(32, 2)).id).not.toBe(key.id)
  })

  test('costs 28 bytes beside its key id', () => {
    expect(sealed.length).toBe(plain.length + 28 + `v1|${key.id}|`.length)
  })

  test('does not show what it holds, nor that two values are the same', () => {
    const again = seal(key, at, plain, randomBytes)

    expect(Buffer.from(sealed).includes('secret')).toBe(false)
    expect(Buffer.from(again).equals(sealed)).toBe(false)
  })

  test.each([
    ['item', { ...at, pk: 'T#ten_2#live#EXEC#exe_1' }],
    ['sort key', { ...at, sk: 'PAYLOAD' }],
    ['attribute', { ...at, attribute: 'output' }],
  ])('does not open in another %s', (_, elsewhere) => {
    expect(() => open(key, elsewhere, sealed)).toThrow()
  })

  test('does not open under another key, even one that claims the same id', () => {
    const other = dataKey('default', Buffer.alloc(32, 2))

    expect(() => open(other, at, sealed)).toThrow('another key')
    expect(() => open({ ...other, id: key.id }, at, sealed)).toThrow()
  })

  test('does not open after a change of any byte', () => {
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8((changed[index] ?? 0) ^ 1, index)
      expect(() => open(key, at, changed)).toThrow()
    }
  })

  test('does not open with its tag cut', () => {
    expect(() => open(key, at, sealed.subarray(0, -1))).toThrow()
    expect(() => open(key, at, sealed.subarray(0, `v1|${key.id}|`.length + 5))).toThrow()
  })
})

test('what was not sealed is refused', () => {
  expect(() => keyIdOf(Buffer.from('plain text'))).toThrow('the value is not sealed')
})
