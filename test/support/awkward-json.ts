// The seventeen awkward payloads as JSON text: those that are carried exactly, with the canonical
// form in which they must be found again, and those that are refused, with the place and the text of the refusal.

/** An object of exactly so many levels. */
export const nested = (levels: number): string => `${'{"n":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`

export const accepted: { name: string; json: string; canonical: string }[] = [
  { name: 'minus zero', json: '{"a":-0}', canonical: '{"a":0}' },
  { name: '0.1', json: '{"a":0.10}', canonical: '{"a":0.1}' },
  { name: '1e-200', json: '{"a":1e-200}', canonical: '{"a":1e-200}' },
  {
    name: 'the key constructor',
    json: '{"constructor":{"prototype":{"a":1}}}',
    canonical: '{"constructor":{"prototype":{"a":1}}}',
  },
  { name: 'an empty key', json: '{"":1}', canonical: '{"":1}' },
  { name: 'an empty string', json: '{"a":""}', canonical: '{"a":""}' },
  { name: 'null', json: '{"a":null}', canonical: '{"a":null}' },
  {
    name: 'a key in NFC beside its twin in NFD',
    json: '{"\u00e9":1,"e\u0301":2}',
    canonical: '{"e\u0301":2,"\u00e9":1}',
  },
  { name: 'a duplicate key', json: '{"a":1,"a":2}', canonical: '{"a":2}' },
  {
    name: 'an array of 50,000 elements',
    json: `{"a":[${'1,'.repeat(49_999)}1]}`,
    canonical: `{"a":[${'1,'.repeat(49_999)}1]}`,
  },
  { name: 'NUL', json: '{"a":"\\u0000"}', canonical: '{"a":"\\u0000"}' },
]

const OUT_OF_RANGE = 'out of range; send it as a string'

export const refused: { name: string; json: string; loc: string[]; msg: string }[] = [
  { name: 'an integer over 2^53', json: '{"a":9007199254740993}', loc: ['body', 'a'], msg: OUT_OF_RANGE },
  { name: '1e400', json: '{"a":1e400}', loc: ['body', 'a'], msg: OUT_OF_RANGE },
  { name: 'a lone surrogate', json: '{"a":"\\ud800"}', loc: ['body', 'a'], msg: 'holds a lone surrogate' },
  { name: 'a lone surrogate in a key', json: '{"\\ud800":1}', loc: ['body'], msg: 'a key holds a lone surrogate' },
  { name: '__proto__', json: '{"__proto__":{"a":1}}', loc: ['body'], msg: 'the key __proto__ is not allowed' },
  { name: 'depth 33', json: nested(33), loc: ['body'], msg: 'nested deeper than 32' },
  { name: 'depth 10,000', json: nested(10_000), loc: ['body'], msg: 'nested deeper than 32' },
]
