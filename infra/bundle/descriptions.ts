// Takes descriptions and examples out of shapes: the reference shows them, and no function does anything with them. A described
// schema is a copy, so each of them would cost every start more than its bytes.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** One literal. A text that is put together from parts cannot be distinguished from the code around it. */
const TEXT = /(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)/.source
/** `.describe('…')` and `.meta({ examples: ['…'] })`, as the formatter writes them. */
const DESCRIPTION = new RegExp(
  String.raw`\s*(?<!\.)\.(?:describe\(\s*${TEXT},?\s*\)|meta\(\{\s*examples: \[\s*${TEXT},?\s*\],?\s*\}\))`,
  'g',
)
const REST = /(?<!\.)\.(describe\(|meta\(\{\s*examples)/

/** The source of a module without its descriptions. Throws when one would stay. */
export function withoutDescriptions(source: string, path: string): string {
  const bare = source.replaceAll(DESCRIPTION, '')
  if (REST.test(bare)) throw new Error(`${path}: a description or an example of a shape has to be one literal text`)
  return bare
}

export const DESCRIPTIONS: Plugin = {
  name: 'descriptions',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: withoutDescriptions(await readFile(path, 'utf8'), path),
      loader: 'ts',
    }))
  },
}
