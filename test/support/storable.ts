// What DynamoDB stores, and how large it is: limits of keys, numbers, sets, depth and size.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Item } from './expressions.ts'

const ITEM_BYTES = 409_600
const KEY_BYTES = { pk: 2_048, sk: 1_024 }
const DEPTH_MAX = 32
const DIGITS_MAX = 38
const NUMBER = /^[+-]?(?=\.?\d)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i
const EXPONENTS = { min: -130, max: 125 }

export function validation(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' })
}

const invalid = (why: string): Error => validation(`One or more parameter values were invalid: ${why}`)

/** The key of an item or of a request. */
export function addressOf({ pk, sk }: Item): { pk: string; sk: string } {
  if (!pk?.S || !sk?.S) throw validation('One of the required keys was not given a value')
  return { pk: pk.S, sk: sk.S }
}

export function mustFitKey(key: Item): void {
  const { pk, sk } = addressOf(key)
  mustFit('pk', pk)
  mustFit('sk', sk)
}

function mustFit(kind: 'pk' | 'sk', text: string): void {
  if (text.length * 3 <= KEY_BYTES[kind]) return
  if (Buffer.byteLength(text) > KEY_BYTES[kind]) throw invalid(`Size of key ${kind} has exceeded the size limit`)
}

const INDEX_KEY = /^gsi\d(pk|sk)$/
const sizes = new WeakMap<Item, number>()

/** About what DynamoDB counts: names and values. Throws for an item that it refuses. */
export function bytesOf(item: Item): number {
  const known = sizes.get(item)
  if (known !== undefined) return known
  let bytes = 0
  for (const [name, value] of Object.entries(item)) {
    const [, kind] = INDEX_KEY.exec(name) ?? []
    if (kind && !value.S) throw invalid(`the key ${name} of an index is empty or no text`)
    if (kind) mustFit(kind as 'pk' | 'sk', value.S ?? '')
    bytes += lengthOf(name) + sizeOf(value, 1)
  }
  if (bytes > ITEM_BYTES) throw validation('Item size has exceeded the maximum allowed size')
  sizes.set(item, bytes)
  return bytes
}

/** For values of a request that are not stored, too. */
export function sizeOf(value: AttributeValue, depth = 1): number {
  if (value.S !== undefined) return lengthOf(value.S)
  if (value.N !== undefined) return mustBeNumber(value.N)
  if (value.B) return value.B.length
  if (depth > DEPTH_MAX) throw validation('Nesting Levels have exceeded supported limits')
  if (value.L) return value.L.reduce((sum, member) => sum + sizeOf(member, depth + 1) + 1, 3)
  if (value.M) {
    return Object.entries(value.M).reduce((sum, [name, one]) => sum + lengthOf(name) + sizeOf(one, depth + 1) + 1, 3)
  }
  for (const set of [value.SS, value.NS]) if (set) return sizeOfSet(set)
  return 1
}

function sizeOfSet(members: string[]): number {
  if (members.length === 0) throw invalid('An string set  may not be empty')
  if (new Set(members).size < members.length) throw invalid('Input collection contains duplicates.')
  return members.reduce((sum, member) => sum + lengthOf(member), 0)
}

function lengthOf(text: string): number {
  if (!text.isWellFormed()) throw Object.assign(new Error('half a character'), { name: 'SerializationException' })
  return Buffer.byteLength(text)
}

function mustBeNumber(text: string): number {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? invalidNumber(text)
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return 1
  const power = digits.length - fraction.length + Number(exponent) - 1
  if (significant.length > DIGITS_MAX || power > EXPONENTS.max || power < EXPONENTS.min) invalidNumber(text)
  return Math.ceil(significant.length / 2) + 1
}

function invalidNumber(text: string): never {
  throw validation(`The parameter cannot be converted to a numeric value: ${text}`)
}
