// Keeps class names in the OAuth library, which identifies kinds of artefacts by them. Minification removes them.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

const CLASS = /\bclass (\w+)( extends [^{]+)?\{/g

/** Adds a static `name` to each class. */
export const OAUTH: Plugin = {
  name: 'oauth',
  setup(build) {
    build.onLoad({ filter: /\/oidc-provider\/lib\/models\/\w+\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(CLASS, (begin, name) => `${begin} static name = '${name}';`),
    }))
  },
}
