// What bundles leave out of Node and the SDK beyond what nobody imports, and how they get what is left.
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Gives CommonJS packages the modules of Node that they require: a bundle is an ES module and has no `require`. */
export const NODE_REQUIRED: Plugin = {
  name: 'node-required',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'required' } : undefined,
    )
    build.onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

/**
 * Puts all that a function loads at its start into one file beside its index: each file costs a cold start a third of a
 * millisecond, and esbuild makes one for every set of late parts that share something. Late parts that import the function
 * itself share everything.
 */
export const oneStart = (entry: string): Plugin => ({
  name: 'one-start',
  setup(build) {
    const late = new Set<string>()
    build.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      if (kind === 'dynamic-import') late.add(join(resolveDir, path))
      return undefined
    })
    build.onLoad({ filter: /\.mjs$/ }, async ({ path }) =>
      late.has(path) ? { contents: `import ${JSON.stringify(entry)}\n${await readFile(path, 'utf8')}` } : undefined,
    )
  },
})

/** By the name of a package or module of the SDK: what replaces it in the bundles. Why, each file says. */
const STAND_INS = {
  'credential-provider-node': './lambda-credentials.ts',
  'middleware-endpoint-discovery': './no-endpoint-discovery.ts',
  calculateBodyLength: './body-length.ts',
  loadSharedConfigFiles: './no-config-files.ts',
}

/** Keeps parts of the SDK out of the bundles that a Lambda function never uses. */
export const SDK: Plugin = {
  name: 'sdk',
  setup(build) {
    for (const [name, file] of Object.entries(STAND_INS)) {
      const path = fileURLToPath(new URL(file, import.meta.url))
      build.onResolve({ filter: new RegExp(`/${name}$`) }, ({ importer }) =>
        /\/node_modules\/@(aws-sdk|smithy)\//.test(importer) ? { path, sideEffects: false } : undefined,
      )
    }
  },
}
