// esbuild plugins that leave unused parts of Node modules and the SDK out of bundles.
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { ENTRY } from './one-by-one.ts'

/** A module with one export per name, so that unused ones are removed and never read. */
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
 * Imports only the used members of Node's modules. An ES import reads all exports, and reading some of them loads more
 * (WebCrypto, file streams, a second HTTP client), which costs 3 ms per cold start. Each importing file gets its own facade,
 * because a shared facade would be one more file. Dynamic imports are left as they are.
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

/** Resolves Node modules that CommonJS packages require, because a bundle is an ES module without `require`. */
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
 * Puts all code that a function loads at its start into one file beside its index, because each file costs a third of a
 * millisecond per cold start and esbuild creates one for each set of dynamic imports that share code. Dynamic imports of the
 * function itself make all of them share everything. `late`: the chunks that are imported dynamically, and
 * never otherwise.
 */
export const oneStart = (late: readonly string[]): Plugin => ({
  name: 'one-start',
  setup(build) {
    // Named here, because a call for each of the chunks would take longer than all else that Node does.
    const names = late.map((path) => RegExp.escape(basename(path))).join('|')
    build.onLoad({ filter: new RegExp(`/(${names})$`) }, async ({ path }) => ({
      contents: `import '${ENTRY}'\n${await readFile(path, 'utf8')}`,
    }))
  },
})

/** Replacements of SDK packages and modules, by name. Each file states its reason. */
const STAND_INS = {
  'credential-provider-node': './lambda-credentials.ts',
  'middleware-endpoint-discovery': './no-endpoint-discovery.ts',
  calculateBodyLength: './body-length.ts',
  loadSharedConfigFiles: './no-config-files.ts',
}

/** Replaces parts of the SDK that a Lambda function never uses. */
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
