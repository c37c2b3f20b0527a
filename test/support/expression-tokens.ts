// An expression of DynamoDB as tokens, and the parts that every kind of expression is made of: paths, values, operators.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { RESERVED } from './reserved-words.ts'

export type Placeholders = {
  /** Undefined where an expression is checked by itself, without its values. */
  names?: Record<string, string> | undefined
  values?: Record<string, AttributeValue> | undefined
}

export class Unlawful extends Error {
  override readonly name = 'ValidationException'
}

export type Path = string[]
export type Type = keyof AttributeValue

const TOKEN = /\s*(<>|<=|>=|[=<>(),+\-.]|\[\d+\]|[:#]\w+|[A-Za-z]\w*)/y
const OPERATORS_MAX = 300
const BYTES_MAX = 4_096
const PLACEHOLDER_BYTES_MAX = 255
const DEPTH_MAX = 32

export class Tokens {
  /** Placeholders that the expression mentions. */
  readonly used = new Set<string>()
  /** Every path, with its names in place of their placeholders. */
  readonly paths: Path[] = []
  #operators = 0
  #at = 0
  readonly #tokens: string[] = []
  readonly #placeholders: Placeholders

  constructor(expression: string, placeholders: Placeholders) {
    this.#placeholders = placeholders
    refuse(expression.trim() === '', 'the expression is empty')
    refuse(Buffer.byteLength(expression) > BYTES_MAX, 'the expression is longer than 4 KB')
    TOKEN.lastIndex = 0
    while (expression.slice(TOKEN.lastIndex).trim() !== '') {
      const from = TOKEN.lastIndex
      const token = TOKEN.exec(expression)?.[1]
      if (token === undefined) throw new Unlawful(`no token: ${expression.slice(from)}`)
      this.#tokens.push(token)
    }
  }

  /** Whether the placeholders' names and values are known. */
  get resolved(): boolean {
    return this.#placeholders.names !== undefined
  }

  get ended(): boolean {
    return this.#at >= this.#tokens.length
  }

  value(types?: Type[]): AttributeValue | undefined {
    const token = this.next()
    refuse(!token.startsWith(':'), `${token || 'nothing'} where a value belongs`)
    this.#mention(token)
    const value = this.#placeholders.values?.[token]
    refuse(this.resolved && !value, `no value for ${token}`)
    if (types) mustHaveType(value, types)
    return value
  }

  path(): Path {
    const path = [this.#name()]
    for (;;) {
      if (this.take('.')) path.push(this.#name())
      else if (this.peek().startsWith('[')) path.push(this.next())
      else break
    }
    refuse(path.length > DEPTH_MAX, `a path deeper than ${DEPTH_MAX}`)
    this.paths.push(path)
    return path
  }

  #name(): string {
    const token = this.next()
    refuse(!/^#?\w/.test(token), `${token || 'nothing'} where a path belongs`)
    refuse(RESERVED.has(token.toUpperCase()), `${token} is a reserved word`)
    if (!token.startsWith('#')) return token
    this.#mention(token)
    const name = this.#placeholders.names?.[token]
    refuse(this.resolved && name === undefined, `no name for ${token}`)
    return name ?? token
  }

  #mention(token: string): void {
    refuse(Buffer.byteLength(token) > PLACEHOLDER_BYTES_MAX, `${token} is longer than 255 bytes`)
    this.used.add(token)
  }

  /** Enters the call of one of the functions, whose names are case-sensitive. */
  call(...names: string[]): string | undefined {
    const name = this.peek()
    if (this.#tokens[this.#at + 1] !== '(' || !names.includes(name)) return undefined
    this.#at += 2
    this.count()
    return name
  }

  operator(word: string): boolean {
    const found = this.word(word)
    if (found) this.count()
    return found
  }

  peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  count(): void {
    this.#operators += 1
    refuse(this.#operators > OPERATORS_MAX, `more than ${OPERATORS_MAX} operators and functions`)
  }

  next(): string {
    const token = this.peek()
    this.#at += 1
    return token
  }

  take(token: string): boolean {
    if (this.peek() !== token) return false
    this.#at += 1
    return true
  }

  word(word: string): boolean {
    if (this.peek().toUpperCase() !== word) return false
    this.#at += 1
    return true
  }

  expect(token: string): void {
    refuse(!this.take(token), `expected ${token}, found ${this.peek() || 'the end'}`)
  }

  end(): void {
    refuse(this.#at < this.#tokens.length, `unexpected ${this.peek()}`)
  }
}

export function refuse(unlawful: boolean, why: string): void {
  if (unlawful) throw new Unlawful(why)
}

export function mustHaveType(value: AttributeValue | undefined, types: readonly Type[]): void {
  const [type = ''] = Object.keys(value ?? {})
  refuse(value !== undefined && !types.includes(type as Type), `a value of type ${type} where ${types.join()} belong`)
}
