// What bundles change in zod: a handler's schemas are all made before its first request, and most of what that costs is
// not needed. Each change must find its place, so that another version of zod cannot lose one unnoticed.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

type Edits = readonly [what: RegExp, by: string][]

/**
 * What the bundles change in zod's schemas. Each costs a cold start about 10 µs, and most are plain texts and optional
 * plain texts: no schema ever changes, so one serves wherever the same is asked for.
 */
const SCHEMAS: Edits = [
  // Writers of JSON Schema, a closure for every schema; `z.toJSONSchema` looks them up where a schema names none.
  [/^ *inst\._zod\.processJSONSchema = .*;$/gm, ''],
  [/^ {4}toJSONSchema\(params\) \{$.*?^ {4}\},$/ms, ''],
  [/^ {12}jsonSchema: \{$.*?^ {12}\},$/ms, ''],
  // `z.string().email()` and the like, which bring all formats along with the first text. They are deprecated, and lint says so.
  [/^ {4}email\(params\) \{$.*?^\}\);$/ms, '});'],
  [
    /^export function (string|number|int|boolean)\(params\) \{$/gm,
    `var plain_$1
    export function $1(params) {
      return params === undefined ? (plain_$1 ??= make_$1()) : make_$1(params)
    }
    function make_$1(params) {`,
  ],
  [
    /^export function optional\(innerType\) \{$/m,
    `const optionals = new WeakMap()
    export function optional(innerType) {
      if (!optionals.has(innerType)) optionals.set(innerType, make_optional(innerType))
      return optionals.get(innerType)
    }
    function make_optional(innerType) {`,
  ],
]

/** The members that all schemas have: zod defines them for each kind of schema, 50 at 1 µs; here the kinds inherit them. */
const MEMBERS: Edits = [
  [
    /^ *installMembers\(target, protoMembers\);$/m,
    'Object.setPrototypeOf(target, layerOf(Object.getPrototypeOf(target), protoMembers))',
  ],
  [
    /^export .*function \$constructor\(/m,
    `const layers = new WeakMap()
    function layerOf(parent, table) {
      if (!layers.has(parent)) layers.set(parent, new Map())
      const known = layers.get(parent)
      if (!known.has(table)) {
        known.set(table, Object.create(parent))
        installMembers(known.get(table), table)
      }
      return known.get(table)
    }
    $&`,
  ],
]

/** Keeps out of functions what they do not use of zod but would load or make at their start. */
export const ZOD: Plugin = {
  name: 'zod',
  setup(build) {
    const edit = (file: RegExp, edits: Edits) =>
      build.onLoad({ filter: file }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [what, by] of edits) {
          if (contents.search(what) === -1) throw new Error(`zod holds nothing like ${what}`)
          contents = contents.replace(what, by)
        }
        return { contents }
      })
    edit(/\/zod\/v4\/classic\/schemas\.js$/, SCHEMAS)
    edit(/\/zod\/v4\/core\/core\.js$/, MEMBERS)
  },
}
