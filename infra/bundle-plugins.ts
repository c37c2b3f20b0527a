// What bundles leave out of Node and zod beyond what nobody imports.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** An export per name, so that the unused ones are left out unread. */
function facadeOf(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[a-z]\w*$/i.test(name))
  return [
    `const $all = () => process.getBuiltinModule('${path}')`,
    `const $member = (name) => $all()[name]`,
    `export default /* @__PURE__ */ $all()`,
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ $member('${name}')`),
  ].join('\n')
}

/**
 * Takes from Node's own modules what is used and no more: importing one as an ES module reads all that it exports, and some
 * of it loads on being read (WebCrypto, file streams, a second HTTP client), 3 ms of each cold start. Each importing file
 * gets its own facade, since a shared one would be one more file. A dynamic import stays what it is.
 */
export const NODE_MODULES: Plugin = {
  name: 'node-modules',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import'
        ? { path, external: true }
        : { path, namespace: 'builtin', suffix: `?${importer}`, sideEffects: false },
    )
    build.onLoad({ filter: /^node:/, namespace: 'builtin' }, ({ path }) => ({ contents: facadeOf(path) }))
  },
}

/**
 * Keeps zod's writers of JSON Schema (10 KB, and a closure for every schema) out of functions that write none: each schema
 * names its own writer, which `z.toJSONSchema` looks up by the type where a schema names none.
 */
export const ZOD: Plugin = {
  name: 'zod',
  setup(build) {
    build.onLoad({ filter: /\/zod\/v4\/classic\/schemas\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { contents: source.replaceAll(/^ *inst\._zod\.processJSONSchema = .*;$/gm, '') }
    })
  },
}
