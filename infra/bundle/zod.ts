// Patches zod in bundles. A handler creates all its schemas at its start, and most of that work is not needed. A patch that
// does not match fails the build, so an update of zod cannot drop one unnoticed.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

type Edits = readonly [what: RegExp, by: string][]

/**
 * Patches of schemas. Each schema costs about 10 µs per cold start, and most are strings and optional strings without
 * parameters. Schemas are immutable, so equal ones are shared.
 */
const SCHEMAS: Edits = [
  // JSON Schema converters, a closure per schema; without them `z.toJSONSchema` uses its own table.
  [/^ *inst\._zod\.processJSONSchema = .*;$/gm, ''],
  [/^ {4}toJSONSchema\(params\) \{$.*?^ {4}\},$/ms, ''],
  [/^ {12}jsonSchema: \{$.*?^ {12}\},$/ms, ''],
  // Deprecated methods such as `z.string().email()`, which load all formats with the first string. Lint forbids them.
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

/** Common members of schemas. zod defines 50 of them per kind, at 1 µs each; with this patch the kinds inherit them. */
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

/** Removes work of zod at the start of a function that the function does not need. */
export const ZOD: Plugin = {
  name: 'zod',
  setup(build) {
    const edit = (file: RegExp, edits: Edits) =>
      build.onLoad({ filter: file }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const [what, by] of edits) {
          if (contents.search(what) === -1) throw new Error(`no match in zod for the patch ${what}`)
          contents = contents.replace(what, by)
        }
        return { contents }
      })
    edit(/\/zod\/v4\/classic\/schemas\.js$/, SCHEMAS)
    edit(/\/zod\/v4\/core\/core\.js$/, MEMBERS)
  },
}
