// Stand-in for the files beside a function's code. They are created in the data directory at the first call of a function
// that reads them; `npm start` creates the OpenAPI document and the pages right after the start, because they take longer than it.
import { join } from 'node:path'
import type { AssetName, Use } from '../../shared/base/wire/route.ts'
import { assetsOf, writeAsset } from '../bundle/assets.ts'
import { ENVIRONMENT } from '../topology.ts'

/** Creates a file, once per start. After a failure the next caller tries again. */
export type Assets = (name: AssetName) => Promise<void>

/** Points the functions to the files. */
export function localAssets(directory: string, write = writeAsset): Assets {
  for (const [name, variable] of Object.entries(ENVIRONMENT.asset)) process.env[variable] = join(directory, name)
  const made = new Map<AssetName, Promise<void>>()
  return async (name) => {
    const making = made.get(name) ?? write(name, join(directory, name))
    made.set(name, making)
    await making.catch((error: unknown) => {
      made.delete(name)
      throw error
    })
  }
}

/** Creates the files of a row. */
export const assetsFor =
  (assets: Assets) =>
  async ({ uses = [] }: { uses?: readonly Use[] }): Promise<void> => {
    await Promise.all(assetsOf(uses).map(assets))
  }
