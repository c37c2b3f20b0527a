// Many functions, each bundled alone: what one of them needs of a module is left out of the others.
import { type BuildOptions, type BuildResult, context, type Plugin } from 'esbuild'

/** The entry point of the options, and what imports the file at hand without knowing its name. */
export const ENTRY = 'file-at-hand'

/** Has esbuild collect its garbage less often, which would take a fifth of its time. Takes effect before the first build. */
export const collectSeldom = (): string => (process.env.GOGC ??= '400')

/** What comes of it is handed over, not written. */
const RESULT = { metafile: true, write: false } as const

/** The result for each file, with its value in `files`. One context bundles them all, so a module with several importers is parsed once. */
export async function* oneByOne<T>(
  options: BuildOptions,
  files: ReadonlyMap<string, T>,
): AsyncGenerator<readonly [T, BuildResult<typeof RESULT>]> {
  collectSeldom()
  let atHand = ''
  const plugin: Plugin = {
    name: 'one-by-one',
    setup: (build) => build.onResolve({ filter: new RegExp(`^${ENTRY}$`) }, () => ({ path: atHand })),
  }
  const bundles = await context({ ...options, ...RESULT, plugins: [plugin, ...(options.plugins ?? [])] })
  try {
    for (const [file, whose] of files) {
      atHand = file
      yield [whose, await bundles.rebuild()]
    }
  } finally {
    await bundles.dispose()
  }
}
