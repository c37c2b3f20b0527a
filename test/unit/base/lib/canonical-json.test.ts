import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../../shared/base/lib/json.ts'

const numberOf = (bits: string) => Buffer.from(bits, 'hex').readDoubleBE()

describe('the vectors of RFC 8785', () => {
  test('section 3.2.2: white space, numbers, strings and literals', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`

    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  test('section 3.2.3: members are sorted by UTF-16 code units', () => {
    const members = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      1: 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }

    expect(JSON.parse(canonicalJson({ list: [members] }))).toEqual({ list: [members] })
    expect(canonicalJson(members).match(/"(?=[A-Z])[^"]+"/g)).toEqual([
      '"Carriage Return"',
      '"One"',
      '"Control"',
      '"Latin Small Letter O With Diaeresis"',
      '"Euro Sign"',
      '"Emoji: Grinning Face"',
      '"Hebrew Letter Dalet With Dagesh"',
    ])
  })

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: the double %s is written %s', (bits, text) => {
    expect(canonicalJson(numberOf(bits))).toBe(text)
  })

  test.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    'appendix B: the double %s is an error',
    (bits) => {
      expect(() => canonicalJson({ a: [numberOf(bits)] })).toThrow('number is not finite')
    },
  )
})

describe('what JSON cannot carry', () => {
  test.each([
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a function', () => 1],
    ['a BigInt', 1n],
    ['a symbol', Symbol('x')],
    ['undefined by itself', undefined],
    ['undefined in an array', [undefined]],
  ])('%s throws', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  })

  test('undefined members are dropped', () => {
    expect(canonicalJson({ b: undefined, a: 1, c: undefined })).toBe('{"a":1}')
    expect(canonicalJson({ a: undefined })).toBe('{}')
  })
})

describe('any JSON value', () => {
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)

  test('has one text, whatever the order of its members', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .map(([name, member]) => [name, shuffled(member)] as const)
          .toReversed(),
      )
    }
    fc.assert(fc.property(json, (value) => canonicalJson(shuffled(value)) === canonicalJson(value)))
  })

  test('survives it, and the text of the text is the text', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })
})

test('a text is quoted as JSON quotes it, whatever stands in it and in a name', () => {
  for (let code = 0; code < 0x1_00; code += 1) {
    const text = `a${String.fromCharCode(code)}b`
    expect(canonicalJson({ [text]: text })).toBe(JSON.stringify({ [text]: text }))
  }
})
