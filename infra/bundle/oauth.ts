// The OAuth library tells its kinds of artefacts apart by the names of its classes, which minifying takes away.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

const CLASS = /\bclass (\w+)( extends [^{]+)?\{/g

/** Writes the name of each of those classes into the class itself. */
export const OAUTH: Plugin = {
  name: 'oauth',
  setup(build) {
    build.onLoad({ filter: /\/oidc-provider\/lib\/models\/\w+\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(CLASS, (begin, name) => `${begin} static name = '${name}';`),
    }))
  },
}
